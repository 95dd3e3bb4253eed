// SPDX-License-Identifier: Apache-2.0
//
// Factors, and the few sentences that say what they mean.
#include "diagnosis/comparison/explain_duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/launch/launch_facts.h"
#include "base/quantity.h"
#include "base/text.h"

namespace proofline {
namespace {

// Below this two durations are the same, and there is nothing to explain.
constexpr double kSameDuration = 0.01;
// A factor that moved less is called the same.
constexpr double kSameFactor = 0.02;
// DRAM bytes explain a duration only where DRAM holds the kernel up.
constexpr double kNearPeak = 0.6;
// Of the cycles between two instructions of a warp; a smaller change is not worth a word.
constexpr double kLeastStallChange = 0.05;
constexpr std::size_t kMostStallsNamed = 3;
// Warps in flight are named beside the stalls when they changed by more.
constexpr double kWarpsChanged = 0.1;

struct BothSides {
  double a;
  double b;
};

// The first of several metrics or facts that both sides have as a positive number.
std::optional<BothSides> read(const Facts& a, const Facts& b,
                              std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto in_a = a.number(name);
    const auto in_b = b.number(name);
    if (in_a && in_b && *in_a > 0 && *in_b > 0) return BothSides{*in_a, *in_b};
  }
  return std::nullopt;
}

std::optional<BothSides> read(const Facts& a, const Facts& b, std::string_view name) {
  return read(a, b, std::span(&name, 1));
}

// What ncu calls the SM frequency today is first.
constexpr std::array<std::string_view, 4> kClockMetrics = {
    "gpc__cycles_elapsed.avg.per_second", "sm__cycles_elapsed.avg.per_second",
    "smsp__cycles_elapsed.avg.per_second", "gpc__cycles_elapsed.max.per_second"};

constexpr std::array<std::string_view, 2> kDurations = {facts::kDuration.name,
                                                        facts::kDuration.needs};
constexpr std::array<std::string_view, 2> kInstructionMetrics = {"smsp__inst_issued.avg",
                                                                 "smsp__inst_executed.avg"};
constexpr std::array<std::string_view, 2> kActiveCycles = {"smsp__cycles_active.avg",
                                                           "sm__cycles_active.avg"};

std::optional<BothSides> duration_of(const Facts& a, const Facts& b) {
  return read(a, b, kDurations);
}

DurationFactor factor(std::string_view name, std::string_view unit, const BothSides& value) {
  return {std::string(name), std::string(unit), value.a, value.b, value.b / value.a, {}};
}

// More of it makes the launch shorter.
DurationFactor divisor(std::string_view name, std::string_view unit, const BothSides& value) {
  return {std::string(name), std::string(unit), value.a, value.b, value.a / value.b, {}};
}

void add_shares(Decomposition& decomposition, const BothSides& duration) {
  const double whole = std::log(duration.b / duration.a);
  if (std::abs(whole) < std::log(1 + kSameDuration)) return;
  for (DurationFactor& factor : decomposition.factors) {
    factor.share = std::log(factor.ratio) / whole;
  }
}

std::optional<Decomposition> decompose_issue(const Facts& a, const Facts& b) {
  const auto duration = duration_of(a, b);
  const auto clock = read(a, b, kClockMetrics);
  const auto instructions = read(a, b, kInstructionMetrics);
  if (!duration || !clock || !instructions) return std::nullopt;
  constexpr double kNanosecond = 1e-9;
  const BothSides elapsed{duration->a * kNanosecond * clock->a,
                          duration->b * kNanosecond * clock->b};
  const auto active = read(a, b, kActiveCycles);
  const BothSides busy = active.value_or(elapsed);
  Decomposition result{"issue", {}};
  result.factors.push_back(factor("instructions for each scheduler", "inst", *instructions));
  result.factors.push_back(factor("cycles for each instruction", "cycle/inst",
                                  {busy.a / instructions->a, busy.b / instructions->b}));
  if (active) {
    result.factors.push_back(factor("elapsed cycles for each cycle with a warp", "",
                                    {elapsed.a / busy.a, elapsed.b / busy.b}));
  }
  result.factors.push_back(divisor("SM clock", "hz", *clock));
  add_shares(result, *duration);
  return result;
}

std::optional<Decomposition> decompose_dram(const Facts& a, const Facts& b) {
  const auto duration = duration_of(a, b);
  const auto rate = read(a, b, facts::kThroughputBytesPerSecond[Level::kDram]);
  const auto near = read(a, b, facts::kThroughputShare[Level::kDram]);
  if (!duration || !rate || !near || std::max(near->a, near->b) < kNearPeak) return std::nullopt;
  constexpr double kNanosecond = 1e-9;
  Decomposition result{"dram", {}};
  result.factors.push_back(
      factor("DRAM bytes", "byte",
             {rate->a * duration->a * kNanosecond, rate->b * duration->b * kNanosecond}));
  result.factors.push_back(divisor("DRAM rate", "byte/s", *rate));
  add_shares(result, *duration);
  return result;
}

std::vector<StallChange> compare_stalls(const Facts& a, const Facts& b) {
  const auto latency = read(a, b, facts::kWarpsLatency);
  // Counters and samples do not measure the same thing.
  if (!latency || a.text(facts::kStallSource) != b.text(facts::kStallSource)) return {};
  std::vector<StallChange> changes;
  for (const Fact& fact : a.published()) {
    const std::string_view reason = stall_reason_of(fact.name);
    // A warp issues in one cycle, always.
    if (reason.empty() || reason == to_string(Stall::kSelected)) continue;
    const auto in_a = a.number(fact.name);
    const auto in_b = b.number(fact.name);
    if (!in_a || !in_b || (*in_a == 0 && *in_b == 0)) continue;
    changes.push_back({std::string(reason), *in_a * latency->a, *in_b * latency->b});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const StallChange& x, const StallChange& y) {
    return std::abs(x.b - x.a) > std::abs(y.b - y.a);
  });
  return changes;
}

