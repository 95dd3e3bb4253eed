// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/timeline_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "analysis/timeline/ranks.h"
#include "base/list_folder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/timeline/recorded_timeline.h"
#include "workflow/timeline/nsys_report.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

bool is_timeline_file(const std::string& path, const InputLimits& limits) {
  auto input = Input::open(path, limits);
  return input && identify(*input, {InputKind::kTimeline});
}

// The timelines of a folder; what else it holds is left alone, but named: it may be a rank.
struct FolderFiles {
  std::vector<std::string> timelines;
  std::vector<std::string> others;
};

Result<FolderFiles> timelines_in(const std::string& folder, const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  FolderFiles files;
  for (const std::string& name : names) {
    std::error_code error;
    std::string file = (fs::path(folder) / name).string();
    if (!fs::is_regular_file(file, error)) continue;
    const bool is_read = is_timeline_file(file, limits);
    (is_read ? files.timelines : files.others).push_back(std::move(file));
  }
  return files;
}

void note_others(const std::vector<std::string>& others, std::vector<Note>& notes) {
  if (others.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string named;
  for (std::size_t i = 0; i < others.size() && i < kNamed; ++i) {
    named += fmt::format("{}{}", i == 0 ? "" : ", ", quote(others[i]));
  }
  notes.push_back({NoteKind::kInfo, "",
                   fmt::format("{} in the folder {} no timeline that can be read: {}{}",
                               plural(others.size(), "file"), others.size() == 1 ? "is" : "are",
                               named, others.size() > kNamed ? ", ..." : "")});
}

// A folder without a timeline is an error.
Result<std::vector<std::string>> files_of(const TimelinePlan& plan, std::vector<Note>& notes) {
  std::vector<std::string> files;
  for (const std::string& path : plan.paths) {
    std::error_code error;
    if (!fs::is_directory(path, error) || is_recording_folder(path)) {
      files.push_back(path);
      continue;
    }
    ASSIGN_OR_RETURN(const auto found, timelines_in(path, plan.limits));
    if (found.timelines.empty()) {
      if (std::string recording = recording_of_run(path); !recording.empty()) {
        files.push_back(std::move(recording));
        continue;
      }
      return fail(ErrorKind::kInput, fmt::format("{}: no timeline in this folder", quote(path)));
    }
    files.insert(files.end(), found.timelines.begin(), found.timelines.end());
    note_others(found.others, notes);
  }
  return files;
}

// As the files say, or else their place in the list; a rank that comes twice is another one, of
// which a user who gave one file twice must be told.
void number_ranks(const std::vector<TimelineReport>& reports, std::vector<RankRow>& rows,
                  std::vector<Note>& notes) {
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t said = rows[i].rank;
    while (taken.contains(rows[i].rank)) ++rows[i].rank;
    taken.insert(rows[i].rank);
    if (rows[i].rank == said || !reports[i].rank) continue;
    notes.push_back({NoteKind::kInfo, "",
                     fmt::format("{} says that it is rank {}, as another file does; it is shown as "
                                 "rank {}",
                                 quote(rows[i].path), said, rows[i].rank)});
  }
}

// Whom the ranks wait for can only be told of those that are here, and by what they have in common.
void note_missing_ranks(const std::vector<TimelineReport>& reports,
                        const std::vector<std::vector<RankCollective>>& collectives,
                        const std::vector<RankRow>& rows, std::vector<Note>& notes) {
  std::uint64_t ranks = 0;
  for (const TimelineReport& report : reports) {
    if (report.rank) ranks = std::max<std::uint64_t>(ranks, std::uint64_t{*report.rank} + 1);
    for (const CollectiveTimes& one : report.collectives)
      ranks = std::max<std::uint64_t>(ranks, one.ranks);
  }
  if (ranks > reports.size()) {
    notes.push_back({NoteKind::kInfo, "",
                     fmt::format("{} of {} ranks are here: these may wait for one of the others",
                                 reports.size(), ranks)});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t all = collectives[i].size();
    if (rows[i].collectives == 0 || 2 * rows[i].collectives >= all) continue;
    notes.push_back({NoteKind::kInfo, fmt::format("rank {}", rows[i].rank),
                     fmt::format("only {} of its {} collectives were matched with those of all "
                                 "others",
                                 rows[i].collectives, all)});
  }
}

