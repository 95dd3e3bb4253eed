// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/chart_roofs.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/ceilings.h"

namespace proofline {
namespace {

// "DRAM=4.1TB/s"
std::optional<ChartRoof> parse_roof(std::string_view text) {
  constexpr std::string_view kPrefixes = "kMGTPE";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  ChartRoof roof;
  roof.name = std::string(text.substr(0, equals));
  std::string_view rest = text.substr(equals + 1);
  const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), roof.per_second);
  if (end.ec != std::errc{} || !(roof.per_second > 0)) return std::nullopt;
  rest = trim(rest.substr(static_cast<std::size_t>(end.ptr - rest.data())));
  if (rest.empty()) return std::nullopt;
  if (const std::size_t prefix = kPrefixes.find(rest.front()); prefix != std::string_view::npos) {
    for (std::size_t i = 0; i <= prefix; ++i) roof.per_second *= 1000;
    rest.remove_prefix(1);
  }
  roof.bytes = rest == "B/s";
  if (!roof.bytes && rest != "FLOP/s") return std::nullopt;
  return roof;
}

// Of the first side that says which GPU it is.
BenchmarkMachine machine_of(const BenchmarkSeries& series) {
  for (const BenchmarkSide& side : series.sides) {
    if (!side.benchmark.machine.uuid.empty()) return side.benchmark.machine;
  }
  return series.sides.empty() ? BenchmarkMachine{} : series.sides.front().benchmark.machine;
}

std::set<std::string_view> roof_names(const BenchmarkSeries& series, const Ceilings& ceilings) {
  std::set<std::string_view> names;
  for (const BenchmarkSide& side : series.sides) {
    for (const Measurement& one : side.benchmark.measurements) {
      const Ceiling* ceiling = find_ceiling(ceilings, one.flop_kind);
      if (one.flops && ceiling != nullptr && !ceiling->bytes) names.insert(one.flop_kind);
    }
  }
  if (names.empty()) names.insert("fp32");
  names.insert({"dram", "l2"});
  return names;
}

MeasuredRoofs roofs_of(const BenchmarkSeries& series, const Ceilings& ceilings) {
  constexpr std::size_t kLongest = 60;  // of a stranger's name
  MeasuredRoofs result;
  const std::set<std::string_view> names = roof_names(series, ceilings);
  for (const Ceiling& one : ceilings.ceilings) {
    if (!names.contains(one.name)) continue;
    result.roofs.push_back(
        {one.at_least ? one.name + " at least" : one.name, one.per_second, one.bytes});
  }
  const std::string& gpu = ceilings.machine.gpu;
  result.from =
      gpu.empty() ? "a GPU that is not named" : elide_middle(to_valid_utf8(gpu), kLongest);
  if (!ceilings.measured_at.empty()) {
    result.from += ", " + elide_middle(to_valid_utf8(ceilings.measured_at), kLongest);
  }
  result.notes = ceilings.notes;
  return result;
}

}  // namespace

Result<std::vector<ChartRoof>> given_roofs(const std::vector<std::string>& texts) {
  std::vector<ChartRoof> roofs;
  roofs.reserve(texts.size());
  for (const std::string& text : texts) {
    auto roof = parse_roof(text);
    if (!roof) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} {}: write NAME=RATE, such as DRAM=4.1TB/s or FP32=60TFLOP/s",
                              option("roof"), quote(text)));
    }
    roofs.push_back(std::move(*roof));
  }
  return roofs;
}

Result<MeasuredRoofs> measured_roofs(const BenchmarkSeries& series, const std::string& file,
                                     const InputLimits& limits) {
  const BenchmarkMachine machine = machine_of(series);
  if (!file.empty()) {
    ASSIGN_OR_RETURN(const auto ceilings, read_ceilings_for(machine, file, limits));
    return roofs_of(series, ceilings);
  }
  const auto found = find_ceilings(machine);
  if (found && *found) return roofs_of(series, **found);
  MeasuredRoofs none;
  if (!found) {
    none.notes.push_back({NoteKind::kInfo, "", "no measured roofs: " + found.error().message});
  }
  return none;
}

}  // namespace proofline
