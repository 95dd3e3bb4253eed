// SPDX-License-Identifier: Apache-2.0
#include "views/charts/chart_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "views/charts/chart_scale.h"

namespace proofline {
namespace {

// The values of one axis, for the rows that have it.
struct AxisColumn {
  std::string_view name;
  std::vector<std::pair<std::size_t, std::string_view>> cells;  // by row
};

// In the order in which the axes appear.
std::vector<AxisColumn> columns_of(const std::vector<ChartRow>& rows) {
  std::vector<AxisColumn> columns;
  std::map<std::string_view, std::size_t> index;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const Axis& axis : *rows[row].axes) {
      const auto [at, is_new] = index.emplace(axis.name, columns.size());
      if (is_new) columns.push_back({axis.name, {}});
      auto& cells = columns[at->second].cells;
      // A second value of the same name in one configuration says nothing.
      if (cells.empty() || cells.back().first != row) cells.emplace_back(row, axis.value);
    }
  }
  return columns;
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

// A number in each row; none where one has no such number.
std::vector<double> numbers_of(const AxisColumn& column, std::size_t rows) {
  std::vector<double> numbers;
  if (column.cells.size() != rows) return numbers;
  for (const auto& [row, text] : column.cells) {
    const auto number = number_of(text);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

struct ChosenAxis {
  std::string_view name;
  std::vector<double> values;  // by row
};

Result<ChosenAxis> choose_axis(const std::vector<AxisColumn>& columns, std::size_t rows,
                               std::string_view asked) {
  ChosenAxis chosen;
  std::size_t most = 0;
  std::string names;
  for (const AxisColumn& column : columns) {
    std::vector<double> numbers = numbers_of(column, rows);
    if (numbers.empty()) continue;
    if (names.size() < 200)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", quote(column.name));
    const std::size_t distinct = std::set<double>(numbers.begin(), numbers.end()).size();
    if (asked.empty() ? distinct <= most : column.name != asked) continue;
    most = distinct;
    chosen = {column.name, std::move(numbers)};
  }
  if (!chosen.values.empty()) return chosen;
  if (names.empty()) {
    return fail(ErrorKind::kInput,
                "no axis of the configurations is a number in all of them; measure several sizes "
                "to plot against");
  }
  return fail(
      ErrorKind::kUsage,
      fmt::format("{} {}: no axis of that name is a number in all configurations; there are {}",
                  option("x"), quote(asked), names));
}

bool varies(const AxisColumn& column, std::size_t rows) {
  if (column.cells.size() != rows) return true;
  return std::any_of(column.cells.begin(), column.cells.end(),
                     [&](const auto& cell) { return cell.second != column.cells.front().second; });
}

// There is one value of it for each of x.
bool follows_from(const AxisColumn& column, const ChosenAxis& x) {
  if (column.cells.size() != x.values.size()) return false;
  std::map<double, std::string_view> value_at;
  return std::all_of(column.cells.begin(), column.cells.end(), [&](const auto& cell) {
    return value_at.emplace(x.values[cell.first], cell.second).first->second == cell.second;
  });
}

// "M = N" where both are the same throughout.
std::string x_title(const std::vector<AxisColumn>& columns, const ChosenAxis& x) {
  std::string title(x.name);
  for (const AxisColumn& column : columns) {
    if (column.name != x.name && numbers_of(column, x.values.size()) == x.values) {
      title += fmt::format(" = {}", column.name);
    }
  }
  return title;
}

// The subject, and what else tells the row's series from others.
std::vector<std::string> series_names(const std::vector<ChartRow>& rows,
                                      const std::vector<AxisColumn>& columns, const ChosenAxis& x) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ChartRow& row : rows) names.push_back(row.subject);
  for (const AxisColumn& column : columns) {
    if (column.name == x.name || !varies(column, rows.size()) || follows_from(column, x)) continue;
    for (const auto& [row, value] : column.cells) {
      if (!names[row].empty()) names[row] += ' ';
      names[row] += fmt::format("{}={}", column.name, value);
    }
  }
  return names;
}

std::string hover_text(const ChartRow& row, std::string_view name, std::string_view unit) {
  std::string text = axes_text(*row.axes);
  if (!name.empty()) text = fmt::format("{}, {}", name, text);
  text += fmt::format(": {}", chart_value_text(row.y, unit));
  if (row.low && row.high) {
    text += fmt::format(" ({} to {})", chart_value_text(*row.low, unit),
                        chart_value_text(*row.high, unit));
  }
  return text;
}

}  // namespace

std::string axes_text(const std::vector<Axis>& axes) {
  std::string text;
  for (const Axis& axis : axes) {
    if (!text.empty()) text += ' ';
    text += axis.name.empty() ? axis.value : fmt::format("{}={}", axis.name, axis.value);
  }
  return text;
}

bool spans(const std::vector<double>& values, double factor) {
  if (values.empty()) return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low > 0 && *high / *low >= factor;
}

Result<RowChart> chart_rows(const std::vector<ChartRow>& rows, std::string_view asked_axis,
                            std::string_view y_unit) {
  const std::vector<AxisColumn> columns = columns_of(rows);
  ASSIGN_OR_RETURN(const auto x, choose_axis(columns, rows.size(), asked_axis));
  const std::vector<std::string> names = series_names(rows, columns, x);
  RowChart chart;
  chart.x = {x_title(columns, x), "", spans(x.values, 8) ? Scale::kLog : Scale::kLinear};
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [at, is_new] = index.emplace(names[i], chart.series.size());
    if (is_new) {
      chart.series.push_back({names[i], {}, true, false});
      chart.rows.emplace_back();
    }
    chart.rows[at->second].push_back(i);
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    std::stable_sort(chart.rows[i].begin(), chart.rows[i].end(),
                     [&](std::size_t a, std::size_t b) { return x.values[a] < x.values[b]; });
    for (const std::size_t at : chart.rows[i]) {
      const ChartRow& row = rows[at];
      chart.series[i].points.push_back(
          {x.values[at], row.y, row.low, row.high, hover_text(row, chart.series[i].name, y_unit)});
    }
  }
  return chart;
}

}  // namespace proofline
