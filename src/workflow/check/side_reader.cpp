// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/side_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/list_folder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/diagnose.h"
#include "model/machine/preflight.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/ceilings.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "readers/sanitizer/sanitizer_log.h"
#include "readers/timeline/recorded_timeline.h"
#include "workflow/check/side_facts.h"
#include "workflow/code/analysed_code.h"
#include "workflow/timeline/timeline_files.h"

namespace proofline {
namespace {

// What single programs left that a run started ("a-1.json" of the start "a-1", beside what it
// printed): the run has put together what they say (benchmark.json).
class StepsOfRun {
 public:
  explicit StepsOfRun(const std::vector<std::string>& names) {
    if (std::find(names.begin(), names.end(), "run.json") == names.end()) return;
    for (const std::string& name : names) {
      const std::size_t end = name.rfind(".stdout");
      if (end != std::string::npos) steps_.insert(name.substr(0, end));
    }
  }

  bool left(const std::string& name) const {
    for (std::size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0;
         dot = name.rfind('.', dot - 1)) {
      if (steps_.contains(name.substr(0, dot))) return true;
    }
    return false;
  }

 private:
  std::unordered_set<std::string> steps_;
};

class SideReader {
 public:
  SideReader(const std::vector<Lock>& locks, const InputLimits& limits)
      : locks_(locks), limits_(limits) {}

  Result<EvidenceOfSide> read(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (is_folder(path)) {
        RETURN_IF_ERROR(read_folder(path));
      } else {
        RETURN_IF_ERROR(read_file(path));
      }
    }
    RETURN_IF_ERROR(diagnose_profiles());
    for (CodeToRead& code : code_) RETURN_IF_ERROR(read_code_file(code));
    RETURN_IF_ERROR(read_timelines());
    return std::move(side_);
  }

 private:
  struct CodeToRead {
    std::string path;
    std::optional<Input> input;  // nothing: a folder
  };

  // The files that are known; a folder of Triton's cache is code.
  Result<void> read_folder(const std::string& folder) {
    if (is_recording_folder(folder)) {
      add_timeline(folder);
      return {};
    }
    ASSIGN_OR_RETURN(const auto names, list_folder(folder));
    const StepsOfRun steps(names);
    std::size_t known = 0;
    for (const std::string& name : names) {
      const std::string path = fmt::format("{}/{}", folder, name);
      auto input = Input::open(path, limits_);
      if (!input) continue;
      const auto prefix = input->peek(kSniffBytes);
      const Format* format = prefix ? identify(*prefix) : nullptr;
      if (format == nullptr) continue;
      if (steps.left(name) && !format->offers(InputKind::kSanitizerLog)) continue;
      ++known;
      if (format->offers(InputKind::kTimeline)) {
        // What the processes of a job left is one timeline.
        add_timeline(folder);
      } else {
        RETURN_IF_ERROR(read_file(path));
      }
    }
    if (known > 0) return {};
    if (const std::string recording = recording_of_run(folder); !recording.empty()) {
      add_timeline(recording);
    } else {
      code_.push_back({folder, std::nullopt});
    }
    return {};
  }

  Result<void> read_file(const std::string& path) {
    ASSIGN_OR_RETURN(auto input, Input::open(path, limits_));
    ASSIGN_OR_RETURN(const Format* format,
                     identify(input, {InputKind::kProfile, InputKind::kCode, InputKind::kBenchmark,
                                      InputKind::kSanitizerLog, InputKind::kCeilings,
                                      InputKind::kTimeline, InputKind::kPreflight}));
    if (format->offers(InputKind::kTimeline)) {
      add_timeline(path);
      return {};
    }
    side_.sources.push_back(path);
    if (format->offers(InputKind::kProfile)) {
      ASSIGN_OR_RETURN(auto profile, read_profile(input, diagnosis_read_options(true)));
      profile.path = path;
      side_.profiles.push_back(std::move(profile));
    } else if (format->offers(InputKind::kCode)) {
      code_.push_back({path, std::move(input)});
    } else if (format->offers(InputKind::kBenchmark)) {
      ASSIGN_OR_RETURN(auto series, read_benchmark(path, limits_));
      add_notes(notes_of(series));
      add_benchmark(std::move(series));
    } else if (format->offers(InputKind::kSanitizerLog)) {
      ASSIGN_OR_RETURN(auto log, read_sanitizer_log(input));
      SanitizerToolResult result;
      result.log = std::move(log);
      result.tool = result.log.tool;
      judge_log(result);
      publish_sanitizer(result, side_.facts);
      add_notes(result.log.notes);
    } else if (format->offers(InputKind::kPreflight)) {
      ASSIGN_OR_RETURN(const auto preflight, format->read_preflight(input));
      publish_preflight(preflight, side_.facts);
      add_notes(preflight.notes);
    } else {
      ASSIGN_OR_RETURN(const auto ceilings, format->read_ceilings(input));
      publish_ceilings(ceilings, side_.facts);
      add_notes(ceilings.notes);
    }
    return {};
  }

