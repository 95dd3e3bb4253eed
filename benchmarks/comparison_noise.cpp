// SPDX-License-Identifier: Apache-2.0
//
// How often comparisons err, by simulation: for each kind of noise, how many comparisons of 500
// equal kernels report any change, and how often a slow-down of 3 % is found at the number of pairs
// that the program itself asked for after a pilot. Prints the table in docs/measuring.md.
//
//   build/bench/benchmarks/comparison_noise [TRIALS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "base/statistics.h"
#include "support/noise.h"

namespace proofline {
namespace {

constexpr std::size_t kPilot = 10;
constexpr std::size_t kKernels = 500;
constexpr double kSlowDown = 0.03;
// Of the comparisons of equal kernels alone: what flicker asks for would take hours.
constexpr std::size_t kMostPairs = 300;

ChangeOptions options(std::size_t comparisons) {
  ChangeOptions result;
  result.comparisons = comparisons;
  return result;
}

std::size_t pairs_after_pilot(Noise noise, const ChangeOptions& how, NoiseSource& source) {
  const SimulatedPairs pilot = simulate_pairs(noise, kPilot, 1, source);
  return pairs_to_see(kSlowDown, paired_change(pilot.a, pilot.b, how).spread, how);
}

ChangeKind compare(Noise noise, std::size_t pairs, double ratio, const ChangeOptions& how,
                   NoiseSource& source) {
  const SimulatedPairs simulated = simulate_pairs(noise, pairs, ratio, source);
  return paired_change(simulated.a, simulated.b, how).kind;
}

// The share of trials in which one of the equal kernels at least is called changed.
double false_alarms(Noise noise, int trials) {
  const ChangeOptions how = options(kKernels);
  NoiseSource source(1);
  int alarms = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t pairs = std::min(pairs_after_pilot(noise, how, source), kMostPairs);
    bool changed = false;
    for (std::size_t kernel = 0; kernel < kKernels; ++kernel) {
      const ChangeKind kind = compare(noise, pairs, 1, how, source);
      changed = changed || kind == ChangeKind::kFaster || kind == ChangeKind::kSlower;
    }
    alarms += changed ? 1 : 0;
  }
  return static_cast<double>(alarms) / trials;
}

struct Found {
  double share = 0;
  double pairs = 0;  // median
  int wrong = 0;     // called faster
};

Found slow_downs_found(Noise noise, std::size_t comparisons, int trials) {
  const ChangeOptions how = options(comparisons);
  NoiseSource source(2);
  std::vector<double> pairs;
  Found found;
  int slower = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t asked = pairs_after_pilot(noise, how, source);
    pairs.push_back(static_cast<double>(asked));
    const ChangeKind kind = compare(noise, asked, 1 + kSlowDown, how, source);
    slower += kind == ChangeKind::kSlower ? 1 : 0;
    found.wrong += kind == ChangeKind::kFaster ? 1 : 0;
  }
  found.share = static_cast<double>(slower) / trials;
  found.pairs = median(pairs);
  return found;
}

void print_table(int trials) {
  fmt::print(
      "| noise | 500 equal kernels: any called changed | 3 % slower: found | pairs asked for "
      "| among 500: found | pairs asked for | called faster |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (const Noise noise : all_noises()) {
    const double alarms = false_alarms(noise, trials);
    const Found alone = slow_downs_found(noise, 1, trials);
    const Found among = slow_downs_found(noise, kKernels, trials);
    fmt::print("| {} | {:.1f} % | {:.1f} % | {:.0f} | {:.1f} % | {:.0f} | {} |\n", to_string(noise),
               100 * alarms, 100 * alone.share, alone.pairs, 100 * among.share, among.pairs,
               alone.wrong + among.wrong);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  proofline::print_table(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 400);
}
