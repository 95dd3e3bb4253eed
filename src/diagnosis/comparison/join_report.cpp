// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/comparison/join_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

// ncu holds the clocks at their base and empties caches, which may cost a third; more than that is
// another kernel's time, another size or another machine.
constexpr double kMuchLonger = 1.5;
constexpr std::size_t kMostNamed = 3;

void add_notes_from(std::string_view file, const std::vector<Note>& from, std::vector<Note>& to) {
  for (Note note : from) {
    note.place = note.place.empty() ? std::string(file) : fmt::format("{}, {}", file, note.place);
    to.push_back(std::move(note));
  }
}

// Kernels that something holds for, the first few by name.
class NamedKernels {
 public:
  void add(const std::string& text) {
    if (++count_ > kMostNamed) return;
    text_ += (text_.empty() ? "" : "; ") + text;
  }
  std::size_t count() const { return count_; }
  std::string text() const {
    return count_ <= kMostNamed ? text_ : fmt::format("{}; {} more", text_, count_ - kMostNamed);
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

std::string short_name(const KernelSaving& kernel) {
  return quote(without_signature(kernel.display_name));
}

void note(std::string what, std::vector<Note>& notes) {
  notes.push_back({NoteKind::kInfo, "", std::move(what)});
}

void note_durations(const std::vector<KernelSaving>& kernels, std::vector<Note>& notes) {
  NamedKernels differ;
  for (const KernelSaving& kernel : kernels) {
    if (!kernel.profiled_ns || !kernel.median_ns || *kernel.median_ns <= 0) continue;
    const auto median = static_cast<double>(*kernel.median_ns);
    const double ratio = *kernel.profiled_ns / median;
    if (ratio < kMuchLonger && ratio > 1 / kMuchLonger) continue;
    differ.add(fmt::format("{}: {:.1f} us in the report, {:.1f} us in the timeline",
                           short_name(kernel), *kernel.profiled_ns / 1e3, median / 1e3));
  }
  if (differ.count() == 0) return;
  note(fmt::format("durations differ much, so gains may not carry over ({}); ncu holds clocks at "
                   "their base and empties caches unless told otherwise (--clock-control none, "
                   "--cache-control none)",
                   differ.text()),
       notes);
}

void note_shapes(const std::vector<KernelSaving>& kernels, std::vector<Note>& notes) {
  NamedKernels other;
  for (const KernelSaving& kernel : kernels) {
    if (kernel.other_launches == 0) continue;
    other.add(fmt::format("{}: {} of {}", short_name(kernel), kernel.other_launches,
                          plural(kernel.launches, "launch", "launches")));
  }
  if (other.count() == 0) return;
  note(fmt::format("launches with a grid or block that was not profiled are taken as alike ({})",
                   other.text()),
       notes);
}

void note_machine(const ReportJoin& join, const Diagnosis& diagnosis, std::vector<Note>& notes) {
  std::set<std::string> gpus;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    if (!kernel.device_name.empty()) gpus.insert(kernel.device_name);
  }
  const std::string& ran_on = join.time.device_name;
  if (!ran_on.empty() && !gpus.empty() && !gpus.contains(ran_on)) {
    note(fmt::format("the GPUs differ: the timeline is of {}, the report of {}", quote(ran_on),
                     quote(*gpus.begin())),
         notes);
  }
  if (join.time.devices > 1) {
    note(fmt::format("the timeline has {} GPUs; this is about the one that spends most time on "
                     "kernels",
                     join.time.devices),
         notes);
  }
}

void note_graphs(const ProgramTime& time, std::vector<Note>& notes) {
  if (time.graphs == 0) return;
  note(fmt::format("{} take {:.3g} % of the time, and the timeline does not say which kernels ran "
                   "in them (nsys profile --cuda-graph-trace=node would)",
                   plural(time.graphs, "graph launch", "graph launches"),
                   100 * time.share(time.graphs_ns)),
       notes);
}

}  // namespace

ReportJoin join_report(const TimelineDiagnosis& timeline, const Profile& profile,
                       const Diagnosis& diagnosis) {
  ReportJoin join;
  join.timeline_path = timeline.report.path;
  join.timeline_format = timeline.report.format;
  join.timeline_producer = timeline.report.producer;
  join.timeline_headline = timeline.verdict.headline;
  if (!diagnosis.sources.empty()) join.report = diagnosis.sources.front();
  join.reported = diagnosis.kernels.size();
  if (timeline.program) {
    join.time = *timeline.program;
    join.savings = program_savings(join.time, profile, diagnosis);
  }
  add_notes_from("timeline", timeline.report.notes, join.notes);
  add_notes_from("report", diagnosis.notes, join.notes);
  note_machine(join, diagnosis, join.notes);
  note_graphs(join.time, join.notes);
  note_durations(join.savings.kernels, join.notes);
  note_shapes(join.savings.kernels, join.notes);
  return join;
}

}  // namespace proofline
