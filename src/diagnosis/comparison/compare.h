// SPDX-License-Identifier: Apache-2.0
//
// Two diagnosed profiles in, their comparison out. Duration decides; facts explain. A pair of
// kernels is refused, with the reason, where GPU, clock or shape differ.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/diagnosis/comparison.h"

namespace proofline {

struct CodeComparison;

struct ComparedSide {
  const Profile* profile = nullptr;
  std::vector<const KernelDiagnosis*> kernels;  // of that profile; not all need to be there
  std::vector<Note> remarks = {};               // of the diagnosis: kernels that it left out
};

// The kernels of one of a diagnosis's sources.
ComparedSide side_of(std::span<const Profile> profiles, const Diagnosis& diagnosis,
                     std::size_t source = 0);

ProfileComparison compare_profiles(const ComparedSide& a, const ComparedSide& b,
                                   const CompareOptions& options = {});

// Why a comparison has nothing to say: no kernel is on both sides, or each pair was refused. Empty
// where there is a result. One line; text from the files is escaped in it.
std::string refusal(const ProfileComparison& comparison);

// The result of `compare` for two profiles.
struct ComparisonResult {
  const ProfileComparison* profiles = nullptr;
  const CodeComparison* code = nullptr;  // of the kernels, where both sides hold it
};
Record describe(const ComparisonResult*);

// A profile against the baseline, as a diagnosis of several files has it.
struct BaselineComparison {
  const ProfileComparison* profiles = nullptr;
};
Record describe(const BaselineComparison*);

}  // namespace proofline
