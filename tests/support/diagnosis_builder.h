// SPDX-License-Identifier: Apache-2.0
//
// Diagnoses made by hand, so that a test of how they look does not depend on any rule.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"

namespace proofline::test_support {

// Profiles and the diagnosis that refers to them.
class DiagnosisBuilder {
 public:
  explicit DiagnosisBuilder(std::size_t launches = 1, std::size_t files = 1) : profiles(files) {
    profiles[0].path = "report.ncu-rep";
    profiles[0].launches.resize(launches);
    diagnosis.sources.push_back({"report.ncu-rep", "ncu-rep", "Nsight Compute 2025.3.1"});
  }

  // A kernel for the profile's next launch.
  KernelDiagnosis& kernel(const std::string& name, double total_ns) {
    const std::size_t position = diagnosis.kernels.size();
    Launch& launch = profiles[0].launches.at(position);
    launch.name = name;
    launch.function = name;
    KernelDiagnosis kernel{0,
                           position,
                           {position},
                           {1, total_ns, total_ns, total_ns, total_ns},
                           name,
                           name,
                           Dim3{1320, 1, 1},
                           Dim3{16, 16, 1},
                           "NVIDIA H200",
                           "9.0",
                           total_ns,
                           {Bound::kMemory, "dram", "Bound by DRAM: 86.1 % of its peak."},
                           {},
                           {},
                           {},
                           {},
                           Facts(profiles[0], launch)};
    diagnosis.kernels.push_back(std::move(kernel));
    return diagnosis.kernels.back();
  }

  std::vector<Profile> profiles;  // moving it leaves the launches in place
  Diagnosis diagnosis;
};

inline Finding finding(std::string id, double low, double high) {
  Finding made;
  made.id = std::move(id);
  made.severity = high >= 0.20 ? Severity::kHigh : Severity::kMedium;
  made.statement = "Each sector of 32 bytes that a global load fetches serves 8 bytes.";
  made.evidence = {{"memory.global.load.sector_use.share", 0.25, "share", "<=", 0.5},
                   {"throughput.dram.share", 0.861, "share", ">=", 0.8},
                   {"throughput.dram.bytes_per_second", 4.13e12, "byte/s", "", 0}};
  made.gain = {low, high, GainKind::kCeiling};
  made.next = "Let consecutive threads read consecutive addresses.";
  return made;
}

}  // namespace proofline::test_support
