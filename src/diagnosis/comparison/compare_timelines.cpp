// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/comparison/compare_timelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/timeline/least_work.h"

namespace proofline {
namespace {

// Both sides' sums by name, each divided by how many steps it is about.
class ChangesByName {
 public:
  ChangesByName(double a_steps, double b_steps) : a_steps_(a_steps), b_steps_(b_steps) {}

  void add_a(const std::string& name, std::int64_t ns, std::uint64_t count) {
    TimelineChange& change = changes_[name];
    change.a_ns += static_cast<double>(ns) / a_steps_;
    change.a_count += static_cast<double>(count) / a_steps_;
  }
  void add_b(const std::string& name, std::int64_t ns, std::uint64_t count) {
    TimelineChange& change = changes_[name];
    change.b_ns += static_cast<double>(ns) / b_steps_;
    change.b_count += static_cast<double>(count) / b_steps_;
  }

  // The largest change first; ties by name.
  std::vector<TimelineChange> sorted() const {
    std::vector<TimelineChange> rows;
    for (const auto& [name, change] : changes_) {
      rows.push_back(change);
      rows.back().name = name;
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const TimelineChange& a, const TimelineChange& b) {
                       return std::abs(a.change_ns()) > std::abs(b.change_ns());
                     });
    return rows;
  }

 private:
  double a_steps_;
  double b_steps_;
  std::map<std::string, TimelineChange> changes_;
};

std::string_view direction_name(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kUnknown: return "unknown direction";
    case CopyDirection::kHostToDevice: return "host to device";
    case CopyDirection::kDeviceToHost: return "device to host";
    case CopyDirection::kDeviceToDevice: return "device to device";
    case CopyDirection::kHostToHost: return "host to host";
    case CopyDirection::kPeerToPeer: return "peer to peer";
  }
  return "";
}

std::string copy_name_of(const CopyTimes& copy) {
  std::string name(direction_name(copy.direction));
  if (copy.memory == HostMemory::kPageable) name += ", pageable";
  if (copy.memory == HostMemory::kPinned) name += ", pinned";
  return name;
}

const DeviceRow* worst_device(const TimelineReport& report) {
  return report.worst < report.devices.size() ? &report.devices[report.worst] : nullptr;
}

TimelineSide timeline_side(const TimelineDiagnosis& diagnosis, double steps) {
  const TimelineReport& report = diagnosis.report;
  TimelineSide side{.path = report.path,
                    .format = report.format,
                    .producer = report.producer,
                    .headline = diagnosis.verdict.headline,
                    .gpu = {},
                    .steps = report.steps.size(),
                    .wall_ns = report.wall_ns,
                    .span_ns = 0,
                    .doubt = report.ops_missing};
  if (const DeviceRow* device = worst_device(report)) {
    side.gpu = device->name.empty() ? fmt::format("GPU {}", device->id) : device->name;
    side.span_ns = static_cast<double>(device->time.span_ns) / steps;
    if (device->time.span_ns > kMostSpanNs) side.doubt = "a time in it is wrong";
  }
  return side;
}

std::vector<TimelineChange> parts_of(const TimelineReport& a, const TimelineReport& b,
                                     double a_steps, double b_steps) {
  const DeviceRow* device_a = worst_device(a);
  const DeviceRow* device_b = worst_device(b);
  const TimeShares nothing;
  const TimeShares& time_a = device_a != nullptr ? device_a->time : nothing;
  const TimeShares& time_b = device_b != nullptr ? device_b->time : nothing;
  std::vector<TimelineChange> parts;
  const auto add = [&](std::string name, std::int64_t a_ns, std::int64_t b_ns) {
    if (a_ns == 0 && b_ns == 0) return;
    parts.push_back({.name = std::move(name),
                     .a_ns = static_cast<double>(a_ns) / a_steps,
                     .b_ns = static_cast<double>(b_ns) / b_steps});
  };
  add("kernels", time_a.parts.compute_ns, time_b.parts.compute_ns);
  add("communication, not hidden", time_a.parts.communication_ns, time_b.parts.communication_ns);
  add("copies, not hidden", time_a.parts.copy_ns, time_b.parts.copy_ns);
  for (const IdleClassInfo& one : kIdleClassTable) {
    add(fmt::format("idle: {}", one.label), time_a.of(one.idle), time_b.of(one.idle));
  }
  return parts;
}

void add_notes_of(const TimelineReport& report, NoteSide side, std::vector<Note>& notes) {
  for (Note note : report.notes) {
    note.side = side;
    notes.push_back(std::move(note));
  }
}

}  // namespace

TimelineComparison compare_timelines(const TimelineDiagnosis& diagnosis_a,
                                     const TimelineDiagnosis& diagnosis_b) {
  const TimelineReport& a = diagnosis_a.report;
  const TimelineReport& b = diagnosis_b.report;
  TimelineComparison result;
  result.by_step = !a.steps.empty() && !b.steps.empty() && a.steps.size() != b.steps.size();
  const double a_steps = result.by_step ? static_cast<double>(a.steps.size()) : 1;
  const double b_steps = result.by_step ? static_cast<double>(b.steps.size()) : 1;
  result.a = timeline_side(diagnosis_a, a_steps);
  result.b = timeline_side(diagnosis_b, b_steps);
  result.parts = parts_of(a, b, a_steps, b_steps);
  using Rows = std::vector<NameRow> TimelineReport::*;
  const auto by_name = [&](Rows rows) {
    ChangesByName changes(a_steps, b_steps);
    for (const NameRow& row : a.*rows) changes.add_a(row.name, row.sum_ns, row.count);
    for (const NameRow& row : b.*rows) changes.add_b(row.name, row.sum_ns, row.count);
    return changes.sorted();
  };
  result.kernels = by_name(&TimelineReport::kernels);
  result.calls = by_name(&TimelineReport::calls);
  result.operators = by_name(&TimelineReport::operators);
  ChangesByName copies(a_steps, b_steps);
  for (const CopyTimes& copy : a.copies) copies.add_a(copy_name_of(copy), copy.sum_ns, copy.count);
  for (const CopyTimes& copy : b.copies) copies.add_b(copy_name_of(copy), copy.sum_ns, copy.count);
  result.copies = copies.sorted();
  ChangesByName steps(1, 1);
  for (const StepRow& step : a.steps) steps.add_a(step.name, step.time.span_ns, 1);
  for (const StepRow& step : b.steps) steps.add_b(step.name, step.time.span_ns, 1);
  result.steps = steps.sorted();
  add_notes_of(a, NoteSide::kA, result.notes);
  add_notes_of(b, NoteSide::kB, result.notes);
  if (result.a.gpu != result.b.gpu) {
    result.notes.push_back(
        {NoteKind::kInfo, "",
         fmt::format("the GPUs differ: A ran on {}, B on {}", result.a.gpu, result.b.gpu)});
  }
  return result;
}

}  // namespace proofline
