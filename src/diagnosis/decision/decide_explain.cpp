// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/launch/launch_facts.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/decision/decide_words.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

constexpr std::size_t kMostExplainedKernels = 3;
constexpr std::size_t kMostStalls = 3;
constexpr std::size_t kMostCodeChanges = 6;
// Less is not worth a word: of a share, and of a count.
constexpr double kLeastPoints = 0.05;
constexpr double kLeastRelative = 0.01;

struct NumberPair {
  double a = 0;
  double b = 0;
};

std::optional<NumberPair> numbers_of(const FactChange& fact) {
  const double* a = fact.a ? std::get_if<double>(&*fact.a) : nullptr;
  const double* b = fact.b ? std::get_if<double>(&*fact.b) : nullptr;
  if (a == nullptr || b == nullptr) return std::nullopt;
  return NumberPair{*a, *b};
}

const FactChange* find_fact(const KernelComparison& pair, std::string_view name) {
  const auto found = std::find_if(pair.facts.begin(), pair.facts.end(),
                                  [&](const FactChange& fact) { return fact.name == name; });
  return found == pair.facts.end() ? nullptr : &*found;
}

std::optional<NumberPair> find_numbers(const KernelComparison& pair, std::string_view name) {
  const FactChange* fact = find_fact(pair, name);
  return fact == nullptr ? std::nullopt : numbers_of(*fact);
}

// "naive -> tiled" where a change gave the kernel another name.
std::string both_names(std::string_view a, std::string_view b) {
  return a == b ? inert(a) : fmt::format("{} -> {}", inert(a), inert(b));
}

void add_stalls(const KernelComparison& pair, std::vector<std::string>& parts) {
  // Counters and samples do not measure the same thing.
  const FactChange* source = find_fact(pair, facts::kStallSource);
  if (source != nullptr && source->a != source->b) return;
  std::vector<std::pair<std::string_view, NumberPair>> changes;
  for (const FactChange& fact : pair.facts) {
    const std::string_view reason = stall_reason_of(fact.name);
    const auto numbers = numbers_of(fact);
    if (reason.empty() || reason == to_string(Stall::kSelected) || !numbers ||
        std::abs(numbers->b - numbers->a) < kLeastPoints)
      continue;
    changes.emplace_back(reason, *numbers);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& x, const auto& y) {
    return std::abs(x.second.b - x.second.a) > std::abs(y.second.b - y.second.a);
  });
  changes.resize(std::min(changes.size(), kMostStalls));
  for (const auto& [reason, share] : changes) {
    parts.push_back(fmt::format("{} share {} to {}", reason, percent(share.a), percent(share.b)));
  }
}

void add_occupancy(const KernelComparison& pair, std::vector<std::string>& parts) {
  const auto registers = find_numbers(pair, facts::kOccupancyRegistersPerThread);
  const double more = registers ? registers->b - registers->a : 0;
  if (more != 0) {
    parts.push_back(
        fmt::format("{:.0f} registers {}", std::abs(more), more > 0 ? "more" : "fewer"));
  }
  auto occupancy = find_numbers(pair, facts::kOccupancyAchieved);
  if (!occupancy) occupancy = find_numbers(pair, facts::kOccupancyTheoretical);
  if (!occupancy) return;
  if (std::abs(occupancy->b - occupancy->a) >= kLeastPoints) {
    parts.push_back(
        fmt::format("occupancy {} to {}", percent(occupancy->a), percent(occupancy->b)));
  } else if (more != 0) {
    parts.emplace_back("same occupancy");
  }
}

void add_instructions(const KernelComparison& pair, std::vector<std::string>& parts) {
  const auto count = find_numbers(pair, facts::kExecutionInstructions);
  if (!count || count->a <= 0) return;
  const double more = count->b / count->a - 1;
  if (std::abs(more) < kLeastRelative) return;
  parts.push_back(
      fmt::format("{} {} instructions", percent(std::abs(more)), more > 0 ? "more" : "fewer"));
}

void add_causes(const KernelComparison& pair, std::vector<std::string>& parts) {
  for (const FindingChange& finding : pair.findings) {
    if (finding.status == FindingStatus::kGone) parts.push_back(finding.id + " is gone");
    if (finding.status == FindingStatus::kNew) parts.push_back(finding.id + " is new");
  }
}

std::string code_value(double value, const std::string& unit) {
  if (unit == "share") return percent(value);
  return fmt::format("{:g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string code_text(const FunctionComparison& pair) {
  std::vector<std::string> parts;
  for (const CodeChange& change : pair.changes) {
    if (parts.size() == kMostCodeChanges) break;
    parts.push_back(fmt::format("{} {} to {}", change.what, code_value(change.a, change.unit),
                                code_value(change.b, change.unit)));
  }
  if (parts.empty()) {
    parts.push_back(fmt::format("{} removed, {} added", plural(pair.diff.removed, "instruction"),
                                pair.diff.added));
    if (pair.diff.moved > 0) parts.push_back(fmt::format("{} moved", pair.diff.moved));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

bool explains_a_decision(std::string_view fact) {
  return fact == facts::kOccupancyRegistersPerThread.name ||
         fact == facts::kOccupancyTheoretical.name || fact == facts::kOccupancyAchieved.name ||
         fact == facts::kExecutionInstructions.name;
}

void explain_by_profiles(const ProfileComparison& profiles, Decision& decision) {
  if (const std::string why = refusal(profiles); !why.empty()) {
    decision.notes.push_back({NoteKind::kInfo, "profiles", "they explain nothing: " + why});
    return;
  }
  for (const KernelComparison& pair : profiles.kernels) {
    if (decision.explanation.size() == kMostExplainedKernels) break;
    if (pair.refused) continue;
    std::vector<std::string> parts;
    add_stalls(pair, parts);
    add_occupancy(pair, parts);
    add_instructions(pair, parts);
    add_causes(pair, parts);
    if (parts.empty()) continue;
    decision.explanation.push_back(fmt::format(
        "{}: {}", both_names(pair.a.display_name, pair.b.display_name), fmt::join(parts, "; ")));
  }
}

void explain_by_code(const CodeSide& a, const CodeSide& b, const CodeComparison& code,
                     Decision& decision) {
  std::size_t explained = 0;
  for (const FunctionComparison& pair : code.pairs) {
    if (pair.diff.sameness == Sameness::kIdentical || pair.diff.sameness == Sameness::kRenamed) {
      continue;
    }
    if (explained++ == kMostExplainedKernels) break;
    decision.explanation.push_back(
        fmt::format("code of {}: {}",
                    both_names(without_signature(a.report.functions[pair.a].shown),
                               without_signature(b.report.functions[pair.b].shown)),
                    code_text(pair)));
  }
  if (explained == 0 && !code.pairs.empty()) {
    decision.explanation.push_back(fmt::format("the machine code of {} is the same on both sides",
                                               plural(code.pairs.size(), "profiled function")));
  }
}

}  // namespace proofline
