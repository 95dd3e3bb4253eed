// SPDX-License-Identifier: Apache-2.0
#include "views/charts/benchmark_charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "views/charts/chart_rows.h"

namespace proofline {
namespace {

constexpr std::string_view kMedians =
    "Medians; bars: 95 % interval of the median, none where there are too few samples.";

// Rows as a chart with a log y axis where the values are `log_from` times apart.
Result<Chart> chart_of(const std::vector<ChartRow>& rows, const BenchmarkChartOptions& options,
                       ChartAxis y, double log_from) {
  ASSIGN_OR_RETURN(auto drawn, chart_rows(rows, options.x_axis, y.unit));
  std::vector<double> values;
  values.reserve(rows.size());
  for (const ChartRow& row : rows) values.push_back(row.y);
  if (spans(values, log_from)) y.scale = Scale::kLog;
  Chart chart;
  chart.x = std::move(drawn.x);
  chart.y = std::move(y);
  chart.series = std::move(drawn.series);
  return chart;
}

// Each against the baseline, which is at 1 itself, in the same configuration.
std::vector<ChartRow> speedups(const BenchmarkPoints& points, std::string_view baseline) {
  std::map<std::string_view, const BenchmarkPoint*> first;
  for (const BenchmarkPoint& point : points.points) {
    if (point.subject == baseline) first.emplace(point.place, &point);
  }
  std::vector<ChartRow> rows;
  for (const BenchmarkPoint& point : points.points) {
    const auto base = first.find(point.place);
    if (base == first.end()) continue;
    ChartRow row{point.subject, &point.measurement->axes, base->second->ns / point.ns, {}, {}};
    if (base->second != &point && point.interval && base->second->interval) {
      row.low = base->second->interval->low / point.interval->high;
      row.high = base->second->interval->high / point.interval->low;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The names of the sides, where each is one subject.
std::pair<std::string, std::string> side_names(const BenchmarkPoints& points) {
  if (points.subjects.size() != 2) return {"A", "B"};
  return {points.subjects.front(), points.subjects.back()};
}

std::vector<ChartRow> decided_speedups(const Decision& decision, const BenchmarkPoints& points) {
  std::set<std::string_view> implementations;
  for (const DecidedConfiguration& one : decision.configurations) {
    if (one.benchmark == points.benchmark) implementations.insert(one.implementation_b);
  }
  const auto [a, b] = side_names(points);
  std::vector<ChartRow> rows;
  for (const DecidedConfiguration& one : decision.configurations) {
    if (one.benchmark != points.benchmark || one.pairs == 0 || !(one.time.low > 0)) continue;
    const bool several = implementations.size() > 1;
    const std::string after = several ? "B " + one.implementation_b : b;
    rows.push_back({several ? "A " + one.implementation_a : a, &one.axes, 1, {}, {}});
    rows.push_back({after, &one.axes, 1 / one.time.ratio, 1 / one.time.high, 1 / one.time.low});
  }
  return rows;
}

// Lower-case letters, digits and dashes: a stranger's name as part of a file's.
std::string stem_of(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  std::string stem;
  for (const char c : name.substr(0, kLongest)) {
    if (is_alphanumeric(c)) {
      stem += to_lower(c);
    } else if (!stem.empty() && stem.back() != '-') {
      stem += '-';
    }
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem;
}

// What is missing for one reason is said once, of however many charts and benchmarks.
class MissingCharts {
 public:
  void add(std::string_view chart, std::string_view benchmark, const std::string& why) {
    auto known =
        std::find_if(all_.begin(), all_.end(), [&](const Missing& one) { return one.why == why; });
    if (known == all_.end()) known = all_.insert(known, {why, {}, {}});
    add_once(chart, known->charts);
    add_once(benchmark, known->benchmarks);
  }

  std::vector<std::string> texts(bool named) const {
    std::vector<std::string> texts;
    for (const Missing& one : all_) {
      std::string of;
      if (one.benchmarks.size() > 1) {
        of = fmt::format(" of {} benchmarks, {} first", one.benchmarks.size(),
                         quote(one.benchmarks.front()));
      } else if (named) {
        of = " of " + quote(one.benchmarks.front());
      }
      texts.push_back(fmt::format("no {}{}: {}", fmt::join(one.charts, ", "), of, one.why));
    }
    return texts;
  }

 private:
  struct Missing {
    std::string why;
    std::vector<std::string> charts;
    std::vector<std::string> benchmarks;
  };

  static void add_once(std::string_view name, std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  }

  std::vector<Missing> all_;
};

struct ChartRecipe {
  ChartKind kind;
  std::string_view stem;
  Result<Chart> (*draw)(const BenchmarkPoints&, const BenchmarkChartOptions&);
};

constexpr ChartRecipe kRecipes[] = {
    {ChartKind::kLatency, "latency", latency_chart},
    {ChartKind::kThroughput, "throughput-bytes",
     [](const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
       return throughput_chart(points, RateOf::kBytes, options);
     }},
    {ChartKind::kThroughput, "throughput-flops",
     [](const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
       return throughput_chart(points, RateOf::kFlops, options);
     }},
    {ChartKind::kSpeedup, "speedup", speedup_chart},
    {ChartKind::kScaling, "scaling", scaling_chart},
    {ChartKind::kRoofline, "roofline", roofline_chart},
    {ChartKind::kDistribution, "distribution", distribution_chart},
};

}  // namespace

std::string_view to_string(ChartKind kind) {
  switch (kind) {
    case ChartKind::kLatency: return "latency";
    case ChartKind::kThroughput: return "throughput";
    case ChartKind::kSpeedup: return "speedup";
    case ChartKind::kScaling: return "scaling";
    case ChartKind::kRoofline: return "roofline";
    case ChartKind::kDistribution: return "distribution";
  }
  return "latency";
}

std::string chart_title(const BenchmarkPoints& points, std::string_view what) {
  if (!points.benchmark.empty()) return fmt::format("{}: {}", points.benchmark, what);
  std::string title(what);
  if (!title.empty()) title[0] = to_upper(title[0]);
  return title;
}

std::string chart_caption(const BenchmarkPoints& points, std::string_view words) {
  std::string caption;
  if (!points.conditions.empty()) caption = points.conditions + ". ";
  caption += words;
  std::string omitted;
  for (const auto& [why, count] : points.omitted) {
    omitted += fmt::format("{}{} {}", omitted.empty() ? "" : ", ", count, why);
  }
  if (!omitted.empty()) caption += fmt::format(" Configurations not shown: {}.", omitted);
  return caption;
}

Result<Chart> latency_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
  std::vector<ChartRow> rows;
  for (const BenchmarkPoint& point : points.points) {
    ChartRow row{point.subject, &point.measurement->axes, point.ns, {}, {}};
    if (point.interval) {
      row.low = point.interval->low;
      row.high = point.interval->high;
    }
    rows.push_back(std::move(row));
  }
  auto chart = chart_of(rows, options, {"lower is better", "ns"}, 20);
  if (!chart) return chart;
  chart->title = chart_title(points, "time of one execution");
  chart->caption = chart_caption(points, kMedians);
  return chart;
}

Result<Chart> throughput_chart(const BenchmarkPoints& points, RateOf rate,
                               const BenchmarkChartOptions& options) {
  const bool bytes = rate == RateOf::kBytes;
  std::vector<ChartRow> rows;
  for (const BenchmarkPoint& point : points.points) {
    const auto& amount = bytes ? point.measurement->bytes : point.measurement->flops;
    if (!amount || !(*amount > 0)) continue;
    const double per_second = *amount * 1e9;  // times are in ns
    ChartRow row{point.subject, &point.measurement->axes, per_second / point.ns, {}, {}};
    if (point.interval) {
      row.low = per_second / point.interval->high;
      row.high = per_second / point.interval->low;
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    return fail(ErrorKind::kInput, fmt::format("no measurement declares its {}",
                                               bytes ? "bytes" : "floating-point operations"));
  }
  auto chart = chart_of(rows, options, {"higher is better", bytes ? "B/s" : "FLOP/s"}, 100);
  if (!chart) return chart;
  chart->title = chart_title(points, bytes ? "bytes per second" : "FLOP per second");
  chart->caption = chart_caption(points, fmt::format("{} as declared by the benchmark. {}",
                                                     bytes ? "Bytes" : "FLOP", kMedians));
  return chart;
}

Result<Chart> speedup_chart(const BenchmarkPoints& points, const BenchmarkChartOptions& options) {
  std::vector<ChartRow> rows;
  std::string words;
  const auto against = [](const std::string& name) {
    return elide_middle(to_valid_utf8(name), 40);
  };
  if (points.subjects.empty()) return fail(ErrorKind::kInput, "nothing in it was timed");
  const std::string& first = points.subjects.front();
  const std::string& baseline = options.baseline.empty() ? first : options.baseline;
  if (std::find(points.subjects.begin(), points.subjects.end(), baseline) ==
      points.subjects.end()) {
    return fail(ErrorKind::kUsage, fmt::format("{} {}: there is {}", option("baseline"),
                                               quote(baseline), fmt::join(points.subjects, ", ")));
  }
  // Pairs were judged against the first.
  if (options.decision != nullptr && baseline == first) {
    rows = decided_speedups(*options.decision, points);
    words = fmt::format("Against {}, in pairs; bars: {:g} % interval over all configurations.",
                        against(side_names(points).first), 100 * options.decision->confidence);
  }
  if (rows.empty() && points.subjects.size() > 1) {
    rows = speedups(points, baseline);
    words =
        fmt::format("Against {}, by medians; bars: both medians' 95 % intervals at their worst.",
                    against(baseline));
  }
  if (rows.empty()) {
    return fail(ErrorKind::kInput,
                "there are no two implementations or sides of one configuration");
  }
  auto chart = chart_of(rows, options, {"higher is better", "x"}, 20);
  if (!chart) return chart;
  chart->title = chart_title(points, "speed-up");
  chart->caption = chart_caption(points, words);
  return chart;
}

Result<BenchmarkCharts> benchmark_charts(const BenchmarkSeries& series,
                                         const std::vector<ChartKind>& kinds,
                                         const BenchmarkChartOptions& options) {
  BenchmarkCharts result;
  MissingCharts missing;
  std::set<std::string> stems;
  const std::vector<BenchmarkPoints> all = benchmark_points(series);
  for (const BenchmarkPoints& points : all) {
    for (const ChartRecipe& recipe : kRecipes) {
      if (std::find(kinds.begin(), kinds.end(), recipe.kind) == kinds.end()) continue;
      auto chart = points.points.empty()
                       ? fail(ErrorKind::kInput, "nothing in it was timed and is right")
                       : recipe.draw(points, options);
      if (!chart && chart.error().kind == ErrorKind::kUsage) {
        return tl::make_unexpected(chart.error());
      }
      std::string stem(recipe.stem);
      const std::string name = stem_of(points.benchmark);
      if (all.size() > 1 && !name.empty()) stem += '-' + name;
      if (!chart) {
        missing.add(recipe.stem, points.benchmark, chart.error().message);
        continue;
      }
      const std::string wanted = stem;
      for (int i = 2; !stems.insert(stem).second; ++i) stem = fmt::format("{}-{}", wanted, i);
      result.charts.push_back({std::move(stem), std::move(*chart)});
    }
  }
  result.missing = missing.texts(all.size() > 1);
  return result;
}

}  // namespace proofline