  // Two sides are those of a change, as `decide` takes them; what is judged is the one after it.
  void add_benchmark(BenchmarkSeries series) {
    if (series.sides.size() == 2) {
      publish_benchmark(series.sides.back().benchmark, side_.facts);
      side_.pair = std::move(series);
      return;
    }
    for (BenchmarkSide& one : series.sides) {
      publish_benchmark(one.benchmark, side_.facts);
      side_.benchmarks.push_back(std::move(one.benchmark));
    }
  }

  void add_notes(const std::vector<Note>& notes) {
    side_.notes.insert(side_.notes.end(), notes.begin(), notes.end());
  }

  void add_timeline(const std::string& path) {
    auto& paths = timelines_.paths;
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) return;
    side_.sources.push_back(path);
    paths.push_back(path);
  }

  // Several are the ranks of one job.
  Result<void> read_timelines() {
    if (timelines_.paths.empty()) return {};
    timelines_.limits = limits_;
    ASSIGN_OR_RETURN(auto diagnosis, read_timeline_files(timelines_));
    const std::vector<RankRow>& ranks = diagnosis.report.ranks;
    if (!ranks.empty() && ranks.front().collectives == 0) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} and {} are two timelines that have no collective in common: a "
                              "side has one program, or the ranks of one job ({} takes the other)",
                              quote(ranks[0].path), quote(ranks[1].path), option("before")));
    }
    for (const Fact& fact : diagnosis.facts.published()) side_.facts.add(fact);
    for (const AbsentFact& absent : diagnosis.facts.absent()) side_.facts.add_absent(absent);
    side_.timeline = std::move(diagnosis);
    return {};
  }

  // Only functions that a lock may be closed on, or that are the code of a kernel that one fits.
  Result<void> read_code_file(CodeToRead& file) {
    CodeOptions options;
    options.disassembler = "native";  // no other program is run for a check
    CodeDemand demand;
    demand.functions = true;
    demand.wants = [this](const std::string& name) {
      return profiled_.contains(name) ||
             std::any_of(locks_.begin(), locks_.end(),
                         [&](const Lock& lock) { return lock.matches_function(name); });
    };
    auto code = file.input
                    ? analyse_code(file.path, std::move(*file.input), options, demand, limits_)
                    : analyse_code(file.path, options, demand, limits_);
    if (!code) {  // where none fits, all of them are named
      demand.wants = nullptr;
      code = analyse_code(file.path, options, demand, limits_);
    }
    RETURN_IF_ERROR(code);
    side_.code.push_back(std::make_unique<CodeSide>(std::move(*code)));
    return {};
  }

  // Only kernels that a lock may be closed on.
  Result<void> diagnose_profiles() {
    if (side_.profiles.empty()) return {};
    DiagnoseOptions options;
    for (const Profile& profile : side_.profiles) {
      auto& chosen = options.launches.emplace_back();
      for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const bool wanted = std::any_of(locks_.begin(), locks_.end(), [&](const Lock& lock) {
          return lock.matches(profile.launches[i]);
        });
        if (!wanted) continue;
        chosen.push_back(i);
        profiled_.insert(profile.launches[i].mangled);
      }
    }
    const bool any = std::any_of(options.launches.begin(), options.launches.end(),
                                 [](const auto& chosen) { return !chosen.empty(); });
    if (any) side_.diagnosis = diagnose(side_.profiles, options);
    return {};
  }

  const std::vector<Lock>& locks_;
  const InputLimits& limits_;
  EvidenceOfSide side_;
  TimelinePlan timelines_;
  std::vector<CodeToRead> code_;              // read when the profiles are
  std::unordered_set<std::string> profiled_;  // mangled names of kernels that a lock fits
};

}  // namespace

Result<EvidenceOfSide> read_side(const std::vector<std::string>& paths,
                                 const std::vector<Lock>& locks, const InputLimits& limits) {
  return SideReader(locks, limits).read(paths);
}

}  // namespace proofline
