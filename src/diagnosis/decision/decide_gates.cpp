// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "base/option.h"
#include "base/text.h"
#include "diagnosis/decision/benchmark_differences.h"

namespace proofline {
namespace {

// No execution is shorter or longer than these, whatever a file says.
constexpr double kLeastNs = 1;
constexpr double kMostNs = 1e15;

bool is_wrong(const Measurement& measurement) {
  return measurement.state == MeasurementState::kWrong ||
         measurement.correctness.state == CheckState::kFailed;
}

bool is(const Measurement& measurement, MeasurementState state) {
  return measurement.state == state;
}

// "3 of 1000 elements are wrong, 2 NaN, largest relative error 0.5 against fp64"
std::string fault_text(const Measurement& measurement) {
  const Correctness& check = measurement.correctness;
  std::vector<std::string> parts;
  if (check.wrong > 0) {
    parts.push_back(
        fmt::format("{} of {} are wrong", check.wrong, plural(check.checked, "element")));
  }
  if (check.nans > 0) parts.push_back(fmt::format("{} NaN", check.nans));
  if (check.infinities > 0) parts.push_back(fmt::format("{} infinite", check.infinities));
  if (check.max_rel_error) {
    parts.push_back(fmt::format("largest relative error {:.3g}", *check.max_rel_error));
  }
  if (parts.empty()) parts.push_back(inert(measurement.reason));
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!check.reference.empty()) text += " against " + inert(check.reference);
  return text.empty() ? "" : ": " + text;
}

std::string reason_text(const Measurement& measurement) {
  return measurement.reason.empty() ? "" : ": " + inert(measurement.reason);
}

// Why the time of something measured cannot be; "" where it can.
std::string impossible(const Measurement& measurement) {
  const double ns = measured_time(measurement).median_ns.value_or(kLeastNs);
  if (!(ns >= kLeastNs && ns <= kMostNs)) return fmt::format(": {:.4g} ns", ns);
  if (measurement.roof_at_least || measurement.roof_share.value_or(0) <= kMostRoofShare) return "";
  return fmt::format(": {:.4g} % of {}", 100 * *measurement.roof_share, inert(measurement.roof));
}

std::string behind(const std::string& place) { return place.empty() ? "" : " " + place; }

class Gates {
 public:
  Gates(const GateSubject& subject, Decision& decision)
      : subject_(subject), matching_(subject.matching), decision_(decision) {}

  std::optional<GateVerdict> pass() {
    correctness();
    check();
    sanitizer();
    plausible();
    comparable("same-machine", machine_differences(subject_.a.machine, subject_.b.machine),
               is_machine_known() ? "" : "a side does not say where it was measured");
    comparable("same-method", method_differences(matching_.pairs),
               is_method_known() ? "" : "a side does not say how it was timed");
    if (matching_.pairs.empty()) {
      nothing_in_common();
    } else {
      const auto missing = missing_in_b(matching_);
      comparable("same-inputs", input_differences(matching_.pairs),
                 missing.empty() ? "" : "B has no time " + places_of(missing, subject_.places));
      nothing_measured();
    }
    return std::move(verdict_);
  }

 private:
  void stop(DecisionVerdict verdict, std::string reason, std::string next) {
    const bool outranks = verdict == DecisionVerdict::kRevert && verdict_ &&
                          verdict_->verdict != DecisionVerdict::kRevert;
    if (!verdict_ || outranks) verdict_ = GateVerdict{verdict, std::move(reason), std::move(next)};
  }

  void add_gate(const char* name, GateState state, std::string detail) {
    decision_.gates.push_back({name, state, std::move(detail)});
  }

  void fail(const char* gate, DecisionVerdict verdict, const std::string& reason,
            std::string next) {
    add_gate(gate, GateState::kFailed, reason);
    stop(verdict, reason, std::move(next));
  }

  std::string at(const Measurement& measurement) const {
    return behind(subject_.places(measurement));
  }

  // Where A is right, or does not have it.
  const Measurement* wrong_b() const {
    for (const MeasurementPair& pair : matching_.pairs) {
      if (is_wrong(*pair.b) && !is_wrong(*pair.a)) return pair.b;
    }
    const auto found = std::find_if(matching_.only_in_b.begin(), matching_.only_in_b.end(),
                                    [](const Measurement* one) { return is_wrong(*one); });
    return found == matching_.only_in_b.end() ? nullptr : *found;
  }

  // Where A does not.
  const Measurement* failed_b() const {
    for (const MeasurementPair& pair : matching_.pairs) {
      if (is(*pair.b, MeasurementState::kFailed) && is(*pair.a, MeasurementState::kMeasured)) {
        return pair.b;
      }
    }
    return nullptr;
  }

