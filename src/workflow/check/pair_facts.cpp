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

MeasuredPair measured_pair(const EvidenceOfSide* before, const EvidenceOfSide& after) {
  if (after.pair) {
    return {&after.pair->sides[0].benchmark, &after.pair->sides[1].benchmark,
            after.pair->interleaved, ""};
  }
  const auto& measured = after.benchmarks;
  if (before == nullptr || before->benchmarks.empty() || measured.empty()) {
    return {nullptr, nullptr, false, "there are no benchmarks of both sides"};
  }
  if (before->benchmarks.size() > 1 || measured.size() > 1) {
    return {nullptr, nullptr, false, "a side has several benchmarks"};
  }
  return {&before->benchmarks.front(), &measured.front(), false, ""};
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

std::optional<Words> arguments_of(const LockedSide& locked) {
  if (locked.kernel == nullptr) return std::nullopt;
  const Profile& profile = locked.evidence->profiles[locked.kernel->source];
  const std::size_t process = locked.launch()->process;
  if (process >= profile.processes.size()) return std::nullopt;
  const Session& session = profile.processes[process].session;
  if (session.executable.empty()) return std::nullopt;
  auto words = split_words(session.arguments);
  return words ? std::move(*words) : Words{session.arguments};
}

}  // namespace

void publish_decision(Sides<EvidenceOfSide>& sides, const DecideOptions& options) {
  Facts& facts = sides.after().facts;
  const MeasuredPair pair = measured_pair(sides.before(), sides.after());
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

void publish_arguments(Sides<LockedSide>& sides) {
  const LockedSide* before = sides.before();
  LockedSide& after = sides.after();
  std::vector<std::pair<std::optional<Words>, std::optional<Words>>> told;
  const MeasuredPair pair =
      measured_pair(before != nullptr ? before->evidence : nullptr, *after.evidence);
  if (pair.before != nullptr) {
    told.emplace_back(arguments_of(*pair.before), arguments_of(*pair.after));
  }
  if (before != nullptr) told.emplace_back(arguments_of(*before), arguments_of(after));
  bool known = false;
  bool same = true;
  for (const auto& [a, b] : told) {
    if (!a || !b) continue;
    known = true;
    same = same && *a == *b;
  }
  if (known) {
    after.facts.add({"change.arguments", "", std::string(same ? "same" : "different"), {}});
  } else {
    after.facts.add_absent(
        {"change.arguments", "no evidence tells the arguments of both sides", {}});
  }
}

}  // namespace proofline
