// SPDX-License-Identifier: Apache-2.0
#include "proofline/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "api/access.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/comparison/compare_code.h"
#include "diagnosis/diagnose.h"

namespace proofline {
namespace {

std::vector<std::string> names_of(const std::vector<CodeComparison::Alone>& functions,
                                  const CodeReport& report) {
  std::vector<std::string> names;
  names.reserve(functions.size());
  for (const CodeComparison::Alone& one : functions) {
    names.push_back(report.functions[one.function].shown);
  }
  return names;
}

}  // namespace

Result<ProfileComparison> compare(const Profile& a, const Profile& b,
                                  const CompareOptions& options) {
  const std::span<const Profile> profiles_a(&a, 1);
  const std::span<const Profile> profiles_b(&b, 1);
  const Diagnosis diagnosis_a = diagnose(profiles_a);
  const Diagnosis diagnosis_b = diagnose(profiles_b);
  ProfileComparison comparison =
      compare_profiles(side_of(profiles_a, diagnosis_a), side_of(profiles_b, diagnosis_b), options);
  if (const std::string why = refusal(comparison); !why.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("cannot compare {} with {}: {}", quote(a.path), quote(b.path), why));
  }
  return comparison;
}

Result<CodeChanges> compare(const Code& a, const Code& b, bool force) {
  const CodeSide& side_a = ApiAccess::side(a);
  const CodeSide& side_b = ApiAccess::side(b);
  CodeComparison comparison = compare_code(side_a, side_b, force);
  if (comparison.pairs.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("no function of {} is in {}", quote(side_a.report.path),
                            quote(side_b.report.path)));
  }
  return ApiAccess::make(a, b, std::move(comparison));
}

std::vector<CodeChanges::Function> CodeChanges::functions() const {
  const CodeReport& report = ApiAccess::side(a_).report;
  std::vector<Function> functions;
  for (const FunctionComparison& pair : comparison_->pairs) {
    Function& function = functions.emplace_back();
    function.name = report.functions[pair.a].shown;
    function.sameness = pair.diff.sameness;
    function.removed = pair.diff.removed;
    function.added = pair.diff.added;
    for (const CodeChange& change : pair.changes) {
      function.changes.push_back({change.what, change.a, change.b, change.unit});
    }
  }
  return functions;
}

std::vector<std::string> CodeChanges::only_in_a() const {
  return names_of(comparison_->only_in_a, ApiAccess::side(a_).report);
}

std::vector<std::string> CodeChanges::only_in_b() const {
  return names_of(comparison_->only_in_b, ApiAccess::side(b_).report);
}

bool CodeChanges::same() const {
  const auto is_same = [](const FunctionComparison& pair) {
    return pair.diff.sameness == Sameness::kIdentical || pair.diff.sameness == Sameness::kRenamed;
  };
  return comparison_->only_in_a.empty() && comparison_->only_in_b.empty() &&
         std::all_of(comparison_->pairs.begin(), comparison_->pairs.end(), is_same);
}

}  // namespace proofline
