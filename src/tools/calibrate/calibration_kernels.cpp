// SPDX-License-Identifier: Apache-2.0
//
// Memory and the arithmetic of single threads; the tensor cores are in
// calibration_tensor_kernels.cpp.
#include "tools/calibrate/calibration_kernels.h"

#include <fmt/format.h>

#include "tools/calibrate/calibration_ptx.h"
#include "tools/calibrate/calibration_tensor_kernels.h"

namespace proofline {
namespace {

// Pascal's, which all these instructions are older than.
constexpr std::string_view kVersion = "6.3";
constexpr std::string_view kTarget = "sm_60";

// A tile is four accesses of 16 bytes by each thread of a block.
constexpr unsigned kAccesses = 4;
constexpr unsigned kAccessBytes = kTileThreads * 16;
static_assert(kTileBytes == kAccesses * kAccessBytes);

// The block's first %tile, and where %inside a tile the thread is.
constexpr std::string_view kFirstTile = R"(  .reg .pred %more;
  .reg .b32 %tile, %tiles, %blocks, %thread;
  .reg .b64 %offset, %inside, %to;
  ld.param.u32 %tiles, [tiles];
  mov.u32 %tile, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %inside, %thread, 16;
)";

constexpr std::string_view kNextTile = R"(  add.u32 %tile, %tile, %blocks;
  setp.lt.u32 %more, %tile, %tiles;
  @%more bra again;
  ret;
}
)";

std::string find_offset() {
  return fmt::format("again:\n  mad.wide.u32 %offset, %tile, {}, %inside;\n", kTileBytes);
}

// "{%v0, %v1, %v2, %v3}": the registers of one access.
std::string vector_of(unsigned access) {
  const unsigned first = 4 * access;
  return fmt::format("{{%v{}, %v{}, %v{}, %v{}}}", first, first + 1, first + 2, first + 3);
}

// How many pairs of accumulators a thread has, and how often a round goes through them: enough to
// hide the latency of each instruction and to amortise the loop's own instructions.
constexpr unsigned kPairs = 8;
constexpr unsigned kTurns = 32;

struct Scalar {
  std::string_view name;
  std::string_view type;  // of the instructions
  std::string_view reg;   // of the registers
  ValueBits bits;
  unsigned flops;  // of one instruction in one thread
  std::string_view how;
};

constexpr Scalar kScalars[] = {
    {"fp32", "f32", "b32", kF32Value, 2, "FP32 FMA instructions, pseudo-random operands"},
    {"fp64", "f64", "b64", kF64High, 2, "FP64 FMA instructions, pseudo-random operands"},
};

std::string draw_scalar(const Scalar& scalar, std::string_view to) {
  if (scalar.reg == "b32") return draw_value(to, scalar.bits);
  return draw_value("%low", kAnyBits) + draw_value("%high", scalar.bits) +
         fmt::format("  mov.b64 {}, {{%low, %high}};\n", to);
}

// Turns every pair of accumulators, as a vector, by an angle, in two steps of one FMA each: x += e
// y, then y -= e x. Below a step of two, this neither grows nor comes to rest, so that the values
// stay finite and the operands as good as random.
std::string turn_all(const Scalar& scalar) {
  std::string text;
  for (unsigned i = 0; i < kPairs; ++i) {
    text += fmt::format("  fma.rn.{} %x{}, %y{}, %step, %x{};\n", scalar.type, i, i, i);
  }
  for (unsigned i = 0; i < kPairs; ++i) {
    text += fmt::format("  fma.rn.{} %y{}, %x{}, %back, %y{};\n", scalar.type, i, i, i);
  }
  return text;
}

RoundsKernel compose_scalar(const Scalar& scalar) {
  PtxLoop loop{kVersion, kTarget, 256, "", "", "", "", ""};
  loop.before = fmt::format(R"(  .reg .{0} %x<{1}>, %y<{1}>, %step, %back;
  .reg .b32 %low, %high, %thread;
  mov.u32 %thread, %tid.x;
)",
                            scalar.reg, kPairs);
  loop.before += declare_values("%thread") + draw_scalar(scalar, "%step");
  loop.before += fmt::format("  neg.{} %back, %step;\n", scalar.type);
  for (unsigned i = 0; i < kPairs; ++i) {
    loop.before += draw_scalar(scalar, fmt::format("%x{}", i));
    loop.before += draw_scalar(scalar, fmt::format("%y{}", i));
    loop.store +=
        fmt::format("  st.global.{0} [%sink+{1}], %x{2};\n  st.global.{0} [%sink+{3}], %y{2};\n",
                    scalar.reg, 16 * i, i, 16 * i + 8);
  }
  for (unsigned i = 0; i < kTurns; ++i) loop.round += turn_all(scalar);
  RoundsKernel kernel{compose_loop(loop), loop.threads, 0, {2, 4, 8}, std::string(scalar.how)};
  kernel.per_round = 2.0 * scalar.flops * kPairs * kTurns * loop.threads;
  return kernel;
}

}  // namespace

