// SPDX-License-Identifier: Apache-2.0
//
// The documents that `diagnose` can print: where there are several kernels a table of them, worst
// first, then one screen for each (kernel_screen.h).
//
//   h200-kernels.ncu-rep.gz  NVIDIA H200 (cc 9.0); Nsight Compute 2025.3.1.0; 17 kernels, ...
//
//    #  Kernel                    Total  Could save     Gain  First cause         Bound by Share
//   --  --------------------  ---------  ----------  -------  ------------------  -------------
//   ------ 16  mix_with_spills         1.27 ms     1.00 ms  65-93 %  register-spills
//   local          49.9 %
//    3  transpose_naive       286.46 us   211.98 us  60-88 %  uncoalesced-global
//    global-access  11.3 %
//   10  gemm_wmma [8x8, 256]   81.41 us    37.45 us  32-60 %  small-grid          launch
//   (grid)   3.2 %
//
// # is the number of the kernel's first launch, which `show` gives it too and --kernel and --launch
// take. A shape is named where a kernel has several; Total and Share are the time of its launches
// under ncu's replay; Could save is Total x the middle of the Gain of the first cause; "Bound by"
// is the level or, in brackets, the kind of latency or launch.
#pragma once

#include <cstddef>
#include <string>

#include "model/diagnosis/diagnosis.h"
#include "views/document.h"

namespace proofline {

struct DiagnosisParts {
  bool verbose = false;       // every rule's answer, hot lines, every fact
  bool facts = false;         // every fact
  bool nvidia_rules = false;  // NVIDIA's advice beside ours
  bool all = false;           // a screen for each kernel, however many there are
  std::size_t top = 0;        // only the first ones; 0: all
};

Document compose_diagnosis(const Diagnosis& diagnosis, const DiagnosisParts& parts);

// What it is bound by, in a narrow column: "dram", "fma", "latency (memory)", "launch".
std::string place_text(const Verdict& verdict);

// For programs that read tables: one row for each finding, and for each kernel without one.
Document compose_diagnosis_rows(const Diagnosis& diagnosis);

}  // namespace proofline