// Three digits that count, whatever the size.
std::string number_text(double value, std::string_view unit) {
  if (unit == "hz") return fmt::format("{:.2f} GHz", value / 1e9);
  if (unit == "byte/s" && value >= 1e12) return fmt::format("{:.3g} TB/s", value / 1e12);
  if (unit == "byte/s") return fmt::format("{:.3g} GB/s", value / 1e9);
  if (value >= 1e4) return fmt::format("{:.3e}", value);
  return fmt::format("{:.3g}", value);
}

std::string spread_text(const KernelComparison& comparison) {
  const LaunchSpread& a = comparison.a.spread;
  const LaunchSpread& b = comparison.b.spread;
  switch (comparison.spread) {
    case SpreadVerdict::kUnknown: return "one launch on each side, so the spread is unknown";
    case SpreadVerdict::kWithin:
      return fmt::format("within the spread of {} and {} launches", a.count, b.count);
    case SpreadVerdict::kOutside:
      return fmt::format("outside the spread of {} and {} launches", a.count, b.count);
  }
  return "";
}

std::string duration_sentence(const KernelComparison& comparison) {
  const auto& a = comparison.a.spread.median_ns;
  const auto& b = comparison.b.spread.median_ns;
  if (!a || !b) return "The duration is absent on one side, so nothing says which is faster.";
  const std::string times =
      fmt::format("{} to {} under ncu's replay", time_text(*a), time_text(*b));
  if (!comparison.ratio || *comparison.ratio <= 0) {
    return fmt::format("{}; {}.", times, spread_text(comparison));
  }
  const double change = *comparison.ratio - 1;
  if (std::abs(change) < kSameDuration) {
    return fmt::format("The same time: {}; {}.", times, spread_text(comparison));
  }
  const std::string much = change < 0 ? fmt::format("{} less time, {:.2f} times as fast",
                                                    percent(-change, 1), 1 / *comparison.ratio)
                                      : fmt::format("{} more time, {:.2f} times as long",
                                                    percent(change, 1), *comparison.ratio);
  return fmt::format("{}: {}; {}.", much, times, spread_text(comparison));
}

// Those that changed: what reads x1.00 explains nothing.
std::string ratios_text(const std::vector<DurationFactor>& factors, const DurationFactor* without) {
  constexpr double kSame = 0.005;
  std::string text;
  for (const DurationFactor& factor : factors) {
    if (&factor == without || std::abs(factor.b / factor.a - 1) < kSame) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} x{:.2f}", factor.name, factor.b / factor.a);
  }
  return text;
}

