// SPDX-License-Identifier: Apache-2.0
//
// The files of one side of the evidence, read: whatever a reader knows, or a run's folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/comparison/compare_code.h"
#include "diagnosis/timeline/diagnose_timeline.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"
#include "model/measurement/benchmark.h"
#include "model/note.h"
#include "model/profile/profile.h"
#include "workflow/check/kernel_lock.h"

namespace proofline {

// All that was read for one side.
struct EvidenceOfSide {
  std::vector<std::string> sources;  // files and folders, in the order in which they were read
  std::vector<Profile> profiles;
  Diagnosis diagnosis;
  std::vector<std::unique_ptr<CodeSide>> code;
  std::optional<TimelineDiagnosis> timeline;
  std::vector<Benchmark> benchmarks;    // of this side
  std::optional<BenchmarkSeries> pair;  // of a file that has before and after, in this order
  Facts facts;                          // that are no kernel's
  std::vector<Note> notes;              // of the files that tell those
  std::string cc;
};

// Only kernels that a lock fits are diagnosed.
Result<EvidenceOfSide> read_side(const std::vector<std::string>& paths,
                                 const std::vector<Lock>& locks, const InputLimits& limits);

}  // namespace proofline