  void correctness() {
    constexpr const char* kName = "correctness";
    if (const Measurement* wrong = wrong_b()) {
      return fail(kName, DecisionVerdict::kRevert,
                  fmt::format("B's result is wrong{}{}", at(*wrong), fault_text(*wrong)),
                  "fix B's result, or revert it; a wrong result has no speed");
    }
    if (const Measurement* failed = failed_b()) {
      return fail(kName, DecisionVerdict::kRevert,
                  fmt::format("B fails{}{}", at(*failed), reason_text(*failed)),
                  "fix B, or revert it");
    }
    if (subject_.b.failed_starts > 0 && subject_.a.failed_starts == 0) {
      return fail(kName, DecisionVerdict::kRevert,
                  fmt::format("B fails in {}, A in none", plural(subject_.b.failed_starts, "run")),
                  "fix B, or revert it");
    }
    for (const MeasurementPair& pair : matching_.pairs) {
      if (!is_wrong(*pair.a)) continue;
      return fail(kName, DecisionVerdict::kInvalid,
                  fmt::format("A's result is wrong{}{}", at(*pair.a), fault_text(*pair.a)),
                  "fix A first: there is nothing right to compare with");
    }
    judge_checks(kName);
  }

  void judge_checks(const char* name) {
    const auto& pairs = matching_.pairs;
    if (pairs.empty()) return add_gate(name, GateState::kNotRun, "nothing of B is compared");
    const auto unchecked = std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) {
      return pair.b->correctness.state != CheckState::kPassed;
    });
    if (unchecked == 0) {
      return add_gate(name, GateState::kPassed, "all results of B were checked");
    }
    add_gate(name, GateState::kNotRun,
             fmt::format("B's result was not checked in {} of {}", unchecked,
                         plural(pairs.size(), "configuration")));
  }

  void check() {
    const Gate* check = subject_.evidence.check;
    if (check == nullptr) return;
    decision_.gates.push_back(*check);
    if (check->state != GateState::kFailed) return;
    stop(DecisionVerdict::kRevert, "B's results did not pass their check: " + check->detail,
         "fix B's results, or revert it; a wrong result has no speed");
  }

  void sanitizer() {
    constexpr const char* kName = "sanitizer";
    if (subject_.evidence.sanitizer == nullptr) {
      return add_gate(kName, GateState::kNotRun, "no log was given");
    }
    const SanitizerOutcome outcome = subject_.evidence.sanitizer->outcome();
    // It costs a program that ends nothing, and most that are measured are about to end.
    if (!subject_.gate_leaks && subject_.evidence.sanitizer->has_only_leaks()) {
      return add_gate(kName, GateState::kPassed,
                      fmt::format("{} when {} ends, and nothing else; {} reverts for it",
                                  findings(), sanitized(), option("gate-leaks")));
    }
    if (outcome == SanitizerOutcome::kFindings || outcome == SanitizerOutcome::kHang) {
      return fail(kName, DecisionVerdict::kRevert,
                  fmt::format("the sanitizer says of {}: {}", sanitized(), findings()),
                  "fix what the sanitizer found, or revert B; `proofline diagnose LOG` tells all");
    }
    const bool clean = outcome == SanitizerOutcome::kClean;
    add_gate(kName, clean ? GateState::kPassed : GateState::kNotRun,
             clean ? "no errors in " + sanitized() : std::string(to_string(outcome)));
  }

  std::string sanitized() const {
    const std::string_view other = subject_.evidence.sanitized;
    return other.empty() ? "B" : fmt::format("{}, run in B's place", quote(other));
  }

  std::string findings() const {
    if (subject_.evidence.sanitizer->outcome() == SanitizerOutcome::kHang) return "it hangs";
    std::size_t errors = 0;
    std::string first;
    for (const SanitizerToolResult& tool : subject_.evidence.sanitizer->tools) {
      for (const SanitizerFinding& finding : tool.log.findings) {
        if (finding.level != SanitizerLevel::kError) continue;
        ++errors;
        if (!first.empty()) continue;
        first = to_string(finding.kind);
        if (!finding.kernel().empty()) first += " in " + inert(finding.kernel());
      }
    }
    if (errors == 0) return "its summary counts errors";
    return errors == 1 ? first : fmt::format("{} and {} more", first, errors - 1);
  }

  void plausible() {
    constexpr const char* kName = "valid-times";
    for (const MeasurementPair& pair : matching_.pairs) {
      for (const auto& [side, one] : {std::pair("A", pair.a), std::pair("B", pair.b)}) {
        const bool is_invalid = is(*one, MeasurementState::kInvalid);
        const std::string why = is_invalid ? reason_text(*one) : impossible(*one);
        if (!is_invalid && why.empty()) continue;
        return fail(kName, DecisionVerdict::kInvalid,
                    fmt::format("{}'s time cannot be{}{}", side, at(*one), why),
                    "check the declared bytes and FLOPs, and that the kernel does its work");
      }
    }
    add_gate(kName, GateState::kPassed, "");
  }

  bool is_machine_known() const {
    return subject_.interleaved ||
           (!subject_.a.machine.gpu.empty() && !subject_.b.machine.gpu.empty());
  }

  bool is_method_known() const {
    return std::all_of(matching_.pairs.begin(), matching_.pairs.end(), [](const auto& pair) {
      return pair.a->timed_by != TimedBy::kUnknown && pair.b->timed_by != TimedBy::kUnknown;
    });
  }

  // `unknown`: what is not known, so that equal sides prove nothing; "" all is.
  void comparable(const char* name, std::vector<Difference> differences, std::string unknown) {
    std::vector<std::string> refusals;
    for (const Difference& one : differences) {
      if (!one.refuses) continue;
      refusals.push_back(fmt::format("{} {} against {}", one.what, inert(one.a), inert(one.b)));
    }
    std::move(differences.begin(), differences.end(), std::back_inserter(decision_.differences));
    if (refusals.empty()) {
      const GateState state = unknown.empty() ? GateState::kPassed : GateState::kNotRun;
      add_gate(name, state, std::move(unknown));
    } else if (subject_.force) {
      add_gate(name, GateState::kNotRun,
               fmt::format("compared all the same ({}): {}", option("force"), few_of(refusals)));
    } else {
      add_gate(name, GateState::kFailed, few_of(refusals));
      stop(DecisionVerdict::kInvalid,
           "refused: the sides differ in more than the code: " + few_of(refusals),
           "measure both sides alike (proofline bench --a CMD --b CMD), or compare with --force");
    }
  }

  void nothing_in_common() {
    const auto names = [](const std::vector<const Measurement*>& side) {
      std::vector<std::string> result;
      result.reserve(side.size());
      for (const Measurement* one : side) result.push_back(inert(configuration_name(*one)));
      return result.empty() ? std::string("nothing") : few_of(result);
    };
    fail("same-inputs", DecisionVerdict::kInvalid,
         fmt::format("refused: no configuration is on both sides: A has {}, B has {}",
                     names(matching_.only_in_a), names(matching_.only_in_b)),
         fmt::format("measure the same sizes and types on both sides, choose with {} and {}, or {} "
                     "where each side has one",
                     option("a"), option("b"), option("force")));
  }

  void nothing_measured() {
    if (std::any_of(matching_.pairs.begin(), matching_.pairs.end(), was_measured)) return;
    stop(DecisionVerdict::kInvalid,
         "nothing was measured on both sides: every configuration failed or was skipped on one",
         "measure a configuration that both sides can do");
  }

  const GateSubject& subject_;
  const MeasurementMatching& matching_;
  Decision& decision_;
  std::optional<GateVerdict> verdict_;
};

}  // namespace

