// SPDX-License-Identifier: Apache-2.0
//
// How often decisions are wrong where measurements mislead, by simulation: the verdicts over many
// draws of each cell of tests/support/decision_cells.h. Prints tables of docs/measuring.md, which
// scripts/measuring puts there (with comparison_noise's).
//
//   build/bench/benchmarks/decision_noise [DRAWS]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "base/statistics.h"
#include "support/decision_cells.h"

namespace proofline {
namespace {

std::string percent_of(int count, int draws) {
  return fmt::format("{:.1f} %", 100.0 * count / draws);
}

void print_verdicts(int draws) {
  fmt::print(
      "| measurements | KEEP | REVERT | NO DIFFERENCE | INCONCLUSIVE | wrong |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  std::uint64_t seed = 0;
  for (const DecisionCell& cell : decision_cells()) {
    NoiseSource source(++seed);
    std::map<DecisionVerdict, int> verdicts;
    int wrong = 0;
    for (int i = 0; i < draws; ++i) {
      const DecisionVerdict verdict = cell.draw(source).verdict;
      ++verdicts[verdict];
      wrong += is_wrong(cell, verdict) ? 1 : 0;
    }
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", cell.name,
               percent_of(verdicts[DecisionVerdict::kKeep], draws),
               percent_of(verdicts[DecisionVerdict::kRevert], draws),
               percent_of(verdicts[DecisionVerdict::kNoDifference], draws),
               percent_of(verdicts[DecisionVerdict::kInconclusive], draws),
               percent_of(wrong, draws));
    std::fflush(stdout);
  }
}

void print_coverage(int draws) {
  fmt::print(
      "\n| one process | 95 % interval holds the median | does not | no interval "
      "|\n|---|--:|--:|--:|\n");
  std::uint64_t seed = 0;
  for (const CoverageCell& cell : coverage_cells()) {
    NoiseSource source(++seed);
    std::map<Coverage, int> counts;
    for (int i = 0; i < draws; ++i) ++counts[draw_coverage(cell, source)];
    fmt::print("| {} | {} | {} | {} |\n", cell.name, percent_of(counts[Coverage::kHeld], draws),
               percent_of(counts[Coverage::kMissed], draws),
               percent_of(counts[Coverage::kNoInterval], draws));
    std::fflush(stdout);
  }
}

void print_stopping(int draws) {
  fmt::print(
      "\n| runs until it is clear | runs (median) | right | INCONCLUSIVE | wrong |\n"
      "|---|--:|--:|--:|--:|\n");
  std::uint64_t seed = 0;
  for (const StoppingCell& cell : stopping_cells()) {
    NoiseSource source(++seed);
    std::vector<double> starts;
    int right = 0;
    int open = 0;
    for (int i = 0; i < draws; ++i) {
      const Stopped stopped = draw_until_clear(cell, source);
      starts.push_back(static_cast<double>(stopped.starts));
      right += stopped.verdict == cell.right ? 1 : 0;
      open += stopped.verdict == DecisionVerdict::kInconclusive ? 1 : 0;
    }
    fmt::print("| {} | {:.0f} | {} | {} | {} |\n", cell.name, median(starts),
               percent_of(right, draws), percent_of(open, draws),
               percent_of(draws - right - open, draws));
    std::fflush(stdout);
  }
}

void print_smallest(int draws) {
  fmt::print("\n| runs | smallest change said to be seen | found |\n|--:|--:|--:|\n");
  const double spread = 0.01 * std::sqrt(2.0);  // of the ratio of two starts with 1 % each
  for (const std::size_t starts : {10, 20, 50}) {
    const double change = smallest_change_seen(starts, spread, {});
    NoiseSource source(starts);
    int found = 0;
    for (int i = 0; i < draws; ++i) {
      const SimulatedPairs pairs = simulate_pairs(Noise::kNormal, starts, 1 + change, source);
      found += paired_change(pairs.a, pairs.b, {}).kind == ChangeKind::kSlower ? 1 : 0;
    }
    fmt::print("| {} | {:.1f} % | {} |\n", starts, 100 * change, percent_of(found, draws));
  }
}

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 4000;
  proofline::print_verdicts(draws);
  proofline::print_stopping(std::max(draws / 4, 1));
  proofline::print_coverage(draws);
  proofline::print_smallest(draws);
}
