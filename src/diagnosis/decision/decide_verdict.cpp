// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace proofline {
namespace {

using Configurations = std::vector<const ComparedConfiguration*>;

double ratio_of(const ComparedConfiguration* one) { return one->shown.time.ratio; }

class Judge {
 public:
  Judge(std::span<const ComparedConfiguration> configurations, const DecideOptions& options,
        const PlaceNames& places, Decision& decision)
      : all_(configurations.size()), options_(options), places_(places), decision_(decision) {
    for (const ComparedConfiguration& one : configurations) sort_in(one);
    std::stable_sort(faster_.begin(), faster_.end(),
                     [](auto* x, auto* y) { return ratio_of(x) < ratio_of(y); });
    std::stable_sort(slower_.begin(), slower_.end(),
                     [](auto* x, auto* y) { return ratio_of(x) > ratio_of(y); });
  }

  void judge() {
    if (!slower_.empty()) return revert_slower();
    if (!clock_.empty()) return clock_changed();
    if (!unclear_.empty()) return unclear();
    if (!obstructed_.empty()) return cannot_compare();
    if (!faster_.empty()) return keep_faster();
    same();
  }

 private:
  void sort_in(const ComparedConfiguration& one) {
    if (one.obstacle != Obstacle::kNone) return obstructed_.push_back(&one);
    if (one.clock_changed) return clock_.push_back(&one);
    switch (one.kind) {
      case ChangeKind::kFaster: return faster_.push_back(&one);
      case ChangeKind::kSlower: return slower_.push_back(&one);
      case ChangeKind::kSame: return same_.push_back(&one);
      case ChangeKind::kUnclear: return unclear_.push_back(&one);
    }
  }

  void give(DecisionVerdict verdict, std::string reason) {
    decision_.verdict = verdict;
    decision_.reason = std::move(reason);
  }

  void next(std::string step) { decision_.next.push_back(std::move(step)); }

  // " at n=8192", or "" where there is only one configuration and it has no name.
  std::string at(const ComparedConfiguration& one) const {
    const std::string place = places_(one.shown);
    return place.empty() ? "" : " " + place;
  }

  std::string at_all(const Configurations& some) const {
    std::vector<std::string> places;
    for (const ComparedConfiguration* one : some) {
      if (std::string place = places_(one->shown); !place.empty()) {
        places.push_back(std::move(place));
      }
    }
    return places.empty() ? "" : " " + few_of(places);
  }

  std::string speed_of(const ComparedConfiguration& one) const {
    return speed_text(one.shown.time) + at(one);
  }

  // What is to be said of those that do not decide.
  std::string also(const Configurations& some, std::string_view what) const {
    if (some.empty()) return "";
    return fmt::format("; {} in {} of {}", what, some.size(), plural(all_, "configuration"));
  }

  void revert_slower() {
    std::string reason = speed_of(*slower_.front());
    if (slower_.size() > 1) {
      reason += fmt::format(", and slower in {} more of {}", slower_.size() - 1,
                            plural(all_, "configuration"));
    }
    if (!faster_.empty()) reason += "; " + speed_of(*faster_.front());
    give(DecisionVerdict::kRevert, std::move(reason));
    next(faster_.empty()
             ? "revert it, and note why it failed"
             : "revert it, or keep it for those alone where it is faster:" + at_all(faster_));
  }

  void clock_changed() {
    const ComparedConfiguration& one = *clock_.front();
    const bool only_clock = one.cycles_kind == ChangeKind::kSame;
    give(DecisionVerdict::kInconclusive,
         fmt::format("{}: {} in time, but {} in cycles, with the SM clock at {:.0f} MHz in A and "
                     "{:.0f} MHz in B",
                     only_clock ? "the clock changed, not the code"
                                : "the clock changed, and may hide or feign it",
                     speed_of(one), range_text(one.shown.cycles.value()), *one.a_mhz, *one.b_mhz));
    next(
        "lock the clocks (nvidia-smi --lock-gpu-clocks=MHZ), or measure the sides in turn: "
        "proofline bench --a CMD --b CMD");
  }

