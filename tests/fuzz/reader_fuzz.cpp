// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of every reader; READER is the function that the reader's file defines. Whatever
// the bytes are, the reader must neither crash nor hang, and when it gives a result it must account
// for every byte of the input.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/input.h"
#include "model/profile/profile.h"
#include "promise.h"
#include "readers/reader.h"

namespace proofline {
Reader READER();
}

namespace {

using namespace proofline;

// Small enough to leave the fuzzer's memory limit alone.
constexpr std::uint64_t kMaxBytes = 16U << 20U;

void check_profile(const Profile& profile, std::uint64_t input_bytes) {
  require(profile.bytes.total == profile.bytes.used + profile.bytes.skipped,
          "bytes in = bytes used + bytes skipped");
  require(profile.bytes.total == input_bytes, "all bytes of the input are counted");
  for (const Launch& launch : profile.launches) {
    const Metric* last = nullptr;
    for (const Metric& metric : launch.metrics) {
      require(metric.id < profile.metric_names.size(), "every metric has a name");
      require(last == nullptr || last->id < metric.id, "metrics are sorted, one for each name");
      last = &metric;
    }
  }
}

void read(std::string_view bytes, const ReadOptions& options) {
  InputLimits limits;
  limits.max_bytes = kMaxBytes;
  auto input = Input::from_memory(bytes, "fuzz", limits);
  if (!input) return;
  Profile profile;
  if (!READER().read(*input, options, profile)) return;
  // Compressed input counts as what comes out of it.
  auto again = Input::from_memory(bytes, "fuzz", limits);
  const auto size = again->skip(UINT64_MAX);
  check_profile(profile, size ? *size : again->offset());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  READER().sniff(bytes.substr(0, kSniffBytes));
  read(bytes, {});
  read(bytes, {.instances = true, .code = true, .lines = true, .nvidia_rules = true});
  return 0;
}
