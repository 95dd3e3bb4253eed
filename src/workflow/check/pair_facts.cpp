// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/pair_facts.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/words.h"
#include "diagnosis/decision/decide.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// What was measured of both sides: in turn where one file has both.
struct MeasuredPair {
  const Benchmark* before = nullptr;
  const Benchmark* after = nullptr;
  bool interleaved = false;
  std::string missing;  // why there is none
};

MeasuredPair measured_pair(const EvidenceOfSide& before, const EvidenceOfSide& after) {
  if (after.pair) {
    return {&after.pair->sides[0].benchmark, &after.pair->sides[1].benchmark,
            after.pair->interleaved, ""};
  }
  const auto& a = before.benchmarks;
  const auto& b = after.benchmarks;
  if (a.size() == 1 && b.size() == 1) return {&a.front(), &b.front(), false, ""};
  const bool several = !a.empty() && !b.empty();
  return {nullptr, nullptr, false,
          several ? "a side has several benchmarks" : "there are no benchmarks of both sides"};
}

void add_gain(const Decision& decision, Facts& facts) {
  const auto add = [&](const char* name, double ratio) {
    facts.add({name, std::string(kShare), 1 - ratio, {}});
  };
  if (decision.overall) {
    add("change.gain", decision.overall->ratio);
    add("change.gain.low", decision.overall->high);
    add("change.gain.high", decision.overall->low);
    return;
  }
  for (const char* name : {"change.gain", "change.gain.low", "change.gain.high"}) {
    facts.add_absent({name, decision.reason, {}});
  }
}

using Words = std::vector<std::string>;

// Behind the program; nothing: not told.
std::optional<Words> arguments_of(const Benchmark& benchmark) {
  auto words = split_words(benchmark.command);
  if (!words || words->empty()) return std::nullopt;
  words->erase(words->begin());
  return std::move(*words);
}

std::optional<Words> arguments_of(const EvidenceOfSide& side, const LockedSide& locked) {
  if (locked.kernel == nullptr) return std::nullopt;
  const Profile& profile = side.profiles[locked.kernel->source];
  const std::size_t process = profile.launches[locked.kernel->launch].process;
  if (process >= profile.processes.size()) return std::nullopt;
  const Session& session = profile.processes[process].session;
  if (session.executable.empty()) return std::nullopt;
  auto words = split_words(session.arguments);
  return words ? std::move(*words) : Words{session.arguments};
}

}  // namespace

void publish_decision(const EvidenceOfSide& before, const EvidenceOfSide& after,
                      const DecideOptions& options, Facts& facts) {
  const MeasuredPair pair = measured_pair(before, after);
  if (pair.before == nullptr) {
    for (const char* name :
         {"change.verdict", "change.gain", "change.gain.low", "change.gain.high"}) {
      facts.add_absent({name, pair.missing, {}});
    }
    return;
  }
  const Decision decision = decide(*pair.before, *pair.after, pair.interleaved, options, {});
  facts.add({"change.verdict", "", std::string(to_string(decision.verdict)), {}});
  add_gain(decision, facts);
}

void publish_arguments(const EvidenceOfSide& before, const LockedSide& locked_before,
                       const EvidenceOfSide& after, const LockedSide& locked_after, Facts& facts) {
  std::vector<std::pair<std::optional<Words>, std::optional<Words>>> told;
  const MeasuredPair pair = measured_pair(before, after);
  if (pair.before != nullptr) {
    told.emplace_back(arguments_of(*pair.before), arguments_of(*pair.after));
  }
  told.emplace_back(arguments_of(before, locked_before), arguments_of(after, locked_after));
  bool known = false;
  bool same = true;
  for (const auto& [a, b] : told) {
    if (!a || !b) continue;
    known = true;
    same = same && *a == *b;
  }
  if (known) {
    facts.add({"change.arguments", "", std::string(same ? "same" : "different"), {}});
  } else {
    facts.add_absent({"change.arguments", "no evidence tells the arguments of both sides", {}});
  }
}

}  // namespace proofline
