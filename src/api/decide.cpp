// SPDX-License-Identifier: Apache-2.0
#include "proofline/decide.h"

#include <fmt/format.h>

#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/decision/decide.h"

namespace proofline {
namespace {

std::string path_of(const BenchmarkSeries& series) {
  return series.sides.empty() ? "the series" : quote(series.sides.front().benchmark.path);
}

Result<void> require_sides(const BenchmarkSeries& series, std::size_t sides) {
  if (series.sides.size() == sides) return {};
  return fail(ErrorKind::kUsage,
              fmt::format("{} holds {} sides, and {} {} wanted", path_of(series),
                          series.sides.size(), sides, sides == 1 ? "is" : "are"));
}

}  // namespace

Result<Decision> decide(const BenchmarkSeries& before, const BenchmarkSeries& after,
                        const DecideOptions& options) {
  RETURN_IF_ERROR(require_sides(before, 1));
  RETURN_IF_ERROR(require_sides(after, 1));
  return decide(before.sides.front().benchmark, after.sides.front().benchmark, false, options, {});
}

Result<Decision> decide(const BenchmarkSeries& both, const DecideOptions& options) {
  RETURN_IF_ERROR(require_sides(both, 2));
  const BenchmarkSide& a = both.sides.front();
  const BenchmarkSide& b = both.sides.back();
  Decision decision = decide(a.benchmark, b.benchmark, both.interleaved, options, {});
  decision.a_label = side_label(a);
  decision.b_label = side_label(b);
  return decision;
}

}  // namespace proofline