// Without a straggler, the first rank in which a GPU works.
std::size_t most_telling(const std::vector<RankRow>& rows) {
  if (const RankRow* last = straggler(rows)) return static_cast<std::size_t>(last - rows.data());
  const auto works = std::find_if(rows.begin(), rows.end(),
                                  [](const RankRow& row) { return row.time.span_ns > 0; });
  return works == rows.end() ? 0 : static_cast<std::size_t>(works - rows.begin());
}

Result<std::size_t> chosen_rank(const TimelinePlan& plan, const std::vector<RankRow>& rows) {
  if (!plan.rank) return most_telling(rows);
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const RankRow& row) { return row.rank == *plan.rank; });
  if (found != rows.end()) return static_cast<std::size_t>(found - rows.begin());
  std::string known;
  for (const RankRow& row : rows) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.rank);
  return fail(ErrorKind::kUsage, fmt::format("{} {}: no such rank; the files have ranks: {}",
                                             option("rank"), *plan.rank, known));
}

}  // namespace

bool is_timeline(const std::string& path, const InputLimits& limits) {
  if (path == "-") return false;
  if (is_recording_folder(path) || is_nsys_report(path)) return true;
  std::error_code error;
  if (!fs::is_directory(path, error)) return is_timeline_file(path, limits);
  const auto found = timelines_in(path, limits);
  return found && !found->timelines.empty();
}

Result<TimelineDiagnosis> read_timeline_files(const TimelinePlan& plan) {
  std::vector<Note> doubts;
  ASSIGN_OR_RETURN(const auto files, files_of(plan, doubts));
  std::vector<TimelineReport> reports;
  std::vector<RankRow> rows;
  std::vector<std::vector<RankCollective>> collectives;
  std::vector<std::optional<ProgramTime>> programs;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(auto timeline, read_timeline_or_report(file, plan.limits));
    if (files.size() > 1) collectives.push_back(collectives_of(timeline));
    if (plan.with_program) programs.push_back(program_time(timeline));
    ASSIGN_OR_RETURN(auto report, analyse_timeline(std::move(timeline), plan.filter));
    RankRow row;
    row.rank = report.rank.value_or(static_cast<std::uint32_t>(reports.size()));
    row.path = report.path;
    if (!report.devices.empty()) row.time = report.devices[report.worst].time;
    rows.push_back(std::move(row));
    reports.push_back(std::move(report));
  }
  number_ranks(reports, rows, doubts);
  if (files.size() > 1) {
    compare_ranks(collectives, rows);
    note_missing_ranks(reports, collectives, rows, doubts);
  }
  ASSIGN_OR_RETURN(const auto chosen, chosen_rank(plan, rows));
  TimelineReport report = std::move(reports[chosen]);
  report.notes.insert(report.notes.end(), doubts.begin(), doubts.end());
  if (files.size() > 1) {
    report.rank = rows[chosen].rank;
    report.ranks = std::move(rows);
    // What was lost of the others counts too.
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (i == chosen) continue;
      for (Note& note : reports[i].notes) {
        if (note.kind != NoteKind::kLoss) continue;
        note.place = fmt::format("rank {}{}{}", report.ranks[i].rank,
                                 note.place.empty() ? "" : ", ", note.place);
        report.notes.push_back(std::move(note));
      }
    }
  }
  TimelineDiagnosis diagnosis = diagnose_timeline(std::move(report));
  if (plan.with_program) diagnosis.program = std::move(programs[chosen]);
  return diagnosis;
}

}  // namespace proofline
