// SPDX-License-Identifier: Apache-2.0
//
// What faster kernels would do for the program: the time of its GPU, of which kernels are a part,
// and of each profiled kernel what its gain is worth there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/kernel_totals.h"
#include "analysis/timeline/device_time.h"
#include "model/diagnosis/diagnosis.h"
#include "model/timeline/timeline.h"

namespace proofline {

// From the first to the last operation of the GPU that kernels take most time on.
struct ProgramTime {
  std::int64_t span_ns = 0;
  TimeParts parts;
  std::size_t devices = 1;  // that did anything; the others are left out here

  double share(std::int64_t part_ns) const {
    return span_ns > 0 ? static_cast<double>(part_ns) / static_cast<double>(span_ns) : 0;
  }
};

// None where no GPU did anything.
std::optional<ProgramTime> program_time(const Timeline& timeline);

// Of one kernel that was profiled.
struct KernelSaving {
  std::string name;
  double share = 0;   // of the span
  std::string cause;  // a rule's id; "" none was found
  Gain gain;          // of the kernel's own time
  // Of the span.
  double low = 0;
  double high = 0;
};

struct ProgramSavings {
  std::vector<KernelSaving> kernels;  // what saves most first
  // All of them together: never more than kernels take.
  double low = 0;
  double high = 0;
};

// `profile` is what the diagnosis is of.
ProgramSavings program_savings(const ProgramTime& time, const KernelTotals& totals,
                               const Profile& profile, const Diagnosis& diagnosis);

}  // namespace proofline
