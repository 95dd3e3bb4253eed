// SPDX-License-Identifier: Apache-2.0
//
// See decision_cells.h.
#include "support/decision_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "diagnosis/decision/decide.h"
#include "diagnosis/decision/outlook.h"
#include "tools/starts/interleaved_runs.h"

namespace proofline {
namespace {

constexpr double kCellNs = 100'000;
constexpr auto kKeep = DecisionVerdict::kKeep;
constexpr auto kRevert = DecisionVerdict::kRevert;
constexpr auto kNoDifference = DecisionVerdict::kNoDifference;

struct Shape {
  std::size_t starts = 20;
  std::size_t samples = 1;  // of a start
  double between = 0.01;    // spread from start to start
  double within = 0.005;    // from sample to sample
  double ns = kCellNs;
};

double cell_jitter(double spread, NoiseSource& source) {
  return std::exp(spread * source.normal());
}

Measurement simulate(const Shape& shape, NoiseSource& source) {
  Measurement result;
  result.benchmark = "simulated";
  result.correctness.state = CheckState::kPassed;
  for (std::size_t start = 0; start < shape.starts; ++start) {
    const double of_start = shape.ns * cell_jitter(shape.between, source);
    for (std::size_t i = 0; i < shape.samples; ++i) {
      Sample sample;
      sample.ns = of_start * (shape.samples > 1 ? cell_jitter(shape.within, source) : 1);
      sample.run = static_cast<std::uint32_t>(start);
      result.samples.push_back(sample);
    }
  }
  return result;
}

Benchmark benchmark_of(std::vector<Measurement> measurements) {
  Benchmark result;
  result.measurements = std::move(measurements);
  return result;
}

Decision decided(Measurement a, Measurement b, bool interleaved = true,
                 const DecideOptions& options = {}) {
  return decide(benchmark_of({std::move(a)}), benchmark_of({std::move(b)}), interleaved, options,
                {});
}

Shape scaled(Shape shape, double ratio) {
  shape.ns *= ratio;
  return shape;
}

// B is held back in nine samples of ten, and slower by a quarter there.
Decision one_side_throttled(NoiseSource& source) {
  const Shape shape{20, 20};
  Measurement a = simulate(shape, source);
  Measurement b = simulate(scaled(shape, 0.95), source);
  for (Sample& sample : b.samples) {
    if (!source.chance(0.9)) continue;
    sample.throttled = true;
    sample.ns *= 1.25 / 0.95;
  }
  return decided(std::move(a), std::move(b));
}

Decision both_at_the_power_limit(NoiseSource& source) {
  const Shape shape{20, 20};
  Measurement a = simulate(shape, source);
  Measurement b = simulate(scaled(shape, 1 / 1.43), source);
  for (Measurement* side : {&a, &b}) {
    for (Sample& sample : side->samples) sample.throttled = true;
  }
  return decided(std::move(a), std::move(b));
}

Decision slow_samples(NoiseSource& source) {
  const Shape shape{20, 200};
  Measurement a = simulate(shape, source);
  Measurement b = simulate(scaled(shape, 0.98), source);
  for (Sample& sample : b.samples) {
    if (source.chance(0.45)) sample.ns *= 3;
  }
  return decided(std::move(a), std::move(b));
}

Decision slow_starts(double share, std::size_t starts, NoiseSource& source) {
  const Shape shape{starts};
  Measurement a = simulate(shape, source);
  Measurement b = simulate(scaled(shape, 0.9), source);
  for (Sample& sample : b.samples) {
    if (source.chance(share)) sample.ns *= 2 / 0.9;
  }
  return decided(std::move(a), std::move(b));
}

Decision change_of(double ratio, const Shape& shape, NoiseSource& source,
                   const DecideOptions& options = {}) {
  Measurement a = simulate(shape, source);
  Measurement b = simulate(scaled(shape, ratio), source);
  return decided(std::move(a), std::move(b), true, options);
}

// One start in four is disturbed, always the same one.
Decision every_fourth_start(std::size_t disturbed, NoiseSource& source) {
  const std::size_t rounds = 40;
  Measurement sides[2] = {simulate({rounds}, source), simulate({rounds}, source)};
  std::size_t position = 0;
  const auto seed = static_cast<std::uint32_t>(source.bits());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const std::size_t side : round_order(2, round, seed)) {
      if (position++ % 4 == disturbed) sides[side].samples[round].ns *= 1.05;
    }
  }
  return decided(std::move(sides[0]), std::move(sides[1]));
}

