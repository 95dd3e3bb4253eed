// SPDX-License-Identifier: Apache-2.0
//
// The most that one GPU was measured to do of each kind of work: what `proofline calibrate` finds
// and rooflines are drawn with. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "model/measurement/benchmark.h"
#include "model/note.h"

namespace proofline {

struct Ceiling {
  std::string name;       // "dram", "l2", or a Measurement's flop_kind: "fp32", "tensor-f16"
  bool bytes = false;     // bytes a second; otherwise FLOP a second
  double per_second = 0;  // the median of the samples
  std::optional<Interval> interval;  // of the median, 95 %
  std::uint64_t samples = 0;
  std::uint64_t throttled = 0;   // of these, while the GPU was held back
  std::optional<double> sm_mhz;  // the SM clock meanwhile, median
  std::string how;               // what was run: "copies of 4 GiB by 16 bytes a thread"
  bool at_least = false;         // the chip has a faster way that was not measured
};

struct Ceilings {
  std::string path;  // of the file; "" none
  BenchmarkMachine machine;
  std::string measured_at;  // "2026-11-15T20:04:00Z"
  std::vector<Ceiling> ceilings;
  std::vector<Note> notes;
};
Record describe(const Ceilings*);

// Nothing where it was not measured.
const Ceiling* find_ceiling(const Ceilings& ceilings, std::string_view name);

}  // namespace proofline
