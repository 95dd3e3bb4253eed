// SPDX-License-Identifier: Apache-2.0
//
// Writes a laid-out chart as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "views/charts/chart.h"
#include "views/charts/chart_layout.h"
#include "views/charts/chart_style.h"

namespace proofline {
namespace {

// Visible, and plain characters to XML, which has no place for two of Unicode's.
std::string xml(std::string_view raw) {
  std::string out;
  const std::string visible = escape_terminal(raw);
  std::string_view rest = visible;
  while (!rest.empty()) {
    if (rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf")) {
      out += "\ufffd";
      rest.remove_prefix(3);
      continue;
    }
    switch (rest.front()) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += rest.front();
    }
    rest.remove_prefix(1);
  }
  return out;
}

class SvgWriter {
 public:
  explicit SvgWriter(const Chart& chart) : chart_(chart), layout_(lay_out(chart)) {}

  std::string write() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"proofline-chart\" role=\"img\" "
        "aria-label=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\">\n"
        "<style>{}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n",
        xml(elide_middle(to_valid_utf8(chart_.title), kLongLabel)), kChartWidth, layout_.height,
        kChartWidth, layout_.height, kChartStyle);
    write_words();
    write_grid();
    for (const ChartGuide& guide : chart_.guides) write_guide(guide);
    for (std::size_t i = 0; i < layout_.series.size(); ++i) write_series(i);
    for (const PlacedArrow& arrow : layout_.arrows) write_arrow(arrow);
    note_obstacles();
    for (const PlacedSeries& series : layout_.series) write_labels(series);
    for (const PlacedArrow& arrow : layout_.arrows) write_arrow_label(arrow);
    for (const ChartGuide& guide : chart_.guides) write_guide_name(guide);
    add("</svg>\n");
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kLongLabel = 200;  // columns; names may be megabytes long

  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    out_ += fmt::format(text, std::forward<Values>(values)...);
  }

  void write_words() {
    const ChartBox& plot = layout_.plot;
    double y = kChartMargin + 13;
    for (const std::string& line : layout_.title) {
      add("<text class=\"title\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", kChartMargin, y,
          xml(line));
      y += kTitleLine;
    }
    add("<text class=\"soft\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", kChartMargin, plot.top - 12,
        xml(elide_middle(to_valid_utf8(chart_.y.title), 100)));
    add("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
        (plot.left + plot.right) / 2, plot.bottom + 40,
        xml(elide_middle(to_valid_utf8(chart_.x.title), 80)));
    y = plot.bottom + 52 + kTextLine;
    for (const std::string& line : layout_.caption) {
      add("<text class=\"soft\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", kChartMargin, y, xml(line));
      y += kTextLine;
    }
    const auto has_points = [](const PlacedSeries& one) { return !one.points.empty(); };
    if (std::any_of(layout_.series.begin(), layout_.series.end(), has_points)) return;
    add("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no points to "
        "show</text>\n",
        (plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2);
  }

  void write_grid() {
    const ChartBox& plot = layout_.plot;
    add("<g class=\"grid\" fill=\"none\">");
    for (const ChartTick& tick : layout_.x.ticks()) {
      add("<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>", layout_.x_of(tick.value), plot.top, plot.bottom);
    }
    for (const ChartTick& tick : layout_.y.ticks()) {
      add("<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>", plot.left, layout_.y_of(tick.value), plot.right);
    }
    add("</g>\n<path class=\"frame\" fill=\"none\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>\n",
        plot.left, plot.top, plot.bottom, plot.right);
    for (const ChartTick& tick : layout_.x.ticks()) {
      add("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
          layout_.x_of(tick.value), plot.bottom + 19, xml(tick.label));
    }
    for (const ChartTick& tick : layout_.y.ticks()) {
      add("<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          plot.left - 8, layout_.y_of(tick.value) + 4, xml(tick.label));
    }
  }

  // --- series

  void write_mark(std::size_t index, double x, double y, std::string_view hover) {
    add("<path class=\"mark\" d=\"M{:.1f} {:.1f}{}\">", x, y,
        kChartMarks[index % kChartMarks.size()]);
    if (!hover.empty()) {
      add("<title>{}</title>", xml(elide_middle(to_valid_utf8(hover), kLongLabel)));
    }
    add("</path>");
  }

  void write_intervals(const PlacedSeries& series) {
    std::string path;
    for (const PlacedPoint& point : series.points) {
      if (!point.low && !point.high) continue;
      const double low = point.low.value_or(point.y);
      const double high = point.high.value_or(point.y);
      path += fmt::format("M{:.1f} {:.1f}V{:.1f}", point.x, low, high);
      if (series.dense) continue;
      for (const double end : {low, high}) {
        path += fmt::format("M{:.1f} {:.1f}h8", point.x - 4, end);
      }
    }
    if (path.empty()) return;
    add("<path class=\"interval\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" "
        "stroke-opacity=\"0.6\" d=\"{}\"/>\n",
        path);
  }

  void write_line(const PlacedSeries& series, std::size_t index) {
    std::string path;
    for (const PlacedPoint& point : series.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', point.x, point.y);
    }
    add("<path class=\"line\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
        "stroke-linejoin=\"round\"{} d=\"{}\"/>\n",
        kChartDashes[index / kChartColours % kChartDashes.size()], path);
  }

  // Points of a dense series that no line joins.
  void write_dots(const PlacedSeries& series) {
    std::string path;
    for (const PlacedPoint& point : series.points) {
      path += fmt::format("M{:.1f} {:.1f}h0", point.x, point.y);
    }
    add("<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"4\" stroke-linecap=\"round\" "
        "d=\"{}\"/>\n",
        path);
  }

  void write_series(std::size_t index) {
    const PlacedSeries& series = layout_.series[index];
    add("<g class=\"s{}\">\n", index % kChartColours);
    write_intervals(series);
    if (series.series->line && series.points.size() > 1) write_line(series, index);
    if (!series.dense) {
      for (const PlacedPoint& point : series.points) {
        write_mark(index, point.x, point.y, point.point->label);
      }
    } else if (!series.series->line) {
      write_dots(series);
    }
    if (!series.name.empty()) write_name(series, index);
    add("</g>\n");
  }

  // At the right of the plot, with the line and the mark, so that it is a legend too.
  void write_name(const PlacedSeries& series, std::size_t index) {
    const double x = layout_.plot.right + 14;
    if (series.series->line) {
      add("<path fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"{} d=\"M{:.1f} "
          "{:.1f}h22\"/>",
          kChartDashes[index / kChartColours % kChartDashes.size()], x - 11, series.name_y);
    }
    write_mark(index, x, series.name_y, series.series->name);
    add("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 16, series.name_y + 4, xml(series.name));
  }

  // --- guides, arrows, labels

  std::vector<std::pair<double, double>> corners_of(const ChartGuide& guide) const {
    std::vector<std::pair<double, double>> corners;
    for (const auto& [x, y] : guide.corners) {
      if (has_place(chart_, x, y)) corners.emplace_back(layout_.x_of(x), layout_.y_of(y));
    }
    return corners;
  }

  void write_guide(const ChartGuide& guide) {
    std::string path;
    for (const auto& [x, y] : corners_of(guide)) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x, y);
    }
    if (!path.empty()) add("<path class=\"guide\" fill=\"none\" d=\"{}\"/>\n", path);
  }

  // Along the guide, near its last corner, above the line.
  void write_guide_name(const ChartGuide& guide) {
    const auto corners = corners_of(guide);
    if (corners.size() < 2 || guide.name.empty()) return;
    const auto [from_x, from_y] = corners[corners.size() - 2];
    const auto [to_x, to_y] = corners.back();
    constexpr int kRoom = 22;  // where guides meet, so that names do not
    const bool rightwards = to_x >= from_x;
    const double angle = rightwards ? std::atan2(to_y - from_y, to_x - from_x)
                                    : std::atan2(from_y - to_y, from_x - to_x);
    add("<text class=\"soft halo\" text-anchor=\"{}\" transform=\"translate({:.1f} {:.1f}) "
        "rotate({:.1f})\" x=\"{}\" y=\"-6\">{}</text>\n",
        rightwards ? "end" : "start", to_x, to_y, angle * 180 / std::numbers::pi,
        rightwards ? -kRoom : kRoom, xml(elide_middle(to_valid_utf8(guide.name), 40)));
  }

  void write_arrow(const PlacedArrow& arrow) {
    constexpr double kMarkRoom = 7;  // the marks at both ends stay visible
    constexpr double kHead = 8;
    const double length = std::hypot(arrow.dx, arrow.dy);
    if (length < 2 * kMarkRoom + kHead) return;
    const double ux = arrow.dx / length;
    const double uy = arrow.dy / length;
    const double tip_x = arrow.x + arrow.dx - kMarkRoom * ux;
    const double tip_y = arrow.y + arrow.dy - kMarkRoom * uy;
    const double base_x = tip_x - kHead * ux;
    const double base_y = tip_y - kHead * uy;
    add("<g class=\"arrow\"><path fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" "
        "d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/><path fill=\"currentColor\" d=\"M{:.1f} {:.1f}L{:.1f} "
        "{:.1f}L{:.1f} {:.1f}z\"/></g>\n",
        arrow.x + kMarkRoom * ux, arrow.y + kMarkRoom * uy, base_x, base_y, tip_x, tip_y,
        base_x - 4 * uy, base_y + 4 * ux, base_x + 4 * uy, base_y - 4 * ux);
  }

  void write_arrow_label(const PlacedArrow& arrow) {
    for (const double share : {0.5, 0.7, 0.3}) {
      const double x = arrow.x + share * arrow.dx;
      if (write_label(arrow.arrow->label, x, arrow.y + share * arrow.dy)) return;
    }
  }

  void write_labels(const PlacedSeries& series) {
    if (!series.series->labelled || series.dense) return;
    for (const PlacedPoint& point : series.points) {
      write_label(point.point->label, point.x, point.y);
    }
  }

  // What labels must not cover.
  void note_obstacles() {
    constexpr double kHalf = 4;
    for (const PlacedSeries& series : layout_.series) {
      if (series.dense) continue;
      for (const PlacedPoint& point : series.points) {
        taken_.push_back({point.x - kHalf, point.y - kHalf, point.x + kHalf, point.y + kHalf});
      }
    }
    for (const PlacedArrow& arrow : layout_.arrows) {
      const double steps = 1 + std::floor(std::hypot(arrow.dx, arrow.dy) / (2 * kHalf));
      for (double i = 0; i <= steps; ++i) {
        const double x = arrow.x + arrow.dx * i / steps;
        const double y = arrow.y + arrow.dy * i / steps;
        taken_.push_back({x - 2, y - kHalf, x + 2, y + kHalf});
      }
    }
  }

  // Beside the place, where there is room; false where there is none.
  bool write_label(std::string_view raw, double x, double y) {
    const std::string label = elide_middle(escape_terminal(raw), 40);
    if (label.empty()) return true;
    const double width = text_width(label, kTextSize);
    const double starts[][2] = {
        {x + 9, y}, {x - 9 - width, y}, {x - width / 2, y - 14}, {x - width / 2, y + 14}};
    for (const auto& [left, middle] : starts) {
      const ChartBox box{left, middle - 6, left + width, middle + 6};
      const ChartBox& plot = layout_.plot;
      const bool inside = box.left > plot.left && box.right < plot.right && box.top > plot.top &&
                          box.bottom < plot.bottom;
      const auto covers = [&](const ChartBox& other) { return box.overlaps(other); };
      if (!inside || std::any_of(taken_.begin(), taken_.end(), covers)) continue;
      taken_.push_back(box);
      add("<text class=\"halo\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
          left + width / 2, middle + 4, xml(label));
      return true;
    }
    return false;
  }

  const Chart& chart_;
  ChartLayout layout_;
  std::string out_;
  std::vector<ChartBox> taken_;
};

}  // namespace

std::string draw_svg(const Chart& chart) { return SvgWriter(chart).write(); }

}  // namespace proofline
