// SPDX-License-Identifier: Apache-2.0
//
// What changed from A to B: between two profiles, where durations differ and which facts and causes
// explain it; between two codes, which functions are the same and what differs in the others.
//
//   const auto comparison = proofline::compare(*before, *after);
//   for (const proofline::KernelComparison& pair : comparison->kernels) {
//     if (pair.ratio) std::cout << pair.b.function << ": " << *pair.ratio << '\n';
//   }
//   const auto changes = proofline::compare(*old_code, *new_code);
//   if (changes->same()) std::cout << "the compiler made the same of both\n";
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/code/sameness.h"
#include "model/diagnosis/comparison.h"
#include "model/profile/profile.h"
#include "proofline/code.h"

namespace proofline {

// An error where no kernel is on both sides, or where GPU, clocks or shapes differ so that a
// comparison would mislead; CompareOptions::force compares anyway.
Result<ProfileComparison> compare(const Profile& a, const Profile& b,
                                  const CompareOptions& options = {});

struct CodeComparison;

// Two codes, compared. Copies share it.
class CodeChanges {
 public:
  struct Change {
    std::string what;  // "registers", "spill bytes"
    double a = 0;
    double b = 0;
    std::string unit;  // "B", "share"; "" a count
  };
  struct Function {
    std::string name;  // demangled, of A
    Sameness sameness = Sameness::kUnknown;
    std::uint32_t removed = 0;  // instructions that only A has
    std::uint32_t added = 0;    // instructions that only B has
    std::vector<Change> changes;
  };
  std::vector<Function> functions() const;  // on both sides; those with changes first
  std::vector<std::string> only_in_a() const;
  std::vector<std::string> only_in_b() const;
  // Nothing differs but what registers are called and where the code lies.
  bool same() const;

 private:
  friend struct ApiAccess;
  CodeChanges(Code a, Code b, std::shared_ptr<const CodeComparison> comparison)
      : a_(std::move(a)), b_(std::move(b)), comparison_(std::move(comparison)) {}

  Code a_;
  Code b_;
  std::shared_ptr<const CodeComparison> comparison_;
};

// An error where no function is on both sides. `force` also compares functions of different names
// where each side has one.
Result<CodeChanges> compare(const Code& a, const Code& b, bool force = false);

}  // namespace proofline
