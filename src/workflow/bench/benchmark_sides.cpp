// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/benchmark_sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kMostNamedSides = 8;

}  // namespace

void NameList::add(const std::string& name) {
  if (name.empty() || std::find(names_.begin(), names_.end(), name) != names_.end()) return;
  if (names_.size() < kMostNamedSides) {
    names_.push_back(name);
  } else {
    more_ = true;
  }
}

std::string NameList::text() const {
  std::vector<std::string> quoted;
  quoted.reserve(names_.size());
  for (const std::string& name : names_) quoted.push_back(quote(name));
  if (quoted.empty()) return "nothing with a name";
  return fmt::format("{}{}", fmt::join(quoted, ", "), more_ ? " and more" : "");
}

std::string side_names(const BenchmarkSeries& series) {
  NameList names;
  for (const BenchmarkSide& side : series.sides) names.add(side.label);
  return names.text();
}

void add_file_notes(const BenchmarkSeries& series, Benchmark& picked) {
  const std::vector<Note>& notes = series.sides.front().benchmark.notes;
  picked.notes.insert(picked.notes.end(), notes.begin(), notes.end());
}

}  // namespace proofline
