// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/ranks.h"
#include "base/option.h"
#include "base/text.h"
#include "views/diagnosis/evidence_words.h"
#include "views/diagnosis/kernel_screen.h"
#include "views/notes.h"
#include "views/quantity.h"
#include "views/timeline/collectives_table.h"

namespace proofline {
namespace {

constexpr std::size_t kShortTable = 10;
constexpr std::size_t kShortSteps = 20;
constexpr std::size_t kMostTimelineEvidence = 6;

std::string ns_text(std::int64_t ns) { return time_text(static_cast<double>(ns)); }

std::string share_cell(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

std::string rate_text(const CopyTimes& copy) {
  if (!copy.bytes || copy.sum_ns == 0) return "-";
  return fmt::format("{:.3g} GB/s",
                     static_cast<double>(*copy.bytes) / static_cast<double>(copy.sum_ns));
}

class TimelinePage {
 public:
  TimelinePage(const TimelineDiagnosis& diagnosis, const TimelineParts& parts)
      : diagnosis_(diagnosis), report_(diagnosis.report), parts_(parts) {}

  Document compose() {
    add_verdict();
    add_findings();
    for (const DeviceRow& device : report_.devices) add_device(device);
    add_names("Kernels", report_.kernels, true);
    add_names("Calls of the host", report_.calls, false);
    add_operators();
    add_copies();
    add_collectives(report_, document_);
    add_gaps();
    add_launching();
    add_streams();
    add_steps();
    add_ranks();
    if (parts_.facts) add_facts();
    add_notes(report_.notes, document_);
    return std::move(document_);
  }

 private:
  void add_verdict() {
    const TimelineVerdict& verdict = diagnosis_.verdict;
    Point point{"", verdict.headline, "", {}};
    if (!diagnosis_.findings.empty()) {
      point.lines.push_back(
          {"", fmt::format("kernels {}, idle {}, copies {}, communication {}: each an upper "
                           "bound on what fixing it saves",
                           percent(verdict.kernels), percent(verdict.host), percent(verdict.copies),
                           percent(verdict.communication))});
    }
    point.lines.push_back({"next", verdict.next});
    document_.blocks.emplace_back(Points{{std::move(point)}});
    Properties properties;
    properties.rows.emplace_back("timeline", report_.path);
    if (!report_.producer.empty()) properties.rows.emplace_back("recorded by", report_.producer);
    if (report_.rank) properties.rows.emplace_back("rank", std::to_string(*report_.rank));
    if (!report_.selected.empty()) properties.rows.emplace_back("selected", report_.selected);
    properties.rows.emplace_back("recorded time", ns_text(report_.wall_ns));
    document_.blocks.emplace_back(std::move(properties));
  }

  void add_findings() {
    Points points;
    for (std::size_t i = 0; i < diagnosis_.findings.size(); ++i) {
      const Finding& finding = diagnosis_.findings[i];
      Point point{fmt::format("{}.", i + 1),
                  finding.id,
                  fmt::format("{}, gain {}", to_string(finding.severity), gain_text(finding.gain)),
                  {},
                  Tone::kNone,
                  severity_tone(finding.severity)};
      // The verdict has said the first one's statement, and what to do first.
      if (i > 0) point.lines.push_back({"", finding.statement});
      point.lines.push_back(
          {"evidence", evidence_list(finding.evidence, Facts{}, kMostTimelineEvidence)});
      if (diagnosis_.verdict.next.find(finding.next) == std::string::npos) {
        point.lines.push_back({"next", finding.next});
      }
      points.points.push_back(std::move(point));
    }
    if (!points.points.empty()) document_.blocks.emplace_back(std::move(points));
    add_not_evaluated();
  }

  // What keeps one rule from looking keeps most of them: each reason is said once.
  void add_not_evaluated() {
    std::vector<std::pair<std::string, std::vector<std::string_view>>> by_reason;
    for (const NotEvaluated& rule : diagnosis_.not_evaluated) {
      auto known = std::find_if(by_reason.begin(), by_reason.end(),
                                [&](const auto& one) { return one.first == rule.reason; });
      if (known == by_reason.end()) known = by_reason.insert(known, {rule.reason, {}});
      known->second.push_back(rule.id);
    }
    for (const auto& [reason, rules] : by_reason) {
      document_.blocks.emplace_back(
          Callout{false, fmt::format("not evaluated: {} ({})", fmt::join(rules, ", "), reason)});
    }
  }

  void add_device(const DeviceRow& device) {
    const TimeShares& time = device.time;
    const std::string gpu = device.name.empty()
                                ? fmt::format("GPU {}", device.id)
                                : fmt::format("GPU {} ({})", device.id, shown_name(device.name));
    Table table{{{fmt::format("Where the time of {} goes", gpu)},
                 {"Time", Align::kRight},
                 {"Share", Align::kRight}},
                {}};
    const auto add = [&](std::string name, std::int64_t ns) {
      table.rows.push_back(
          {{std::move(name)}, {ns_text(ns), true}, {share_cell(time.share(ns)), true}});
    };
    const std::int64_t unexplained = std::min(device.unexplained_ns, time.of(IdleClass::kLaunch));
    add("kernels", time.parts.compute_ns);
    add("communication that nothing hides", time.parts.communication_ns);
    add("copies that nothing hides", time.parts.copy_ns);
    for (const IdleClassInfo& one : kIdleClassTable) {
      const std::int64_t ns =
          time.of(one.idle) - (one.idle == IdleClass::kLaunch ? unexplained : 0);
      if (one.idle == IdleClass::kUnattributed || ns == 0) continue;
      add(fmt::format("idle: {}", one.label), ns);
    }
    if (unexplained > 0) add("idle: launch, not explained", unexplained);
    add("idle: unattributed", time.of(IdleClass::kUnattributed));
    add("span, from its first operation to its last", time.span_ns);
    const auto add_outside = [&](std::string name, std::int64_t ns) {
      if (ns > 0) table.rows.push_back({{std::move(name)}, {ns_text(ns), true}, {"-", true}});
    };
    add_outside("before it", device.before_ns);
    add_outside("after it", device.after_ns);
    document_.blocks.emplace_back(std::move(table));
    const double overlap = time.share(device.concurrent_ns);
    document_.blocks.emplace_back(Paragraph{fmt::format(
        "{}, {} of the span with two or more at once (at most {}). Copies take {}, of which {} is "
        "hidden; communication {}, of which {} is hidden. {}, median {}, longest {}.",
        plural(device.ops, "operation"), percent(overlap), device.most_concurrent,
        ns_text(device.copies_ns), ns_text(device.copies_ns - time.parts.copy_ns),
        ns_text(device.communication_ns),
        ns_text(device.communication_ns - time.parts.communication_ns), plural(device.gaps, "gap"),
        ns_text(device.median_gap_ns), ns_text(device.longest_gap_ns))});
  }

  std::size_t rows_shown(std::size_t all, std::size_t most) const {
    return parts_.all ? all : std::min(all, most);
  }

  void add_left_out(std::size_t all, std::size_t shown, std::string_view what) {
    if (shown == all) return;
    document_.blocks.emplace_back(Paragraph{fmt::format(
        "{} more {} ({} shows them).", group_digits(all - shown), what, option("all"))});
  }

  void add_names(std::string_view title, const std::vector<NameRow>& rows, bool kernels) {
    if (rows.empty()) return;
    Table table{{{std::string(title), Align::kLeft, true, false, true},
                 {"Count", Align::kRight},
                 {"Total", Align::kRight},
                 {"Share", Align::kRight},
                 {"Min", Align::kRight, false, true},
                 {"Median", Align::kRight},
                 {"Max", Align::kRight, false, true}},
                {}};
    const std::size_t shown = rows_shown(rows.size(), kShortTable);
    for (std::size_t i = 0; i < shown; ++i) {
      const NameRow& row = rows[i];
      table.rows.push_back({{kernels ? table_name(row.name) : shown_name(row.name)},
                            {group_digits(row.count), true},
                            {ns_text(row.sum_ns), true},
                            {share_cell(row.share), true},
                            {ns_text(row.min_ns), true},
                            {ns_text(row.median_ns), true},
                            {ns_text(row.max_ns), true}});
    }
    document_.blocks.emplace_back(std::move(table));
    add_left_out(rows.size(), shown, kernels ? "kernels" : "calls");
  }

  void add_operators() {
    if (report_.operators.empty()) return;
    Table table{{{"Operators, by the GPU time they asked for", Align::kLeft, true},
                 {"Operations", Align::kRight},
                 {"GPU time", Align::kRight},
                 {"Share", Align::kRight}},
                {}};
    const std::size_t shown = rows_shown(report_.operators.size(), kShortTable);
    for (std::size_t i = 0; i < shown; ++i) {
      const NameRow& row = report_.operators[i];
      table.rows.push_back({{shown_name(row.name)},
                            {group_digits(row.count), true},
                            {ns_text(row.sum_ns), true},
                            {share_cell(row.share), true}});
    }
    document_.blocks.emplace_back(std::move(table));
    add_left_out(report_.operators.size(), shown, "operators");
  }

  void add_copies() {
    if (report_.copies.empty()) return;
    Table table{{{"Copies"},
                 {"Host memory"},
                 {"Size"},
                 {"Count", Align::kRight},
                 {"Time", Align::kRight},
                 {"Bytes", Align::kRight},
                 {"Throughput", Align::kRight}},
                {}};
    for (const CopyTimes& copy : report_.copies) {
      table.rows.push_back(
          {{std::string(to_string(copy.direction))},
           {copy.memory == HostMemory::kNone ? "-" : std::string(to_string(copy.memory))},
           {std::string(to_string(copy.size))},
           {group_digits(copy.count), true},
           {ns_text(copy.sum_ns), true},
           {bytes_text(copy.bytes), true},
           {rate_text(copy), true}});
    }
    document_.blocks.emplace_back(std::move(table));
    if (const std::string hint = pinned_hint(); !hint.empty()) {
      document_.blocks.emplace_back(Paragraph{hint});
    }
  }

  // What pinned memory could give, by the best rate of this timeline's own pinned copies.
  std::string pinned_hint() const {
    double best = 0;
    double pageable_bytes = 0;
    double pageable_ns = 0;
    for (const CopyTimes& copy : report_.copies) {
      if (!copy.bytes || copy.sum_ns == 0 || copy.size != CopySize::kLarge) continue;
      const auto bytes = static_cast<double>(*copy.bytes);
      const auto ns = static_cast<double>(copy.sum_ns);
      if (copy.memory == HostMemory::kPinned) best = std::max(best, bytes / ns);
      if (copy.memory == HostMemory::kPageable) {
        pageable_bytes += bytes;
        pageable_ns += ns;
      }
    }
    if (pageable_ns == 0) return "";
    if (best == 0) {
      return fmt::format(
          "Large copies of pageable memory run at {:.3g} GB/s; pinned memory reaches the link's "
          "rate (about 25 GB/s on PCIe 4, 50 on PCIe 5) and lets the host go on.",
          pageable_bytes / pageable_ns);
    }
    return fmt::format(
        "Large copies of pageable memory run at {:.3g} GB/s; at the {:.3g} GB/s of the pinned ones "
        "they would take {} less.",
        pageable_bytes / pageable_ns, best,
        time_text(std::max(pageable_ns - pageable_bytes / best, 0.0)));
  }

  void add_gaps() {
    if (report_.gaps.empty()) return;
    Table table{{{"Gap", Align::kRight},
                 {"At", Align::kRight},
                 {"Class"},
                 {"Host activity", Align::kLeft, true},
                 {"Launched by", Align::kLeft, true},
                 {"Next op", Align::kLeft, true, true, true}},
                {}};
    const std::size_t shown = rows_shown(report_.gaps.size(), kShortTable);
    for (std::size_t i = 0; i < shown; ++i) {
      const GapRow& gap = report_.gaps[i];
      table.rows.push_back({{ns_text(gap.length_ns), true},
                            {ns_text(gap.start_ns), true},
                            {class_text(gap)},
                            {shown_name(gap.meanwhile.empty() ? "-" : gap.meanwhile)},
                            {shown_name(gap.asked_by.empty() ? gap.call : gap.asked_by)},
                            {table_name(gap.ended_by)}});
    }
    document_.blocks.emplace_back(std::move(table));
  }

  static std::string class_text(const GapRow& gap) {
    if (gap.idle == IdleClass::kLaunch && gap.length_ns > kLongestLaunchGapNs) {
      return "launch (not explained)";
    }
    return std::string(idle_class_info(gap.idle).label);
  }

  void add_launching() {
    const LaunchDelays& delays = report_.delays;
    if (delays.count == 0) return;
    document_.blocks.emplace_back(
        Properties{{{"launch delay", fmt::format("median {}, {} to {}: from a call to its kernel",
                                                 ns_text(delays.median_ns), ns_text(delays.min_ns),
                                                 ns_text(delays.max_ns))},
                    {"queue", fmt::format("{:.1f} operations waiting on average, {} at most",
                                          delays.mean_queue, delays.deepest_queue)}}});
  }

  void add_streams() {
    if (report_.streams.size() < 2) return;
    Table table{{{"Stream", Align::kRight},
                 {"GPU", Align::kRight},
                 {"Operations", Align::kRight},
                 {"Busy", Align::kRight}},
                {}};
    const std::size_t shown = rows_shown(report_.streams.size(), kShortTable);
    for (std::size_t i = 0; i < shown; ++i) {
      const StreamRow& row = report_.streams[i];
      table.rows.push_back({{std::to_string(row.stream), true},
                            {std::to_string(row.device), true},
                            {group_digits(row.ops), true},
                            {ns_text(row.busy_ns), true}});
    }
    document_.blocks.emplace_back(std::move(table));
    add_left_out(report_.streams.size(), shown, "streams");
  }

  void add_steps() {
    if (report_.steps.empty()) return;
    Table table{{{"Step", Align::kLeft, true},
                 {"Time", Align::kRight},
                 {"Kernels", Align::kRight},
                 {"Copies", Align::kRight, false, true},
                 {"Communication", Align::kRight, false, true},
                 {"Idle", Align::kRight},
                 {"Remark", Align::kLeft, true}},
                {}};
    const std::size_t shown = rows_shown(report_.steps.size(), kShortSteps);
    for (std::size_t i = 0; i < report_.steps.size(); ++i) {
      const StepRow& step = report_.steps[i];
      if (i >= shown && !step.slowest) continue;
      std::string remark = step.slowest ? "slowest" : i == 0 ? "first, may warm up" : "";
      if (!step.why.empty()) remark += ": " + step.why;
      // Without a GPU nothing is known of its time, which is not the same as none.
      const auto part = [&](std::int64_t ns) -> Cell {
        return {report_.devices.empty() ? "-" : share_cell(step.time.share(ns)), true};
      };
      table.rows.push_back({{shown_name(step.name)},
                            {ns_text(step.time.span_ns), true},
                            part(step.time.parts.compute_ns),
                            part(step.time.parts.copy_ns),
                            part(step.time.parts.communication_ns),
                            part(step.time.parts.idle_ns),
                            {remark}});
    }
    document_.blocks.emplace_back(std::move(table));
    add_left_out(report_.steps.size(), shown, "steps");
  }

  void add_ranks() {
    if (report_.ranks.empty()) return;
    Table table{{{"Rank", Align::kRight},
                 {"Span", Align::kRight},
                 {"Kernels", Align::kRight},
                 {"Communication", Align::kRight},
                 {"Idle", Align::kRight},
                 {"Waits for others", Align::kRight},
                 {"Comes last", Align::kRight},
                 {"File", Align::kLeft, true, true}},
                {}};
    for (const RankRow& row : report_.ranks) {
      table.rows.push_back({{std::to_string(row.rank), true},
                            {ns_text(row.time.span_ns), true},
                            {share_cell(row.time.share(row.time.parts.compute_ns)), true},
                            {share_cell(row.time.share(row.time.parts.communication_ns)), true},
                            {share_cell(row.time.share(row.time.parts.idle_ns)), true},
                            {ns_text(row.wait_ns), true},
                            {fmt::format("{} of {}", row.came_last, row.collectives), true},
                            {row.path}});
    }
    document_.blocks.emplace_back(std::move(table));
    const RankRow* last = straggler(report_.ranks);
    if (last == nullptr) {
      document_.blocks.emplace_back(
          Paragraph{report_.ranks.front().collectives == 0
                        ? "No collective could be matched between these ranks."
                        : "All ranks come to their collectives at the same time."});
      return;
    }
    std::int64_t longest = 0;
    for (const RankRow& row : report_.ranks) longest = std::max(longest, row.wait_ns);
    document_.blocks.emplace_back(Paragraph{
        fmt::format("Rank {} comes last to {} of {} collectives; the others wait up to {} for it.",
                    last->rank, last->came_last, last->collectives, ns_text(longest))});
  }

  void add_facts() {
    Table table{{{"Fact"}, {"Value", Align::kLeft, true}}, {}};
    for (const Fact& fact : diagnosis_.facts.published()) {
      table.rows.push_back({{fact.name}, {quantity_text(fact.value, fact.unit)}});
    }
    for (const AbsentFact& absent : diagnosis_.facts.absent()) {
      table.rows.push_back({{absent.name}, {"absent: " + absent.reason}});
    }
    document_.blocks.emplace_back(std::move(table));
  }

  const TimelineDiagnosis& diagnosis_;
  const TimelineReport& report_;
  const TimelineParts& parts_;
  Document document_;
};

}  // namespace

Document compose_timeline(const TimelineDiagnosis& diagnosis, const TimelineParts& parts) {
  return TimelinePage(diagnosis, parts).compose();
}

}  // namespace proofline
