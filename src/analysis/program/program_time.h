// SPDX-License-Identifier: Apache-2.0
//
// The time of a program's GPU: which part of it kernels are, and how much of it each kernel takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/timeline/device_time.h"
#include "model/timeline/timeline.h"

namespace proofline {

// The launches of a kernel with one grid and block.
struct RanShape {
  std::optional<Dim3> grid;  // none where the timeline does not tell
  std::optional<Dim3> block;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t median_ns = 0;  // the lower one of two
};

struct RanKernel {
  std::string name;  // as the timeline has it: mangled, or demangled by the recorder
  bool communication = false;
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
  std::vector<RanShape> shapes;  // the one that took most time first
};

// From the first to the last operation of the GPU that kernels take most time on; what is left out
// of a timeline as start-up is left out here too.
struct ProgramTime {
  std::int64_t span_ns = 0;
  TimeParts parts;
  std::size_t devices = 1;         // that did anything; the others are left out here
  std::string device_name;         // "" where the timeline does not tell
  std::vector<RanKernel> kernels;  // the one that took most time first
  std::uint64_t graphs = 0;        // launches of which only the whole is known
  std::int64_t graphs_ns = 0;

  double share(std::int64_t part_ns) const {
    return span_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(span_ns) : 0;
  }
};

// None where no GPU did anything.
std::optional<ProgramTime> program_time(const Timeline& timeline);

}  // namespace proofline
