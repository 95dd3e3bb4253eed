// SPDX-License-Identifier: Apache-2.0
//
// Finds out which of the formats it is, and reads.
#include "readers/benchmark/benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {
namespace {

// Ten million samples; without a limit of the caller's.
constexpr std::uint64_t kMostBenchmarkBytes = 256U << 20U;

Result<std::string_view> whole_text(Input& input, const InputLimits& limits) {
  const std::uint64_t most = limits.max_bytes.value_or(kMostBenchmarkBytes);
  auto text = input.take(most);
  if (!text) return text;
  if (const auto more = input.peek(1); more && !more->empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("{} has more than {} bytes; raise the limit with --max-size",
                            quote(input.name()), most));
  }
  RETURN_IF_ERROR(input.finish());
  return text;
}

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

Result<BenchmarkSeries> read_format(BenchmarkFormat format, const JsonFields& root,
                                    const std::optional<std::string>& folder,
                                    const InputLimits& limits) {
  switch (format) {
    case BenchmarkFormat::kOurs: return read_our_benchmark(root);
    case BenchmarkFormat::kNvbench: return read_nvbench(root, folder, limits);
    case BenchmarkFormat::kGoogle: return read_google_benchmark(root);
    case BenchmarkFormat::kNone: break;
  }
  return fail(ErrorKind::kInput,
              "it is neither a result of proofline bench nor JSON of nvbench or Google Benchmark");
}

Result<BenchmarkSeries> read(Input& input, const std::optional<std::string>& folder,
                             const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto text, whole_text(input, limits));
  const BenchmarkFormat format = benchmark_format(text);
  BenchmarkNotes notes;
  rapidjson::Document document;
  RETURN_IF_ERROR(parse_benchmark(text, input.name(), document, notes));
  auto series = read_format(format, JsonFields(document, notes), folder, limits);
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

}  // namespace

bool looks_like_benchmark(std::string_view prefix) {
  return benchmark_format(prefix) != BenchmarkFormat::kNone;
}

Result<BenchmarkSeries> read_benchmark(Input& input) { return read(input, std::nullopt, {}); }

Result<BenchmarkSeries> read_benchmark(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  std::optional<std::string> folder;
  if (path != "-") folder = std::filesystem::path(path).parent_path().string();
  return read(input, folder, limits);
}

}  // namespace proofline
