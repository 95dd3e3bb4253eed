// SPDX-License-Identifier: Apache-2.0
//
// Diagnoses made by hand, so that a test of how they look does not depend on any rule.
#pragma once

#include <string>
#include <utility>

#include "model/diagnosis/diagnosis.h"

namespace proofline::test_support {

class DiagnosisBuilder {
 public:
  DiagnosisBuilder() {
    diagnosis.sources.push_back({"report.ncu-rep", "ncu-rep", "Nsight Compute 2025.3.1"});
  }

  // A kernel of the profile's next launch.
  KernelDiagnosis& kernel(const std::string& name, double total_ns) {
    const std::size_t position = diagnosis.kernels.size();
    KernelDiagnosis& kernel = diagnosis.kernels.emplace_back();
    kernel.launch = position;
    kernel.launches = {position};
    kernel.spread = {1, total_ns, total_ns, total_ns, total_ns};
    kernel.name = name;
    kernel.display_name = name;
    kernel.function = name;
    kernel.grid = Dim3{1320, 1, 1};
    kernel.block = Dim3{16, 16, 1};
    kernel.device_name = "NVIDIA H200";
    kernel.compute_capability = "9.0";
    kernel.duration_ns = total_ns;
    kernel.verdict = {Bound::kMemory, "dram", "Bound by DRAM: 86.1 % of its peak."};
    return kernel;
  }

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
