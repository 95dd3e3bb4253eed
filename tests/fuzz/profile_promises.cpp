// SPDX-License-Identifier: Apache-2.0
//
// A profile accounts for every byte of the input, and its metrics can be looked up.
#include <cstdint>
#include <string_view>

#include "model/profile/profile.h"
#include "promise.h"
#include "promises.h"
#include "readers/read_profile.h"

namespace proofline::fuzz {
namespace {

void check(const Profile& profile, std::uint64_t input_bytes) {
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

void read(const Format& format, std::string_view bytes, const ReadOptions& options) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  Profile profile;
  if (!format.read_profile(*input, options, profile)) return;
  // Compressed input counts as what comes out of it.
  auto again = Input::from_memory(bytes, "fuzz", limits());
  const auto size = again->skip(UINT64_MAX);
  check(profile, size ? *size : again->offset());
}

}  // namespace

void check_profile(const Format& format, std::string_view bytes) {
  read(format, bytes, {});
  read(format, bytes, {.instances = true, .code = true, .lines = true, .nvidia_rules = true});
}

}  // namespace proofline::fuzz