// One factor does most of it, or several work against each other.
std::string issue_sentence(const Decomposition& issue) {
  const auto main = std::max_element(
      issue.factors.begin(), issue.factors.end(),
      [](const auto& x, const auto& y) { return x.share.value_or(0) < y.share.value_or(0); });
  constexpr double kMost = 0.5;
  constexpr double kWithoutOpposition = 1.25;
  if (*main->share < kMost || *main->share > kWithoutOpposition) {
    return fmt::format("Several things changed: {}.", ratios_text(issue.factors, nullptr));
  }
  std::string text = fmt::format("{:.2f} of the change is {}, from {} to {} (x{:.2f})",
                                 *main->share, main->name, number_text(main->a, main->unit),
                                 number_text(main->b, main->unit), main->b / main->a);
  const std::string others = ratios_text(issue.factors, &*main);
  if (!others.empty()) text += "; " + others;
  return text + ".";
}

std::string amount(double ratio, std::string_view more, std::string_view less) {
  return fmt::format("{} {}", percent(std::abs(ratio - 1)), ratio > 1 ? more : less);
}

std::string dram_sentence(const Decomposition& dram) {
  const DurationFactor& bytes = dram.factors[0];
  const DurationFactor& rate = dram.factors[1];
  const double more_bytes = bytes.b / bytes.a;
  const double more_rate = rate.b / rate.a;
  const std::string moved = std::abs(more_bytes - 1) < kSameFactor
                                ? "The same DRAM bytes"
                                : amount(more_bytes, "more DRAM bytes", "fewer DRAM bytes");
  std::string speed = "at the same rate";
  if (std::abs(more_rate - 1) >= kSameFactor) {
    speed = more_rate < 2 ? "at a rate " + amount(more_rate, "higher", "lower")
                          : fmt::format("at {:.1f} times the rate", more_rate);
  }
  return fmt::format("{} {} ({} to {}): the bytes explain {:.2f} of the change, the rate {:.2f}.",
                     moved, speed, number_text(rate.a, rate.unit), number_text(rate.b, rate.unit),
                     *bytes.share, *rate.share);
}

std::string stall_sentence(const std::vector<StallChange>& stalls, const Facts& a, const Facts& b) {
  const auto latency = read(a, b, facts::kWarpsLatency);
  if (!latency) return "";
  std::string reasons;
  std::size_t named = 0;
  for (const StallChange& stall : stalls) {
    const double change = std::abs(stall.b - stall.a);
    if (named == kMostStallsNamed || change < kLeastStallChange * std::max(latency->a, latency->b))
      break;
    reasons += fmt::format("{}{} {} to {}", named == 0 ? "" : ", ", stall.reason,
                           number_text(stall.a, ""), number_text(stall.b, ""));
    ++named;
  }
  if (named == 0) return "";
  std::string text = fmt::format("A warp takes {} cycles for an instruction, was {}: {}",
                                 number_text(latency->b, ""), number_text(latency->a, ""), reasons);
  const auto warps = read(a, b, facts::kWarpsActive);
  if (warps && std::abs(warps->b / warps->a - 1) > kWarpsChanged) {
    text += fmt::format("; warps on a scheduler {} to {}", number_text(warps->a, ""),
                        number_text(warps->b, ""));
  }
  return text + ".";
}

}  // namespace

std::optional<double> sm_clock(const Facts& facts) {
  for (const std::string_view name : kClockMetrics) {
    if (const auto value = facts.number(name); value && *value > 0) return value;
  }
  return std::nullopt;
}

Explanation explain_duration(const KernelComparison& comparison, const Facts& a, const Facts& b) {
  Explanation result;
  result.stalls = compare_stalls(a, b);
  result.sentences.push_back(duration_sentence(comparison));
  const auto issue = decompose_issue(a, b);
  const auto dram = decompose_dram(a, b);
  if (issue) result.decompositions.push_back(*issue);
  if (dram) result.decompositions.push_back(*dram);
  // Within the spread there is a difference to see but none to explain.
  const bool changed = comparison.ratio && std::abs(*comparison.ratio - 1) >= kSameDuration &&
                       comparison.spread != SpreadVerdict::kWithin;
  if (!changed) return result;
  if (dram && dram->factors[0].share) result.sentences.push_back(dram_sentence(*dram));
  if (issue && issue->factors[0].share) result.sentences.push_back(issue_sentence(*issue));
  if (std::string text = stall_sentence(result.stalls, a, b); !text.empty()) {
    result.sentences.push_back(std::move(text));
  }
  return result;
}

}  // namespace proofline
