// SPDX-License-Identifier: Apache-2.0
#include "axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"

namespace proofline::bench {
namespace {

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  for (;;) {
    const std::size_t comma = text.find(',');
    words.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

// For each name of the group whether all its declared values are whole numbers.
std::vector<bool> whole_columns(const AxisGroup& group) {
  std::vector<bool> whole(group.names.size(), !group.points.empty());
  for (const auto& point : group.points) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!is_whole_number(point[i])) whole[i] = false;
    }
  }
  return whole;
}

Result<void> check_point(const AxisGroup& group, const std::vector<bool>& whole,
                         const std::vector<std::string>& point) {
  if (point.size() != group.names.size()) {
    return fail(ErrorKind::kUsage, fmt::format("--{} {}: {} values are needed, for {}", group.flag,
                                               quote(fmt::format("{}", fmt::join(point, ","))),
                                               group.names.size(), fmt::join(group.names, ", ")));
  }
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (whole[i] ? is_whole_number(point[i]) : !point[i].empty()) continue;
    return fail(ErrorKind::kUsage,
                fmt::format("--{}: {} is no {} for {}", group.flag, quote(point[i]),
                            whole[i] ? "whole number" : "value", group.names[i]));
  }
  return {};
}

}  // namespace

bool is_whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

Result<std::vector<std::vector<std::string>>> parse_points(
    const AxisGroup& group, const std::vector<std::string>& arguments) {
  std::vector<std::vector<std::string>> points;
  for (const std::string& argument : arguments) {
    std::vector<std::string> words = split_at_commas(argument);
    if (group.names.size() > 1) {
      points.push_back(std::move(words));
      continue;
    }
    for (std::string& word : words) points.push_back({std::move(word)});
  }
  const std::vector<bool> whole = whole_columns(group);
  for (const auto& point : points) {
    RETURN_IF_ERROR(check_point(group, whole, point));
  }
  return points;
}

std::vector<std::vector<Axis>> all_combinations(const std::vector<AxisGroup>& groups) {
  std::vector<std::vector<Axis>> combinations(1);
  for (const AxisGroup& group : groups) {
    std::vector<std::vector<Axis>> longer;
    longer.reserve(combinations.size() * group.points.size());
    for (const auto& start : combinations) {
      for (const auto& point : group.points) {
        auto& next = longer.emplace_back(start);
        for (std::size_t i = 0; i < point.size(); ++i) next.push_back({group.names[i], point[i]});
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace proofline::bench