Decision measured_apart(NoiseSource& source) {
  const double shift = source.chance(0.5) ? 1.01 : 1 / 1.01;
  Measurement a = simulate({20}, source);
  Measurement b = simulate(scaled({20}, shift), source);
  return decided(std::move(a), std::move(b), false);
}

Decision large_and_small(NoiseSource& source) {
  const Shape quiet{20, 1, 0.002};
  std::vector<Measurement> a;
  std::vector<Measurement> b;
  for (const auto& [before, after] : {std::pair(10e6, 8e6), std::pair(2e3, 2.02e3)}) {
    a.push_back(simulate(scaled(quiet, before / kCellNs), source));
    b.push_back(simulate(scaled(quiet, after / kCellNs), source));
    a.back().axes = b.back().axes = {{"n", fmt::format("{}", before)}};
  }
  return decide(benchmark_of(std::move(a)), benchmark_of(std::move(b)), true, {}, {});
}

Decision clocks_apart(NoiseSource& source) {
  const Shape quiet{20, 1, 0.001};
  Measurement a = simulate(quiet, source);
  Measurement b = simulate(scaled(quiet, 0.9), source);
  for (Sample& sample : a.samples) sample.sm_mhz = 1965;
  for (Sample& sample : b.samples) sample.sm_mhz = 1980;
  return decided(std::move(a), std::move(b));
}

struct HeldBack {
  double mhz = 1980;
  double throttled = 0;  // share of the samples
};

// Work of so many times as many cycles, on a clock that jumps from start to start.
Decision near_the_power_limit(double cycles, HeldBack of_a, HeldBack of_b, NoiseSource& source) {
  const Shape shape{20, 20, 0.002};
  const auto side = [&](double ratio, const HeldBack& held) {
    Measurement result = simulate(scaled(shape, ratio), source);
    double mhz = 0;
    for (std::size_t i = 0; i < result.samples.size(); ++i) {
      if (i % shape.samples == 0) mhz = held.mhz * cell_jitter(0.02, source);
      Sample& sample = result.samples[i];
      sample.sm_mhz = mhz;
      sample.ns *= 1980 / mhz;
      sample.throttled = source.chance(held.throttled);
    }
    return result;
  };
  Measurement a = side(1, of_a);
  return decided(std::move(a), side(cycles, of_b));
}

// B is faster by this much; noise as tests/support/noise.h has it, the same for both sides.
Decision gain_under(Noise noise, double ratio, std::size_t starts, NoiseSource& source) {
  const SimulatedPairs pairs = simulate_pairs(noise, starts, ratio, source);
  Measurement sides[2];
  for (const std::size_t side : {0, 1}) {
    sides[side].correctness.state = CheckState::kPassed;
    const std::vector<double>& times = side == 0 ? pairs.a : pairs.b;
    for (std::size_t i = 0; i < times.size(); ++i) {
      Sample sample;
      sample.ns = times[i];
      sample.run = static_cast<std::uint32_t>(i);
      sides[side].samples.push_back(sample);
    }
  }
  return decided(std::move(sides[0]), std::move(sides[1]));
}

