// SPDX-License-Identifier: Apache-2.0
//
// Every launch has a name, a number and a time, in the order of their start.
#include <cstdint>
#include <string_view>

#include "model/profile/recording.h"
#include "promise.h"
#include "promises.h"

namespace proofline::fuzz {

void check_recording(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  Recording recording;
  if (!format.read_recording(*input, recording)) return;
  for (const RecordedProcess& process : recording.processes) {
    std::uint64_t last = 0;
    for (const RecordedLaunch& launch : process.launches) {
      require(launch.name < process.names.size(), "every launch has a name");
      require(launch.invocation > 0, "launches of a name are counted from one");
      require(launch.start_ns >= last && launch.end_ns >= launch.start_ns, "launches are in order");
      last = launch.start_ns;
    }
  }
}

}  // namespace proofline::fuzz
