// SPDX-License-Identifier: Apache-2.0
//
// What the code takes now is what an attempt measured before its change, or after it where the
// change was kept. Each such time is held against the one at the last change point, not against its
// neighbour, so that a loss in small steps is found as well.
#include "store/entries/regressions.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "store/entries/entry_codec.h"

namespace proofline {
namespace {

// By which equal programs may differ that were measured at other times, as in decisions; and where
// there were too few starts for an interval.
constexpr double kAtOtherTimes = 0.03;
constexpr double kWithoutInterval = 0.10;
constexpr std::size_t kShownCommit = 7;

// What must be the same for times to compare.
using HistoryKey = std::tuple<std::string, std::string, std::string, double>;

struct HistoryPoint {
  double ns = 0;
  double low = 0;
  double high = 0;
  const Attempt* attempt = nullptr;
};

struct History {
  HistoryPoint reference;  // the first since the last change point
  HistoryPoint last;
};

std::optional<HistoryPoint> point_of(const RecordedMeasurement& one, const Attempt& attempt) {
  if (!one.median_ns || !(*one.median_ns > 0)) return std::nullopt;
  const double ns = *one.median_ns;
  const bool bounded = one.low_ns && one.high_ns && *one.low_ns > 0;
  return HistoryPoint{ns, bounded ? *one.low_ns : ns / (1 + kWithoutInterval),
                      bounded ? *one.high_ns : ns * (1 + kWithoutInterval), &attempt};
}

std::string commits_between(const Attempt& first, const Attempt& second) {
  if (first.commit.empty() || second.commit.empty() || first.commit == second.commit) return "";
  return fmt::format("{}..{}", first.commit.substr(0, kShownCommit),
                     second.commit.substr(0, kShownCommit));
}

class RegressionFinder {
 public:
  void add(const Attempt& attempt) {
    const bool kept = attempt.state == AttemptState::kKept;
    for (const JournalEntry& entry : attempt.entries) {
      if (const auto measured = decode_entry_as<BenchmarkEntry>(entry)) measure(*measured, attempt);
      const auto decided = decode_entry_as<DecisionEntry>(entry);
      if (decided && kept) blame(*decided, attempt);
    }
  }

  std::vector<HistoryChange> take() { return std::move(changes_); }

 private:
  static HistoryKey key_of(const RecordedSide& side, const std::string& configuration) {
    return {configuration, side.gpu, side.driver, side.locked_sm_mhz.value_or(0)};
  }

  void measure(const BenchmarkEntry& measured, const Attempt& attempt) {
    if (measured.sides.empty()) return;
    // One side alone is the changed program, measured against a baseline.
    if (measured.sides.size() > 1) look_at(measured.sides.front(), attempt);
    if (attempt.state == AttemptState::kKept) start_anew(measured.sides.back(), attempt);
  }

  // The code as it was before the attempt's change.
  void look_at(const RecordedSide& side, const Attempt& attempt) {
    for (const RecordedMeasurement& one : side.measurements) {
      const auto now = point_of(one, attempt);
      if (!now) continue;
      const auto [found, is_new] =
          histories_.try_emplace(key_of(side, one.configuration), History{*now, *now});
      if (is_new) continue;
      History& history = found->second;
      const HistoryPoint& then = history.reference;
      const double low = now->low / then.high / (1 + kAtOtherTimes);
      const double high = now->high / then.low * (1 + kAtOtherTimes);
      if (low > 1) {
        const Attempt& before = *history.last.attempt;
        changes_.push_back({one.configuration, now->ns / then.ns, low, high, attempt.opened, "",
                            before.id, attempt.id, before.hypothesis,
                            commits_between(before, attempt)});
      }
      // Faster is a new reference too, or what is lost of it later would go unseen.
      if (low > 1 || high < 1) history.reference = *now;
      history.last = *now;
    }
  }

  // What a kept change takes is what the code takes from now on.
  void start_anew(const RecordedSide& side, const Attempt& attempt) {
    for (const RecordedMeasurement& one : side.measurements) {
      const auto now = point_of(one, attempt);
      if (now) histories_[key_of(side, one.configuration)] = {*now, *now};
    }
  }

  // What was kept though it made something slower.
  void blame(const DecisionEntry& decided, const Attempt& attempt) {
    for (const RecordedChange& one : decided.configurations) {
      if (one.change != "slower" || !one.time || !one.time->ratio) continue;
      const double ratio = *one.time->ratio;
      changes_.push_back({one.configuration, ratio, one.time->low.value_or(ratio),
                          one.time->high.value_or(ratio), attempt.opened, attempt.id, "", "",
                          attempt.hypothesis, ""});
    }
  }

  std::map<HistoryKey, History> histories_;
  std::vector<HistoryChange> changes_;
};

}  // namespace

std::vector<HistoryChange> regressions_of(const std::vector<Attempt>& attempts) {
  RegressionFinder finder;
  for (const Attempt& attempt : attempts) finder.add(attempt);
  return finder.take();
}

}  // namespace proofline
