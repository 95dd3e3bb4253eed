// SPDX-License-Identifier: Apache-2.0
//
// The file that `proofline schema bench` describes, as `proofline bench` and programs with our
// library write it.
#include <fmt/format.h>

#include "base/record_reader.h"
#include "base/schema_version.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

BenchmarkSide side_of(const JsonValue& value) {
  BenchmarkNotes notes;
  BenchmarkSide side;
  Benchmark& benchmark = side.benchmark;
  for (const RecordFlaw& flaw : read_record(value, side).flaws) notes.lose(flaw.what, flaw.count);
  if (benchmark.format.empty()) benchmark.format = "proofline-bench";
  for (Measurement& measurement : benchmark.measurements) {
    if (!measurement.roof_share) measurement.roof.clear();
    settle(measurement, notes);
  }
  notes.append_to(benchmark.notes);
  return side;
}

Result<BenchmarkSeries> read_our_fields(const JsonFields& root, const BenchmarkPlace& /*place*/) {
  const std::string version = root.text("schema_version");
  if (!version.empty() && !is_readable_schema(version)) {
    return fail(ErrorKind::kInput,
                fmt::format("it follows schema {}, this version of proofline knows {}; take a "
                            "newer proofline",
                            quote(version), kReadableSchemas));
  }
  BenchmarkSeries series;
  series.interleaved = root.flag("interleaved").value_or(false);
  series.order_seed = root.whole("order_seed");
  const auto sides = root.list("sides");
  series.sides.reserve(sides.size());
  for (const JsonValue& side : sides) series.sides.push_back(side_of(side));
  return series;
}

bool sniff_proofline_bench(std::string_view prefix) {
  return json_outline(prefix).result == "benchmark";
}

Result<BenchmarkSeries> read_proofline_bench(Input& input, const BenchmarkPlace& place) {
  return read_benchmark_json(input, place, read_our_fields);
}

}  // namespace

Format proofline_bench() {
  return {.name = "proofline-bench",
          .what = "a benchmark result of proofline",
          .summary = "what proofline bench and programs with its library write (JSON)",
          .sniff = sniff_proofline_bench,
          .read_benchmark = read_proofline_bench};
}

}  // namespace proofline
