// SPDX-License-Identifier: Apache-2.0
//
// A rule looks at the facts of one launch, or of one timeline, for one cause and answers found,
// clean or not evaluated. Each is one file in this folder that defines `Rule <stem>()`; the list is
// made from the folder. Rules read facts only: no metric file, no other rule, never NVIDIA's own
// rule results.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"

namespace proofline {

enum class CauseGroup { kRoof, kAccess, kLatency, kParallelism, kWaste, kCapture };

struct Clean {};
using Outcome = std::variant<Clean, Finding, NotEvaluated>;

// One rule's look at the facts. Each comparison that is made becomes evidence; each fact that is
// not there is remembered, so that "no" and "cannot know" never mix:
//
//   if (!trial.at_least("stall.barrier.share", 0.25)) return trial.clean();
//   return trial.found("...", gain, "...");
class Trial {
 public:
  explicit Trial(const Facts& facts) : facts_(facts) {}

  bool at_least(std::string_view fact, double threshold);
  bool at_most(std::string_view fact, double threshold);
  bool is(std::string_view fact, std::string_view text);
  // A value that the rule needs without a threshold; 0 where absent (then clean() says so).
  double need(std::string_view fact);
  // The same, for what is not worth showing.
  double take(std::string_view fact) { return read(fact).value_or(0); }
  // A value shown as context where it is there.
  void show(std::string_view fact);
  // A value used where it is there; never missed.
  std::optional<double> maybe(std::string_view fact) const { return ask(fact).number(fact); }
  std::optional<std::string> maybe_text(std::string_view fact) const {
    return ask(fact).text(fact);
  }

  // Clean where every fact asked for was there, else not evaluated.
  Outcome clean() const;
  Outcome found(std::string statement, Gain gain, std::string next) const;

  // Every name that was asked for, there or not. A misspelt one would read as absent for ever, so
  // tests hold these against what the analyses publish.
  const std::set<std::string, std::less<>>& asked() const { return asked_; }

 private:
  const Facts& ask(std::string_view fact) const;
  std::optional<double> read(std::string_view fact);

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

// Of a kernel's launch.
std::span<const Rule> rules();
// Of a whole program's timeline: those in timeline/. Their gains are shares of the GPU's span.
std::span<const Rule> timeline_rules();
// Of either.
const Rule* find_rule(std::string_view id);

}  // namespace proofline