std::vector<DecisionCell> make_cells() {
  std::vector<DecisionCell> cells;
  const auto add = [&](std::string name, std::vector<DecisionVerdict> right, bool must_decide,
                       std::function<Decision(NoiseSource&)> draw, double most_wrong = 0.05) {
    cells.push_back({std::move(name), std::move(right), must_decide, most_wrong, std::move(draw)});
  };
  add("B throttled in 90 % of its samples, mean B/A 1.22", {kRevert}, false, one_side_throttled);
  add("both sides always at the power limit, B 1.43x faster", {kKeep}, true,
      both_at_the_power_limit);
  add("45 % of B's samples are 3x slower, mean B/A 1.86", {kRevert}, false, slow_samples);
  for (const std::size_t starts : {10, 20, 60}) {
    for (const double share : {0.2, 0.3}) {
      // What no start showed cannot be known.
      const double none_seen = std::pow(1 - share, static_cast<double>(starts));
      add(
          fmt::format("{:.0f} % of B's runs are 2x slower, {} runs", 100 * share, starts),
          {kRevert}, false, [=](NoiseSource& source) { return slow_starts(share, starts, source); },
          0.05 + none_seen);
    }
  }
  for (const std::size_t starts : {1, 2, 3, 5, 6, 10}) {
    add(fmt::format("2x faster, {} of 40 samples",
                    starts == 1 ? "1 run" : fmt::format("{} runs", starts)),
        starts < 6 ? std::vector<DecisionVerdict>{} : std::vector{kKeep}, starts >= 6,
        [=](NoiseSource& source) {
          return change_of(0.5, {starts, 40}, source);
        });
  }
  for (const std::size_t starts : {6, 20, 60}) {
    add(fmt::format("true change -0.3 %, {} runs", starts), {kNoDifference}, false,
        [=](NoiseSource& source) { return change_of(0.997, {starts}, source); });
  }
  for (const double noise : {0.002, 0.01}) {
    add(fmt::format("equal programs, noise {:.1f} %, 60 runs", 100 * noise), {kNoDifference},
        noise < 0.01, [=](NoiseSource& source) {
          return change_of(1, {60, 1, noise}, source);
        });
  }
  add("equal programs, noise 1.0 %, 60 runs, --threshold 1.5%", {kNoDifference}, true,
      [](NoiseSource& source) {
        DecideOptions options;
        options.threshold = 0.015;
        return change_of(1, {60}, source, options);
      });
  add("3 % slower, 20 runs, --keep-same", {kRevert}, false, [](NoiseSource& source) {
    DecideOptions options;
    options.keep_same = true;
    return change_of(1.03, {20}, source, options);
  });
  for (const std::size_t disturbed : {0, 1}) {
    add(fmt::format("every fourth run disturbed by 5 %, from run {}", disturbed + 1),
        {kNoDifference}, false,
        [=](NoiseSource& source) { return every_fourth_start(disturbed, source); });
  }
  add("equal programs measured apart, 1 % shift between", {}, false, measured_apart);
  add("10 -> 8 ms and 2 -> 2.02 us", {kKeep}, true, large_and_small);
  add("10 % faster in time and cycles, clocks 0.76 % apart", {kKeep}, true, clocks_apart);
  add("10 % fewer cycles, held back in 70 % of A's samples and 40 % of B's", {kKeep}, true,
      [](NoiseSource& source) {
        return near_the_power_limit(0.9, {1860, 0.7}, {1880, 0.4}, source);
      });
  add("as many cycles, held back in 70 % of A's samples and 0 % of B's", {kNoDifference}, false,
      [](NoiseSource& source) {
        return near_the_power_limit(1, {1800, 0.7}, {1980, 0}, source);
      });
  add("as many cycles, held back in 0 % of A's samples and 70 % of B's", {kNoDifference}, false,
      [](NoiseSource& source) {
        return near_the_power_limit(1, {1980, 0}, {1800, 0.7}, source);
      });
  add("both at the power limit, B 7 % faster at a clock 6 % lower", {kKeep}, true,
      [](NoiseSource& source) {
        return near_the_power_limit(0.87, {1830, 0.9}, {1710, 0.9}, source);
      });
  for (const Noise noise : all_noises()) {
    add(
        fmt::format("10 % faster, {} noise on both sides, 20 runs", to_string(noise)), {kKeep},
        true, [=](NoiseSource& source) { return gain_under(noise, 0.9, 20, source); }, 1);
  }
  for (const std::size_t starts : {120, 200, 300}) {
    add(fmt::format("equal programs, noise 1.0 %, {} runs", starts), {kNoDifference}, starts >= 300,
        [=](NoiseSource& source) { return change_of(1, {starts}, source); });
  }
  return cells;
}

}  // namespace

