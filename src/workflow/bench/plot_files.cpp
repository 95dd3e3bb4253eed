// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/plot_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/characters.h"
#include "base/option.h"
#include "base/output.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "readers/benchmark/benchmark.h"
#include "views/charts/benchmark_charts.h"
#include "views/measurement/benchmark_document.h"
#include "views/view.h"
#include "workflow/bench/bench_session.h"
#include "workflow/bench/chart_roofs.h"
#include "workflow/bench/png_maker.h"

namespace proofline {
namespace {

struct WrittenChart {
  std::string stem;
  std::string path;
};

std::vector<ChartKind> asked_kinds(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<ChartKind> kinds;
  for (const ChartKind kind : kChartKinds) {
    if (has("all") || has(to_string(kind))) kinds.push_back(kind);
  }
  return kinds;
}

// Where a roofline is requested without roofs; a named file is always read.
Result<void> add_measured_roofs(const PlotPlan& plan, const BenchmarkSeries& series,
                                const InputLimits& limits, BenchmarkChartOptions& options,
                                std::vector<Note>& notes) {
  const std::vector<ChartKind> kinds = asked_kinds(plan.kinds);
  const bool roofline = std::find(kinds.begin(), kinds.end(), ChartKind::kRoofline) != kinds.end();
  const bool needed = roofline && options.roofs.empty();
  if (!needed && plan.ceilings.empty()) return {};
  ASSIGN_OR_RETURN(auto measured, measured_roofs(series, plan.ceilings, limits));
  options.roofs = std::move(measured.roofs);
  options.roofs_from = std::move(measured.from);
  notes.insert(notes.end(), measured.notes.begin(), measured.notes.end());
  return {};
}

// The sides of all files; those of different files are told apart by the files' names.
Result<BenchmarkSeries> read_all(const std::vector<std::string>& files, const InputLimits& limits) {
  std::set<std::string> stems;
  for (const std::string& file : files) stems.insert(std::filesystem::path(file).stem());
  BenchmarkSeries all;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(auto series, read_benchmark(file, limits));
    if (files.size() == 1) return series;
    const std::string name =
        stems.size() == files.size() ? std::filesystem::path(file).stem().string() : file;
    const bool alone = series.sides.size() == 1;
    for (BenchmarkSide& side : series.sides) {
      side.label = alone ? name : fmt::format("{} {}", name, side.label);
      all.sides.push_back(std::move(side));
    }
  }
  return all;
}

// On two sides that were measured in turn: pairs tell more than two medians do.
std::optional<Decision> drawn_decision(const BenchmarkSeries& series) {
  if (series.sides.size() != 2 || !series.interleaved) return std::nullopt;
  return decide_sides(series.sides.front(), series.sides.back(), true, {}, {});
}

// Where a chart goes: into the folder, or the one chart into the file.
Result<std::vector<WrittenChart>> places_of(const std::vector<BenchmarkChart>& charts,
                                            const std::string& out) {
  std::vector<WrittenChart> places;
  if (out.ends_with(".svg")) {
    if (charts.size() == 1) return std::vector<WrittenChart>{{charts.front().stem, out}};
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(charts.size(), 8); ++i) {
      names += (i == 0 ? "" : ", ") + charts[i].stem;
    }
    return fail(
        ErrorKind::kUsage,
        fmt::format(
            "{} {} is one file, and there are {} charts ({}); give a folder, or choose with {}",
            option("out"), quote(out), charts.size(), names, option("kind")));
  }
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) {
    return fail(ErrorKind::kStorage,
                fmt::format("cannot make the folder {}: {}", quote(out), error.message()));
  }
  places.reserve(charts.size());
  for (const BenchmarkChart& one : charts) {
    places.push_back({one.stem, (std::filesystem::path(out) / (one.stem + ".svg")).string()});
  }
  return places;
}

// A path as the address of a picture.
std::string address_of(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const bool plain =
        is_alphanumeric(c) || std::string_view("/._-~").find(c) != std::string_view::npos;
    if (plain) {
      address += c;
    } else {
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return address;
}

// The table, and the pictures below it.
std::string markdown_report(const BenchmarkSeries& series, const std::vector<WrittenChart>& charts,
                            const std::string& path) {
  std::string text = markdown_text(compose_benchmark(series));
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  for (const WrittenChart& chart : charts) {
    const auto relative = std::filesystem::absolute(chart.path).lexically_proximate(folder);
    text += fmt::format("\n![{}]({})\n", chart.stem, address_of(relative.generic_string()));
  }
  return text;
}

Result<void> write_charts(const BenchmarkCharts& charts, const std::vector<WrittenChart>& places,
                          const PngMaker* png, const TakePath& written_to) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string svg = draw_svg(charts.charts[i].chart);
    if (auto written = write_whole_file(places[i].path, svg); !written) return written;
    written_to(places[i].path);
    if (png == nullptr) continue;
    ASSIGN_OR_RETURN(const auto bytes, png->convert(svg));
    const std::string path = places[i].path.substr(0, places[i].path.size() - 4) + ".png";
    if (auto written = write_whole_file(path, bytes); !written) return written;
    written_to(path);
  }
  return {};
}

}  // namespace

Result<std::vector<Note>> plot_files(const PlotPlan& plan, const InputLimits& limits,
                                     Announcer& announcer, const TakePath& written_to) {
  BenchmarkChartOptions options;
  options.x_axis = plan.x_axis;
  options.baseline = plan.baseline;
  ASSIGN_OR_RETURN(auto roofs, given_roofs(plan.roofs));
  options.roofs = std::move(roofs);
  std::optional<PngMaker> png;
  if (plan.png) {
    ASSIGN_OR_RETURN(auto found, PngMaker::find());
    png = std::move(found);
  }
  ASSIGN_OR_RETURN(const auto series, read_all(plan.files, limits));
  std::vector<Note> notes = notes_of(series);
  RETURN_IF_ERROR(add_measured_roofs(plan, series, limits, options, notes));
  const std::optional<Decision> decision = drawn_decision(series);
  if (decision) options.decision = &*decision;
  ASSIGN_OR_RETURN(const auto charts, benchmark_charts(series, asked_kinds(plan.kinds), options));
  if (charts.charts.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("nothing to draw from {}: {}", quote(plan.files.front()),
                            charts.missing.empty() ? "no measurements" : charts.missing.front()));
  }
  ASSIGN_OR_RETURN(const auto places, places_of(charts.charts, plan.out));
  for (const std::string& missing : charts.missing) {
    announcer.say("note: " + missing);
  }
  RETURN_IF_ERROR(write_charts(charts, places, png ? &*png : nullptr, written_to));
  if (!plan.markdown.empty()) {
    const std::string report = markdown_report(series, places, plan.markdown);
    RETURN_IF_ERROR(write_whole_file(plan.markdown, report));
    written_to(plan.markdown);
  }
  return notes;
}

}  // namespace proofline
