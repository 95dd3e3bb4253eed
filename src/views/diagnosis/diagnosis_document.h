// SPDX-License-Identifier: Apache-2.0
//
// The documents that `diagnose` can print: where there are several kernels a table of them, worst
// first, then one screen for each: the verdict, the causes by rank with evidence and next step,
// bars for the levels and for what warps wait for, and what could not be evaluated.
#pragma once

#include <string>

#include "model/diagnosis/diagnosis.h"
#include "views/document.h"

namespace proofline {

struct DiagnosisParts {
  bool verbose = false;       // every rule's answer, hot lines, every fact
  bool facts = false;         // every fact
  bool nvidia_rules = false;  // NVIDIA's advice beside ours
  bool all = false;           // a screen for each kernel, however many there are
};

Document compose_diagnosis(const Diagnosis& diagnosis, const DiagnosisParts& parts);

// What it is bound by, in a narrow column: "dram", "fma", "latency (memory)", "launch".
std::string place_text(const Verdict& verdict);

// For programs that read tables: one row for each finding, and for each kernel without one.
Document compose_diagnosis_rows(const Diagnosis& diagnosis);

}  // namespace proofline
