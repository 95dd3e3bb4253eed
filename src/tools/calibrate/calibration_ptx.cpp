// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/calibration_ptx.h"

#include <fmt/format.h>

#include "tools/calibrate/calibration_kernels.h"

namespace proofline {

std::string declare_values(std::string_view seed) {
  return fmt::format(R"(  .reg .b32 %random, %mixed;
  mad.lo.u32 %random, {}, 0x9e3779b9, 0x7f4a7c15;
)",
                     seed);
}

// A linear congruential generator, whose lower bits alone would be poor.
std::string draw_value(std::string_view to, ValueBits bits) {
  return fmt::format(R"(  mad.lo.u32 %random, %random, 1664525, 1013904223;
  shr.u32 %mixed, %random, 15;
  xor.b32 %mixed, %mixed, %random;
  and.b32 %mixed, %mixed, {:#x};
  or.b32 {}, %mixed, {:#x};
)",
                     bits.keep, to, bits.set);
}

std::string open_kernel(std::string_view version, std::string_view target, unsigned threads,
                        std::string_view parameters) {
  return fmt::format(R"(.version {}
.target {}
.address_size 64
.visible .entry {}({})
.maxntid {}, 1, 1
{{
)",
                     version, target, kCalibrationEntry, parameters, threads);
}

// The results are stored if the sink is not null. It always is, but the compiler cannot know that.
std::string compose_loop(const PtxLoop& loop) {
  std::string text =
      open_kernel(loop.version, loop.target, loop.threads,
                  fmt::format(".param .u64 sink, .param .u32 rounds{}", loop.parameters));
  text += R"(  .reg .pred %more;
  .reg .b32 %left;
  .reg .b64 %sink;
)";
  text += loop.before;
  text += R"(  ld.param.u32 %left, [rounds];
again:
)";
  text += loop.round;
  text += R"(  sub.u32 %left, %left, 1;
  setp.ne.u32 %more, %left, 0;
  @%more bra again;
)";
  text += loop.after;
  text += R"(  ld.param.u64 %sink, [sink];
  setp.eq.u64 %more, %sink, 0;
  @%more bra done;
)";
  text += loop.store;
  return text += "done:\n  ret;\n}\n";
}

}  // namespace proofline
