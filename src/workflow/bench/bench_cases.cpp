// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/bench_cases.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/profile/profile_configs.h"

namespace proofline {
namespace {

// More would take days, and is more likely a slip.
constexpr std::size_t kMostCases = 1000;

BenchCase with_axis(BenchCase one, const std::string& name, const std::string& value) {
  if (!one.name.empty()) one.name += ' ';
  one.name += name + "=" + value;
  one.axes.push_back({name, value});
  return one;
}

// "n=64,128"
Result<std::vector<BenchCase>> combined(const std::vector<BenchCase>& before,
                                        const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == word.size()) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: must be NAME=VALUE,VALUE,...", option("axis"), quote(word)));
  }
  const std::string name = word.substr(0, equals);
  std::vector<BenchCase> all;
  std::string_view rest = std::string_view(word).substr(equals + 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string value(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (value.empty()) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} {}: a value is empty", option("axis"), quote(word)));
    }
    for (const BenchCase& one : before) all.push_back(with_axis(one, name, value));
    if (all.size() > kMostCases) {
      return fail(ErrorKind::kUsage, fmt::format("more than {} cases", kMostCases));
    }
  }
  return all;
}

}  // namespace

Result<std::vector<BenchCase>> read_bench_cases(const std::vector<std::string>& cases,
                                                const std::vector<std::string>& axes) {
  std::vector<BenchCase> all(1);
  if (!cases.empty()) {
    ASSIGN_OR_RETURN(const auto named, read_configs(cases, ""));
    all.clear();
    for (const ProfileConfig& one : named) {
      all.push_back({one.name, {{"case", one.name}}, one.words});
    }
  }
  for (const std::string& axis : axes) {
    ASSIGN_OR_RETURN(all, combined(all, axis));
  }
  return all;
}

std::vector<std::string> command_in_case(std::vector<std::string> argv, const BenchCase& one) {
  for (std::string& word : argv) {
    for (const Axis& axis : one.axes) {
      const std::string place = "{" + axis.name + "}";
      for (std::size_t at = 0; (at = word.find(place, at)) != std::string::npos;) {
        word.replace(at, place.size(), axis.value);
        at += axis.value.size();
      }
    }
  }
  argv.insert(argv.end(), one.words.begin(), one.words.end());
  return argv;
}

void add_case(const BenchCase& one, BenchmarkSeries measured, BenchmarkSeries& all) {
  const bool first = all.sides.empty();
  if (first) {
    all.interleaved = measured.interleaved;
    all.order_seed = measured.order_seed;
    all.sides.resize(measured.sides.size());
  }
  for (std::size_t i = 0; i < measured.sides.size(); ++i) {
    BenchmarkSide& side = measured.sides[i];
    for (Measurement& measurement : side.benchmark.measurements) {
      measurement.axes.insert(measurement.axes.begin(), one.axes.begin(), one.axes.end());
    }
    for (Note& note : side.benchmark.notes) note.place = one.name;
    if (first) {
      all.sides[i] = std::move(side);
      continue;
    }
    Benchmark& to = all.sides[i].benchmark;
    Benchmark& from = side.benchmark;
    to.failed_starts += from.failed_starts;
    to.until_clear = to.until_clear || from.until_clear;
    std::move(from.measurements.begin(), from.measurements.end(),
              std::back_inserter(to.measurements));
    std::move(from.notes.begin(), from.notes.end(), std::back_inserter(to.notes));
  }
}

}  // namespace proofline
