// SPDX-License-Identifier: Apache-2.0
//
// How often decisions are wrong where measurements mislead, by simulation: the verdicts over many
// draws of each cell of tests/support/decision_cells.h. Prints tables of docs/measuring.md, which
// scripts/measuring puts there.
//
//   build/bench/benchmarks/decision_noise [DRAWS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "support/decision_cells.h"

namespace proofline {
namespace {

std::string percent_of(int count, int draws) {
  return fmt::format("{:.1f} %", 100.0 * count / draws);
}

void print_verdicts(int draws) {
  fmt::print("| measurements | KEEP | REVERT | INCONCLUSIVE | wrong |\n|---|--:|--:|--:|--:|\n");
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
    fmt::print("| {} | {} | {} | {} | {} |\n", cell.name,
               percent_of(verdicts[DecisionVerdict::kKeep], draws),
               percent_of(verdicts[DecisionVerdict::kRevert], draws),
               percent_of(verdicts[DecisionVerdict::kInconclusive], draws),
               percent_of(wrong, draws));
    std::fflush(stdout);
  }
}

void print_coverage(int draws) {
  fmt::print("\n| one process | 95 % interval holds the median | no interval |\n|---|--:|--:|\n");
  std::uint64_t seed = 0;
  for (const CoverageCell& cell : coverage_cells()) {
    NoiseSource source(++seed);
    std::map<Coverage, int> counts;
    for (int i = 0; i < draws; ++i) ++counts[draw_coverage(cell, source)];
    const int shown = std::max(1, draws - counts[Coverage::kNoInterval]);
    fmt::print("| {} | {} | {} |\n", cell.name, percent_of(counts[Coverage::kHeld], shown),
               percent_of(counts[Coverage::kNoInterval], draws));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace proofline

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 4000;
  proofline::print_verdicts(draws);
  proofline::print_coverage(draws);
}