std::optional<GateVerdict> pass_gates(const GateSubject& subject, Decision& decision) {
  return Gates(subject, decision).pass();
}

bool was_measured(const MeasurementPair& pair) {
  const auto timed = [](const Measurement& one) {
    return is(one, MeasurementState::kMeasured) && !is_wrong(one);
  };
  return timed(*pair.a) && timed(*pair.b);
}

std::vector<const Measurement*> missing_in_b(const MeasurementMatching& matching) {
  std::vector<const Measurement*> missing;
  const auto& pairs = matching.pairs;
  const bool has_total = std::any_of(pairs.begin(), pairs.end(), [](const MeasurementPair& pair) {
    return pair.a->benchmark == kAllKernels;
  });
  for (const Measurement* one : matching.only_in_a) {
    if (is(*one, MeasurementState::kMeasured) && !has_total) missing.push_back(one);
  }
  for (const MeasurementPair& pair : pairs) {
    if (is(*pair.a, MeasurementState::kMeasured) && is(*pair.b, MeasurementState::kSkipped)) {
      missing.push_back(pair.a);
    }
  }
  return missing;
}

std::string places_of(const std::vector<const Measurement*>& some, const PlaceNames& places) {
  std::vector<std::string> names;
  names.reserve(some.size());
  for (const Measurement* one : some) {
    std::string place = places(*one);
    names.push_back(place.empty() ? "of " + inert(configuration_name(*one)) : std::move(place));
  }
  return few_of(names);
}

}  // namespace proofline
