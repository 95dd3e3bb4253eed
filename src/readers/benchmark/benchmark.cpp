// SPDX-License-Identifier: Apache-2.0
//
// What all results of benchmarks in JSON have in common, and the way to the reader of each.
#include "readers/benchmark/benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

// Ten million samples; without a limit of the caller's.
constexpr std::uint64_t kMostBenchmarkBytes = 256U << 20U;

}  // namespace

Result<std::string_view> whole_benchmark_text(Input& input, const InputLimits& limits) {
  const std::uint64_t most = limits.max_bytes.value_or(kMostBenchmarkBytes);
  auto text = input.take(most);
  if (!text) return text;
  if (const auto more = input.peek(1); more && !more->empty()) {
    return fail(ErrorKind::kInput, fmt::format("{} has more than {} bytes; raise the limit with {}",
                                               quote(input.name()), most, option("max-size")));
  }
  RETURN_IF_ERROR(input.finish());
  return text;
}

namespace {

bool is_empty(const BenchmarkSeries& series) {
  return std::all_of(series.sides.begin(), series.sides.end(),
                     [](const BenchmarkSide& side) { return side.benchmark.measurements.empty(); });
}

// " that can be read (it is damaged at offset 17)"; "" for a whole file.
std::string where_cut(const BenchmarkNotes& notes) {
  std::vector<Note> all;
  notes.append_to(all);
  if (all.empty() || all.front().place.empty()) return "";
  return fmt::format(" that can be read (it is damaged at {})", all.front().place);
}

Result<BenchmarkSeries> read_benchmark_at(Input& input, const BenchmarkPlace& place) {
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kBenchmark}));
  return format->read_benchmark(input, place);
}

}  // namespace

Result<BenchmarkSeries> read_benchmark_json(Input& input, const BenchmarkPlace& place,
                                            ReadBenchmarkFields read_fields) {
  ASSIGN_OR_RETURN(const auto text, whole_benchmark_text(input, place.limits));
  BenchmarkNotes notes;
  rapidjson::Document document;
  RETURN_IF_ERROR(parse_benchmark(text, input.name(), document, notes));
  auto series = read_fields(JsonFields(document, notes), place);
  if (!series) {
    return fail(series.error().kind,
                fmt::format("{}: {}", quote(input.name()), series.error().message));
  }
  if (is_empty(*series)) {
    return fail(ErrorKind::kInput, fmt::format("{} has no measurement{}; run the benchmark again",
                                               quote(input.name()), where_cut(notes)));
  }
  for (BenchmarkSide& side : series->sides) side.benchmark.path = input.name();
  if (const auto damage = input.damage()) notes.lose(damage->message);
  notes.append_to(series->sides.front().benchmark.notes);
  return series;
}

Result<BenchmarkSeries> read_benchmark(Input& input) { return read_benchmark_at(input, {}); }

Result<BenchmarkSeries> read_benchmark(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  BenchmarkPlace place{std::nullopt, limits};
  if (path != "-") place.folder = std::filesystem::path(path).parent_path().string();
  return read_benchmark_at(input, place);
}

}  // namespace proofline
