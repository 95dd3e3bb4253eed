// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/decide_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"

namespace proofline {
namespace {

using Configurations = std::vector<const ComparedConfiguration*>;

double ratio_of(const ComparedConfiguration* one) { return one->shown.time.ratio; }

// One configuration's place on the axis by which all of them differ.
struct AxisPlace {
  double value = 0;
  std::string text;
  bool faster = false;
};

// The name of the only axis whose values are not the same everywhere; "" where there is none.
std::string only_axis(const Configurations& all) {
  const DecidedConfiguration& first = all.front()->shown;
  std::set<std::string> differing;
  for (const ComparedConfiguration* one : all) {
    const std::vector<Axis>& axes = one->shown.axes;
    if (one->shown.benchmark != first.benchmark || axes.size() != first.axes.size()) return "";
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i].name != first.axes[i].name) return "";
      if (axes[i].value != first.axes[i].value) differing.insert(axes[i].name);
    }
  }
  return differing.size() == 1 ? *differing.begin() : "";
}

// "; it pays for n <= 1024 only: the crossover is between n=1024 and n=2048", where the winner
// changes once along an axis of numbers.
std::string crossover_text(const Configurations& faster, const Configurations& slower) {
  if (faster.empty() || slower.empty()) return "";
  Configurations all = faster;
  all.insert(all.end(), slower.begin(), slower.end());
  const std::string axis = only_axis(all);
  std::vector<AxisPlace> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Axis>& axes = all[i]->shown.axes;
    const auto found =
        std::find_if(axes.begin(), axes.end(), [&](const Axis& one) { return one.name == axis; });
    if (axis.empty() || found == axes.end()) return "";
    AxisPlace place{0, found->value, i < faster.size()};
    const char* end = place.text.data() + place.text.size();
    const auto parsed = std::from_chars(place.text.data(), end, place.value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return "";
    places.push_back(std::move(place));
  }
  std::sort(places.begin(), places.end(),
            [](const AxisPlace& x, const AxisPlace& y) { return x.value < y.value; });
  std::string text;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].faster == places[i - 1].faster) continue;
    if (!text.empty()) return "";
    const std::string name = inert(axis);
    const bool below = places[i - 1].faster;
    text = fmt::format("; it pays for {} {} {} only: the crossover lies between {}={} and {}={}",
                       name, below ? "<=" : ">=", places[below ? i - 1 : i].text, name,
                       places[i - 1].text, name, places[i].text);
  }
  return text;
}

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
    pass_over_the_small();
    if (!slower_.empty()) {
      revert_slower();
    } else if (!clock_.empty()) {
      clock_changed();
    } else if (!contradicted_.empty()) {
      contradicted();
    } else if (!unclear_.empty()) {
      unclear();
    } else if (!obstructed_.empty()) {
      cannot_compare();
    } else if (!faster_.empty()) {
      keep_faster();
    } else {
      no_difference();
    }
    label();
  }

 private:
  void sort_in(const ComparedConfiguration& one) {
    if (one.obstacle != Obstacle::kNone) return obstructed_.push_back(&one);
    total_ += time_of(one);
    summaries_ = summaries_ || one.of_summaries;
    at_power_limit_ = at_power_limit_ || has_flag(one, "at-the-power-limit");
    if (one.clock_changed) return clock_.push_back(&one);
    if (one.contradiction != Contradiction::kNone) return contradicted_.push_back(&one);
    if (options_.keep_same && one.kind == ChangeKind::kUnclear && one.not_slower) {
      return same_.push_back(&one);
    }
    switch (one.kind) {
      case ChangeKind::kFaster: return faster_.push_back(&one);
      case ChangeKind::kSlower: return slower_.push_back(&one);
      case ChangeKind::kSame: return same_.push_back(&one);
      case ChangeKind::kUnclear: return unclear_.push_back(&one);
    }
  }

  static bool has_flag(const ComparedConfiguration& one, std::string_view flag) {
    const std::vector<std::string>& flags = one.shown.flags;
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  }

  static double time_of(const ComparedConfiguration& one) {
    return one.shown.weight * one.shown.a_ns;
  }

  // What it may cost at most, in time.
  static double worst_loss(const ComparedConfiguration* one) {
    return time_of(*one) * (one->shown.time.high - 1);
  }

  // Where all together are faster, what is slower or unclear in some matters only if it costs more
  // than the threshold of the whole time. The smallest are passed over first.
  void pass_over_the_small() {
    if (!decision_.overall || !(decision_.overall->high < 1 / (1 + options_.threshold))) return;
    if (faster_.empty()) return;
    Configurations doubtful = slower_;
    doubtful.insert(doubtful.end(), unclear_.begin(), unclear_.end());
    std::stable_sort(doubtful.begin(), doubtful.end(),
                     [](auto* x, auto* y) { return worst_loss(x) < worst_loss(y); });
    double loss = 0;
    for (const ComparedConfiguration* one : doubtful) {
      loss += std::max(0.0, worst_loss(one));
      if (!(loss <= options_.threshold * total_)) return;
      small_.push_back(one);
      const auto is_this = [one](auto* other) { return other == one; };
      std::erase_if(slower_, is_this);
      std::erase_if(unclear_, is_this);
    }
  }

  // What a reader of the verdict must know of the measurements.
  void label() {
    const bool decided = decision_.verdict != DecisionVerdict::kInconclusive;
    if (decided && at_power_limit_) decision_.reason += "; at the power limit";
    if (decided && summaries_) {
      decision_.reason +=
          fmt::format("; from summaries without samples, which decide only changes beyond {}",
                      percent(kBetweenStarts));
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
    reason += crossover_text(faster_, slower_);
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
        "lock the clocks (nvidia-smi --lock-gpu-clocks=MHZ), or measure the sides alternately: "
        "proofline bench --a CMD --b CMD");
  }

  void contradicted() {
    const ComparedConfiguration& one = *contradicted_.front();
    const DecidedConfiguration& shown = one.shown;
    std::string but;
    switch (one.contradiction) {
      case Contradiction::kNone: break;
      case Contradiction::kThrottling:
        but = fmt::format("the GPU was held back in {} of A's samples and {} of B's",
                          percent(shown.a_throttled), percent(shown.b_throttled));
        next(
            "lower the locked clock (nvidia-smi --lock-gpu-clocks=MHZ) until neither side is held "
            "back, then measure again");
        break;
      case Contradiction::kMean:
        but = fmt::format("B's mean is {:.2f} times A's", shown.mean_ratio.value_or(1));
        break;
      case Contradiction::kUpper:
        but = fmt::format(
            "one in ten of B's runs or more are slower than all of A's (nine in ten stay below "
            "{:.2f} times what A's do)",
            shown.upper_ratio.value_or(1));
        break;
    }
    std::string reason = fmt::format("the median is {}, but {}", speed_of(one), but);
    if (contradicted_.size() > 1) {
      reason += fmt::format("; so it is in {} of {}", contradicted_.size(),
                            plural(all_, "configuration"));
    }
    give(DecisionVerdict::kInconclusive, std::move(reason));
    if (one.contradiction != Contradiction::kThrottling) {
      next("find out what makes some of B slow: 'proofline plot' shows the samples");
    }
  }

  void unclear() {
    const auto wants_most = [](auto* x, auto* y) {
      return x->shown.pairs_needed.value_or(0) < y->shown.pairs_needed.value_or(0);
    };
    const ComparedConfiguration& one =
        **std::max_element(unclear_.begin(), unclear_.end(), wants_most);
    const RatioEstimate& time = one.shown.time;
    std::string reason = fmt::format("cannot tell{}", at(one));
    if (time.low <= 0 || !std::isfinite(time.high)) {
      reason +=
          fmt::format(": too few runs to bound B's time ({})", plural(one.shown.pairs, "pair"));
    } else {
      // All of the interval may be on one side, and only a part of it be worth a word.
      if (time.high < 1 || time.low > 1) {
        reason += fmt::format(" whether B is {} by {} or more", time.high < 1 ? "faster" : "slower",
                              share_text(options_.threshold));
      }
      reason += fmt::format(": B takes {}", range_text(time));
    }
    if (unclear_.size() > 1) {
      reason +=
          fmt::format("; {} of {} are unclear", unclear_.size(), plural(all_, "configuration"));
    }
    reason +=
        also(obstructed_, "not comparable") + also(faster_, "faster") + also(same_, "the same");
    give(DecisionVerdict::kInconclusive, std::move(reason));
    if (one.of_summaries) {
      next(how_to_keep_samples());
    } else if (!one.by_run) {
      next(
          fmt::format("run both programs at least ten times (proofline bench --a CMD --b CMD): "
                      "samples of one run do not show what differs from run to run, and a "
                      "change below {} may be that",
                      percent(kBetweenStarts)));
    } else if (!one.shown.interleaved) {
      next(
          fmt::format("measure the sides alternately (proofline bench --a CMD --b CMD): measured "
                      "apart, equal programs may differ by {}",
                      percent(kBetweenMeasurements)));
    } else if (one.shown.pairs_needed) {
      next(needed(one, *one.shown.pairs_needed));
      suggest_threshold();
    } else {
      next(
          fmt::format("no number of samples would settle it: the change lies at the threshold of "
                      "{}; set {} to what matters to you",
                      share_text(options_.threshold), option("threshold")));
    }
    if (!obstructed_.empty()) next(how_to_get_samples());
  }

  // Where no change is seen, the threshold above which there certainly is none.
  void suggest_threshold() {
    double threshold = 0;
    for (const ComparedConfiguration* one : unclear_) {
      const RatioEstimate& time = one->shown.time;
      if (time.high < 1 || time.low > 1) return;
      threshold = std::max({threshold, time.high - 1, 1 / time.low - 1});
    }
    constexpr double kStep = 0.001;
    threshold = std::ceil(threshold / kStep) * kStep;
    if (faster_.empty() && threshold <= options_.clear_gain) {
      next(fmt::format("there is no difference above {}: {} {:.1f}% would say so",
                       share_text(threshold), option("threshold"), 100 * threshold));
    }
  }

  std::string needed(const ComparedConfiguration& one, std::size_t pairs) const {
    return fmt::format("about {} runs of each side would settle it; there are {}",
                       group_digits(pairs), group_digits(one.shown.pairs));
  }

  void cannot_compare() {
    const ComparedConfiguration& one = *obstructed_.front();
    std::string why;
    switch (one.obstacle) {
      case Obstacle::kNone:
      case Obstacle::kTooFew:
        why = fmt::format("{} in A, {} in B, and each needs at least 3",
                          plural(one.a_samples, "sample"), plural(one.b_samples, "sample"));
        break;
      case Obstacle::kTooFewStarts:
        why =
            fmt::format("{} of each side, and the next one may differ", plural(one.starts, "run"));
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
    return obstructed_.front()->obstacle == Obstacle::kTooFewStarts
               ? "run both programs at least ten times (proofline bench --a CMD --b CMD)"
               : "measure again with more samples or more runs";
  }

  static std::string how_to_keep_samples() {
    return "keep the samples: nvbench --jsonbin FILE, Google Benchmark --benchmark_repetitions=20 "
           "without aggregates only";
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
      reason += small_.empty() ? "; no configuration is slower" : passed_over();
    } else {
      reason += clear ? "; a clear gain" : "; a small gain";
    }
    give(DecisionVerdict::kKeep, std::move(reason));
    if (!clear) {
      next(fmt::format("a gain below {}: keep it where it helps{}, if it costs no clarity",
                       share_text(options_.clear_gain), all_ > 1 ? ":" + at_all(faster_) : ""));
    }
  }

  // "; what is lost at n=64 is below 0.5 % of the time"
  std::string passed_over() const {
    return fmt::format("; what may be lost{} is below {} of the time of all", at_all(small_),
                       share_text(options_.threshold));
  }

  void no_difference() {
    if (same_.empty()) return give(DecisionVerdict::kInconclusive, "nothing was compared");
    const std::string where =
        all_ > 1 ? fmt::format(" in all {} configurations", all_) : std::string();
    const auto widest = std::max_element(same_.begin(), same_.end(), [](auto* x, auto* y) {
      return x->shown.time.high / x->shown.time.low < y->shown.time.high / y->shown.time.low;
    });
    if ((*widest)->kind == ChangeKind::kUnclear) {
      give(DecisionVerdict::kNoDifference,
           fmt::format("B is slower by at most {}{}: it takes {}{}", share_text(options_.threshold),
                       where, range_text((*widest)->shown.time), at(**widest)));
      return;
    }
    give(DecisionVerdict::kNoDifference,
         fmt::format("any change is below {}{}", share_text(options_.threshold), where));
    if (!options_.keep_same) {
      next(fmt::format("keep it only for other reasons than speed; {} lets a gate pass it",
                       option("keep-same")));
    }
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
  Configurations contradicted_;
  Configurations obstructed_;
  Configurations small_;  // slower or unclear, of no weight
  double total_ = 0;      // A's time, of all configurations
  bool at_power_limit_ = false;
  bool summaries_ = false;
};

}  // namespace

void judge_configurations(std::span<const ComparedConfiguration> configurations,
                          const DecideOptions& options, const PlaceNames& places,
                          Decision& decision) {
  Judge(configurations, options, places, decision).judge();
}

}  // namespace proofline