const std::vector<DecisionCell>& decision_cells() {
  static const std::vector<DecisionCell> kCells = make_cells();
  return kCells;
}

bool is_wrong(const DecisionCell& cell, DecisionVerdict verdict) {
  if (verdict == DecisionVerdict::kInconclusive) return cell.must_decide;
  return std::find(cell.right.begin(), cell.right.end(), verdict) == cell.right.end();
}

const std::vector<CoverageCell>& coverage_cells() {
  static const std::vector<CoverageCell> kCells = {{"independent", 0, 100},
                                                   {"correlation 0.5, 100 samples", 0.5, 100},
                                                   {"correlation 0.9, 100 samples", 0.9, 100},
                                                   {"correlation 0.5, 1000 samples", 0.5, 1000},
                                                   {"correlation 0.9, 1000 samples", 0.9, 1000},
                                                   {"correlation 0.98, 1000 samples", 0.98, 1000}};
  return kCells;
}

const std::vector<StoppingCell>& stopping_cells() {
  static const std::vector<StoppingCell> kCells = {
      {"1.6x faster", 1 / 1.6, 0.01, 1, kKeep},
      {"1.6x faster, 20 configurations", 1 / 1.6, 0.01, 20, kKeep},
      {"3 % slower", 1.03, 0.01, 1, kRevert},
      {"3 % slower, noise 3 %", 1.03, 0.03, 1, kRevert},
      {"equal, noise 0.2 %", 1, 0.002, 1, kNoDifference},
      {"equal, noise 1 %", 1, 0.01, 1, kNoDifference},
      {"equal, noise 1 %, 20 configurations", 1, 0.01, 20, kNoDifference}};
  return kCells;
}

Stopped draw_until_clear(const StoppingCell& cell, NoiseSource& source) {
  constexpr std::size_t kMostStarts = 60;
  constexpr double kEffect = 0.03;
  BenchmarkSeries series;
  series.interleaved = true;
  for (const double ratio : {1.0, cell.ratio}) {
    Benchmark& side = series.sides.emplace_back().benchmark;
    side.until_clear = true;
    for (std::size_t i = 0; i < cell.configurations; ++i) {
      const Shape shape{kMostStarts, 1, cell.noise};
      side.measurements.push_back(simulate(scaled(shape, ratio), source));
      side.measurements.back().axes = {{"n", std::to_string(i)}};
    }
  }
  BenchmarkSeries seen = series;
  for (std::size_t starts = 1;; ++starts) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < cell.configurations; ++i) {
        const auto& all = series.sides[side].benchmark.measurements[i].samples;
        seen.sides[side].benchmark.measurements[i].samples.assign(
            all.begin(), all.begin() + static_cast<std::ptrdiff_t>(starts));
      }
    }
    const Outlook outlook = outlook_on(seen, {}, kEffect);
    const bool goes_on = !outlook.clear && !outlook.is_hopeless(starts, kMostStarts);
    if (goes_on && starts < kMostStarts) continue;
    const Decision decision =
        decide(seen.sides[0].benchmark, seen.sides[1].benchmark, true, {}, {});
    return {starts, decision.verdict};
  }
}

Coverage draw_coverage(const CoverageCell& cell, NoiseSource& source) {
  Measurement measurement;
  double noise = source.normal();
  for (std::size_t i = 0; i < cell.samples; ++i) {
    measurement.samples.emplace_back().ns = kCellNs * std::exp(0.01 * noise);
    noise = cell.correlation * noise +
            std::sqrt(1 - cell.correlation * cell.correlation) * source.normal();
  }
  const auto interval = measured_time(measurement).interval;
  if (!interval) return Coverage::kNoInterval;
  const bool held = interval->low <= kCellNs && kCellNs <= interval->high;
  return held ? Coverage::kHeld : Coverage::kMissed;
}

}  // namespace proofline
