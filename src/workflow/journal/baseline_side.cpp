// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/baseline_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "store/file_hash.h"
#include "workflow/bench/benchmark_sides.h"

namespace proofline {
namespace {

// A journal written before hashes were kept has none, and its file is taken as it is.
Result<void> check_unchanged(const Baseline& baseline) {
  if (baseline.sha256.empty()) return {};
  ASSIGN_OR_RETURN(const auto hash, file_sha256(baseline.path));
  if (hash == baseline.sha256) return {};
  return fail(ErrorKind::kInput,
              fmt::format("baseline {}: {} was changed since it was set on {}: put that file back, "
                          "or take the new one with 'proofline journal baseline set'",
                          quote(baseline.name), quote(baseline.path), quote(baseline.set)));
}

}  // namespace

Result<BenchmarkSide> pick_baseline_side(const BenchmarkSeries& series, const std::string& label,
                                         const std::string& path) {
  const auto& sides = series.sides;
  if (label.empty()) {
    if (sides.size() == 1) return sides.front();
    return fail(ErrorKind::kUsage,
                fmt::format("{} holds {} sides ({}), and a baseline is one: choose it with "
                            "'proofline journal baseline set NAME FILE --side LABEL'",
                            quote(path), sides.size(), side_names(series)));
  }
  const auto found = std::find_if(sides.begin(), sides.end(),
                                  [&](const BenchmarkSide& side) { return side.label == label; });
  if (found == sides.end()) {
    return fail(ErrorKind::kInput,
                fmt::format("{} {}: {} has no such side; there is {}", option("side"), quote(label),
                            quote(path), side_names(series)));
  }
  BenchmarkSide side = *found;
  if (found != sides.begin()) add_file_notes(series, side.benchmark);
  return side;
}

Result<Benchmark> read_baseline(const Baseline& baseline) {
  ASSIGN_OR_RETURN(const auto series, read_benchmark(baseline.path));
  RETURN_IF_ERROR(check_unchanged(baseline));
  return pick_baseline_side(series, baseline.side, baseline.path).map([](BenchmarkSide side) {
    return std::move(side.benchmark);
  });
}

}  // namespace proofline
