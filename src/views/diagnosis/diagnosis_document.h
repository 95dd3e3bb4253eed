// SPDX-License-Identifier: Apache-2.0
//
// The documents that `diagnose` can print: where there are several kernels a table of them, worst
// first, then one screen for each (kernel_screen.h).
//
//   h200-kernels.ncu-rep.gz  NVIDIA H200 (cc 9.0); Nsight Compute 2025.3.1.0; 17 kernels, ...
//
//    #  Kernel                Count      Total   Share  Bound at       First cause            Gain
//   --  --------------------  -----  ---------  ------  -------------  ------------------  -------
//    0  mix_with_spills           1    1.27 ms  49.9 %  local          register-spills     65-93 %
//    1  transpose_naive           1  286.46 us  11.3 %  global-access  uncoalesced-global  60-88 %
//    5  gemm_wmma [8x8, 256]      1   81.41 us   3.2 %  launch (grid)  small-grid          32-60 %
//
// Count is launches of the same kernel and shape, which is named where a kernel has several; Total
// and Share are their time under ncu's replay; "Bound at" is the level or, in brackets, the kind of
// latency or launch; Gain is how much of the time the first cause costs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "views/document.h"

namespace proofline {

struct DiagnosisParts {
  bool verbose = false;       // every rule's answer, hot lines, every fact
  bool facts = false;         // every fact
  bool nvidia_rules = false;  // NVIDIA's advice beside ours
  bool all = false;           // a screen for each kernel, however many there are
  // What was tried against a finding before, a sentence each; null: nobody looked.
  std::function<std::vector<std::string>(const KernelDiagnosis&, const Finding&)> tried = {};
};

Document compose_diagnosis(const Diagnosis& diagnosis, const DiagnosisParts& parts);

// What it is bound by, in a narrow column: "dram", "fma", "latency (memory)", "launch".
std::string place_text(const Verdict& verdict);

// For programs that read tables: one row for each finding, and for each kernel without one.
Document compose_diagnosis_rows(const Diagnosis& diagnosis);

}  // namespace proofline
