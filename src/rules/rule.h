// SPDX-License-Identifier: Apache-2.0
//
// A rule looks at the facts of one launch, or of one timeline, for one cause and answers found,
// clean or not evaluated. Each is one file in this folder that defines `Rule <stem>()`; the list is
// made from the folder. Rules read facts only: no metric file, no other rule, never NVIDIA's own
// rule results.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/launch/launch_facts.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"

namespace proofline {

enum class CauseGroup { kRoof, kAccess, kLatency, kParallelism, kWaste, kCapture };

struct Clean {};
using Outcome = std::variant<Clean, Finding, NotEvaluated>;

// One rule's access to the facts. Each comparison that holds becomes evidence; each fact that is
// absent is recorded, so that "clean" and "not evaluated" never mix:
//
//   if (!trial.at_least(facts::kStallShare[Stall::kBarrier], 0.25)) return trial.clean();
//   return trial.found("...", gain, "...");
class Trial {
 public:
  explicit Trial(const Facts& facts) : facts_(facts) {}

  bool at_least(const FactRef& fact, double threshold);
  bool at_most(const FactRef& fact, double threshold);
  bool is(const FactRef& fact, std::string_view text);
  // A value that the rule needs without a threshold; 0 where absent (then clean() says so).
  double need(const FactRef& fact);
  // The same, without showing it as evidence.
  double take(const FactRef& fact) { return read(fact).value_or(0); }
  // Shows the value as context where it is known.
  void show(const FactRef& fact);
  void show_all(std::initializer_list<FactRef> facts) {
    for (const FactRef& fact : facts) show(fact);
  }
  // A value that is used where it is known; its absence does not make the rule "not evaluated".
  std::optional<double> maybe(const FactRef& fact) const { return ask(fact).number(fact); }
  std::optional<std::string> maybe_text(const FactRef& fact) const { return ask(fact).text(fact); }

  // Clean where every fact that the rule needed was known, else not evaluated.
  Outcome clean() const;
  Outcome found(std::string statement, Gain gain, std::string next) const;

  // Every fact that was asked for, there or not: what a test compares with what the analyses
  // publish, since a declared fact that nothing publishes reads as absent for ever.
  const std::set<std::string, std::less<>>& asked() const { return asked_; }

 private:
  const Facts& ask(const FactRef& fact) const;
  std::optional<double> read(const FactRef& fact);

  const Facts& facts_;
  mutable std::set<std::string, std::less<>> asked_;
  std::vector<Evidence> evidence_;
  std::vector<std::string> missing_;
};

struct Rule {
  std::string_view id;
  CauseGroup group;
  Bound bound;          // what the kernel is bound by when this is its first cause
  std::string_view at;  // where: "dram", "barrier", ...
  std::string_view what;
  std::string_view why;
  std::string_view fix;
  std::string_view limits;
  // Ids of the symptoms and roofs that this cause accounts for when both are found.
  std::vector<std::string_view> explains = {};
  Outcome (*evaluate)(Trial& trial);
};

// The rules on a kernel's launch.
std::span<const Rule> rules();
// The rules on a whole program's timeline, in timeline/. Their gains are shares of the GPU's span.
std::span<const Rule> timeline_rules();
// A rule of either kind; null where there is none.
const Rule* find_rule(std::string_view id);

}  // namespace proofline