  void unclear() {
    const auto wants_most = [](auto* x, auto* y) {
      return x->shown.pairs_needed.value_or(0) < y->shown.pairs_needed.value_or(0);
    };
    const ComparedConfiguration& one =
        **std::max_element(unclear_.begin(), unclear_.end(), wants_most);
    std::string reason =
        fmt::format("cannot tell{}: B takes {}", at(one), range_text(one.shown.time));
    if (unclear_.size() > 1) {
      reason +=
          fmt::format("; {} of {} are unclear", unclear_.size(), plural(all_, "configuration"));
    }
    reason +=
        also(obstructed_, "not comparable") + also(faster_, "faster") + also(same_, "the same");
    give(DecisionVerdict::kInconclusive, std::move(reason));
    if (!one.by_run) {
      next(
          fmt::format("start both programs at least ten times (proofline bench --a CMD --b CMD): "
                      "samples of one start do not show what differs from start to start, and a "
                      "change below {} may be that",
                      percent(kBetweenStarts)));
    } else if (one.shown.pairs_needed) {
      next(needed(one, *one.shown.pairs_needed));
    } else {
      next(
          fmt::format("no number of samples would settle it: the change lies at the threshold of "
                      "{}; set --threshold to what matters to you",
                      share_text(options_.threshold)));
    }
    if (!obstructed_.empty()) next(how_to_get_samples());
  }

  std::string needed(const ComparedConfiguration& one, std::size_t pairs) const {
    return fmt::format("about {} runs of each side would settle it; there are {}", pairs,
                       one.shown.pairs);
  }

  void cannot_compare() {
    const ComparedConfiguration& one = *obstructed_.front();
    std::string why;
    switch (one.obstacle) {
      case Obstacle::kNone:
      case Obstacle::kSummaryOnly: why = "a side holds a summary and no samples"; break;
      case Obstacle::kTooFew:
        why = fmt::format("{} in A, {} in B, and each needs at least 3",
                          plural(one.a_samples, "sample"), plural(one.b_samples, "sample"));
        break;
      case Obstacle::kThrottled:
        why = fmt::format("the GPU was held back in {}, and too few are left",
                          plural(one.shown.throttled, "sample"));
        break;
    }
    std::string reason = fmt::format("cannot compare{}: {}", at(one), why);
    if (obstructed_.size() > 1) {
      reason +=
          fmt::format("; so it is in {} of {}", obstructed_.size(), plural(all_, "configuration"));
    }
    give(DecisionVerdict::kInconclusive,
         std::move(reason) + also(faster_, "faster") + also(same_, "the same"));
    next(how_to_get_samples());
  }

  std::string how_to_get_samples() const {
    switch (obstructed_.front()->obstacle) {
      case Obstacle::kNone:
      case Obstacle::kSummaryOnly:
        return "keep the samples: nvbench --jsonbin FILE, Google Benchmark "
               "--benchmark_repetitions=20 without aggregates only";
      case Obstacle::kTooFew: return "measure again with more samples or more runs";
      case Obstacle::kThrottled:
        return "lower the locked clock or let the GPU cool, then measure again";
    }
    return "";
  }

  bool is_clear(const RatioEstimate& ratio) const { return 1 - ratio.high >= options_.clear_gain; }

  bool clear_gain() const {
    if (decision_.overall && is_clear(*decision_.overall)) return true;
    return faster_.size() == all_ && std::all_of(faster_.begin(), faster_.end(), [&](auto* one) {
             return is_clear(one->shown.time);
           });
  }

  void keep_faster() {
    const bool clear = clear_gain();
    std::string reason = speed_of(*faster_.front());
    if (all_ > 1) {
      reason += fmt::format(", faster in {} of {}", faster_.size(), plural(all_, "configuration"));
      if (decision_.overall) reason += ", overall " + speed_text(*decision_.overall);
      if (!same_.empty()) reason += "; the same" + at_all(same_);
      reason += "; no configuration is slower";
    } else {
      reason += clear ? "; a clear gain" : "; a small gain";
    }
    give(DecisionVerdict::kKeep, std::move(reason));
    if (!clear) {
      next(fmt::format("a gain below {}: keep it where it helps{}, if it costs no clarity",
                       share_text(options_.clear_gain), all_ > 1 ? ":" + at_all(faster_) : ""));
    }
  }

  void same() {
    const std::string within =
        fmt::format("any change is below {}{}", share_text(options_.threshold),
                    all_ > 1 ? fmt::format(" in all {} configurations", all_) : "");
    if (options_.keep_same) {
      return give(DecisionVerdict::kKeep, "it costs nothing: " + within);
    }
    give(DecisionVerdict::kRevert, "no gain worth keeping: " + within);
    next("revert it; a clean-up that only must not cost anything is judged by --keep-same");
  }

  std::size_t all_;
  const DecideOptions& options_;
  const PlaceNames& places_;
  Decision& decision_;
  Configurations faster_;  // most first
  Configurations slower_;  // most first
  Configurations same_;
  Configurations unclear_;
  Configurations clock_;
  Configurations obstructed_;
};

}  // namespace

void judge_configurations(std::span<const ComparedConfiguration> configurations,
                          const DecideOptions& options, const PlaceNames& places,
                          Decision& decision) {
  Judge(configurations, options, places, decision).judge();
}

}  // namespace proofline