std::string compose_copy() {
  std::string text = open_kernel(kVersion, kTarget, kTileThreads,
                                 ".param .u64 to, .param .u64 from, .param .u32 tiles");
  text += kFirstTile;
  text += fmt::format("  .reg .b32 %v<{}>;\n  .reg .b64 %from, %read, %write;\n", 4 * kAccesses);
  text += "  ld.param.u64 %to, [to];\n  ld.param.u64 %from, [from];\n";
  text += find_offset();
  text += "  add.u64 %read, %from, %offset;\n  add.u64 %write, %to, %offset;\n";
  for (unsigned i = 0; i < kAccesses; ++i) {
    text += fmt::format("  ld.global.v4.u32 {}, [%read+{}];\n", vector_of(i), i * kAccessBytes);
  }
  for (unsigned i = 0; i < kAccesses; ++i) {
    text += fmt::format("  st.global.v4.u32 [%write+{}], {};\n", i * kAccessBytes, vector_of(i));
  }
  return text += kNextTile;
}

std::string compose_fill() {
  std::string text =
      open_kernel(kVersion, kTarget, kTileThreads, ".param .u64 to, .param .u32 tiles");
  text += kFirstTile;
  text += "  .reg .b32 %v<4>, %seed;\n  .reg .b64 %write;\n  ld.param.u64 %to, [to];\n";
  text += fmt::format("  mad.lo.u32 %seed, %tile, {}, %thread;\n", kTileThreads);
  text += declare_values("%seed");
  text += find_offset();
  text += "  add.u64 %write, %to, %offset;\n";
  for (unsigned i = 0; i < kAccesses; ++i) {
    for (const char* word : {"%v0", "%v1", "%v2", "%v3"}) text += draw_value(word, kAnyBits);
    text += fmt::format("  st.global.v4.u32 [%write+{}], {};\n", i * kAccessBytes, vector_of(0));
  }
  return text += kNextTile;
}

// Neighbouring blocks begin far from each other: what SMs that share a way to L2 read at the same
// time is sent to them once.
RoundsKernel compose_read() {
  constexpr std::uint32_t kScatter = 2'654'435'761;  // 2^32 over the golden ratio
  PtxLoop loop{kVersion, kTarget, kTileThreads, ", .param .u64 from, .param .u32 tiles",
               "",       "",      "",           ""};
  loop.before = fmt::format(R"(  .reg .pred %past;
  .reg .b32 %v<{}>, %sum, %first, %tiles, %block, %thread;
  .reg .b64 %begin, %end, %at;
  ld.param.u64 %begin, [from];
  ld.param.u32 %tiles, [tiles];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %sum, 0;
  mad.wide.u32 %begin, %thread, 16, %begin;
  mad.wide.u32 %end, %tiles, {}, %begin;
  mul.lo.u32 %first, %block, {};
  mul.hi.u32 %first, %first, %tiles;
  mad.wide.u32 %at, %first, {}, %begin;
)",
                            4 * kAccesses, kTileBytes, kScatter, kTileBytes);
  for (unsigned i = 0; i < kAccesses; ++i) {
    loop.round +=
        fmt::format("  ld.global.cg.v4.u32 {}, [%at+{}];\n", vector_of(i), i * kAccessBytes);
  }
  for (unsigned i = 0; i < 4 * kAccesses; ++i) {
    loop.round += fmt::format("  xor.b32 %sum, %sum, %v{};\n", i);
  }
  loop.round += fmt::format(R"(  add.u64 %at, %at, {};
  setp.ge.u64 %past, %at, %end;
  selp.b64 %at, %begin, %at, %past;
)",
                            kTileBytes);
  loop.store = "  st.global.b32 [%sink], %sum;\n";
  return {compose_loop(loop), loop.threads, static_cast<double>(kTileBytes), {2, 4}, "", false};
}

std::optional<RoundsKernel> compose_arithmetic(std::string_view name, ComputeCapability chip) {
  for (const Scalar& scalar : kScalars) {
    if (scalar.name == name) return compose_scalar(scalar);
  }
  return compose_tensor(name, chip);
}

}  // namespace proofline
