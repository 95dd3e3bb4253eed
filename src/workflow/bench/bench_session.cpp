// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/bench_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "base/propagate.h"
#include "base/split_command.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "diagnosis/decision/selftest.h"
#include "tools/process/find_tool.h"
#include "views/measurement/benchmark_json.h"
#include "workflow/clock_text.h"
#include "workflow/profile/patterns.h"

namespace proofline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPilotStarts = 6;
constexpr std::size_t kLeastStarts = 10;

// Nothing: to be found out.
std::optional<TimeBy> time_by_of(const BenchPlan& plan) {
  for (const TimeBy time_by : {TimeBy::kProgram, TimeBy::kCupti, TimeBy::kWall}) {
    if (plan.time_by == to_string(time_by)) return time_by;
  }
  return plan.kernel.empty() ? std::nullopt : std::optional(TimeBy::kCupti);
}

Result<KernelFilter> kernel_filter(const BenchPlan& plan) {
  if (plan.kernel.empty()) return KernelFilter();
  if (time_by_of(plan) != TimeBy::kCupti) {
    return fail(ErrorKind::kUsage,
                "--kernel needs --time-by cupti: nothing else tells kernels apart");
  }
  ASSIGN_OR_RETURN(auto pattern, KernelPattern::compile(plan.kernel, "--kernel"));
  return [pattern = std::move(pattern)](const Launch& launch) { return pattern.matches(launch); };
}

std::string_view in_words(TimeBy time_by) {
  switch (time_by) {
    case TimeBy::kProgram: return "the program's own result";
    case TimeBy::kCupti: return "the GPU time of its kernels (CUPTI)";
    case TimeBy::kWall: return "the wall clock, round the whole process";
  }
  return "";
}

Result<void> write_series(const BenchmarkSeries& series, const std::string& path) {
  const auto write = [&](JsonWriter& json) { write_benchmark_series(series, json); };
  return write_whole_file(path, json_text(write) + '\n');
}

class BenchSession {
 public:
  BenchSession(const BenchPlan& plan, const std::vector<RunSide>& sides, KernelFilter kernel,
               RunFolder& folder, Announcer& announcer)
      : plan_(plan),
        several_(sides.size() > 1),
        announcer_(announcer),
        runs_(sides, options(std::move(kernel)), folder),
        folder_(folder) {}

  Result<BenchRun> run() {
    ASSIGN_OR_RETURN(const auto timing, runs_.choose_time_by());
    progress_.clear();
    say("timed by {}{}", in_words(timing.time_by),
        timing.why.empty() ? "" : ", since " + timing.why);
    for (std::size_t i = 0; i < plan_.warm_up; ++i) {
      RETURN_IF_ERROR(runs_.warm_up());
    }
    begun_ = Clock::now();
    RETURN_IF_ERROR(run_all());
    BenchRun result;
    result.series = runs_.series();
    result.time_by = timing.time_by;
    result.starts = done_;
    for (const BenchmarkSide& side : result.series.sides) {
      if (!side.benchmark.measurements.empty()) continue;
      return fail(ErrorKind::kTool, fmt::format("no start of {} measured anything; without "
                                                "--keep-going the first failure is told",
                                                side.label));
    }
    add_notes(result.series.sides.front().benchmark.notes);
    RETURN_IF_ERROR(write_series(result.series, folder_.path("benchmark.json")));
    return result;
  }

 private:
  template <class... Parts>
  void say(fmt::format_string<Parts...> text, Parts&&... parts) {
    announcer_.say(fmt::format(text, std::forward<Parts>(parts)...));
  }

  InterleavedOptions options(KernelFilter kernel) {
    InterleavedOptions options;
    options.time_by = time_by_of(plan_);
    options.kernel = std::move(kernel);
    options.time_limit = plan_.run.limit();
    options.keep_going = plan_.keep_going;
    options.show_output = plan_.run.show_output;
    if (options.show_output) return options;
    options.on_progress = [this](const std::string& what) {
      progress_.show(
          wanted_ == 0 ? what : fmt::format("{} of {}, {}", what, wanted_, elapsed_text(begun_)));
    };
    return options;
  }

  Result<void> run_all() {
    if (plan_.starts != 0) return run_until(plan_.starts);
    const std::size_t most = std::max<std::size_t>(1, plan_.max_starts);
    if (!several_) return run_until(std::min(kLeastStarts, most));
    if (auto done = run_until(std::min(kPilotStarts, most)); !done) return done;
    return out_of_time_ ? Result<void>{} : run_until(choose_starts(most));
  }

  std::size_t choose_starts(std::size_t most) {
    progress_.clear();
    const StartsNeeded needed = starts_needed(runs_.series(), plan_.effect);
    const std::size_t starts = std::min(std::max(needed.starts, kLeastStarts), most);
    if (needed.starts == 0) {
      say("{} starts of each side: too few pairs are complete to tell how many it takes", starts);
      return starts;
    }
    const bool never = needed.starts == std::numeric_limits<std::size_t>::max();
    std::string why = fmt::format(
        "after {} pairs the ratio of {} spreads by {}, and {} starts would show a change of {}",
        done_, quote(needed.configuration), share_text(needed.spread),
        never ? "no number of" : std::to_string(needed.starts), share_text(plan_.effect));
    if (needed.starts < kLeastStarts) why += fmt::format("; {} are the least", kLeastStarts);
    if (needed.starts > most && !never) why += "; --max-starts allows no more than these";
    say("{} starts of each side: {}", starts, why);
    return starts;
  }

  Result<void> run_until(std::size_t starts) {
    wanted_ = starts;
    while (done_ < starts && !out_of_time_) {
      if (auto done = runs_.run_round(); !done) return done;
      ++done_;
      const std::chrono::duration<double> passed = Clock::now() - begun_;
      const double next = passed.count() / static_cast<double>(done_);
      out_of_time_ = plan_.max_time > 0 && done_ < starts && passed.count() + next > plan_.max_time;
    }
    return {};
  }

  void add_notes(std::vector<Note>& notes) const {
    if (out_of_time_) {
      notes.push_back({NoteKind::kInfo, "",
                       fmt::format("--max-time ended it after {} starts of each side", done_), 1});
    }
    notes.insert(notes.end(), folder_.notes().begin(), folder_.notes().end());
  }

  const BenchPlan& plan_;
  bool several_;
  Announcer& announcer_;
  ProgressLine progress_{announcer_};
  InterleavedRuns runs_;
  RunFolder& folder_;
  Clock::time_point begun_;
  std::size_t wanted_ = 0;  // starts of each side; 0: none is counted yet
  std::size_t done_ = 0;
  bool out_of_time_ = false;
};

// The files are told by the name that their folder has in the end.
Error with_kept_files(Error error, RunFolder& folder) {
  if (error.kind == ErrorKind::kInterrupted) return error;
  const std::string temporary = folder.path("");
  const auto kept = folder.finish(error.kind == ErrorKind::kTimeLimit ? "time-limit" : "failed");
  if (!kept) return error;
  const std::string final_path = *kept + "/";
  if (const std::size_t at = error.message.find(temporary); at != std::string::npos) {
    error.message.replace(at, temporary.size(), final_path);
  }
  error.message += "\n  what it printed is kept in " + quote(*kept);
  return error;
}

}  // namespace

Result<RunSide> command_side(std::string_view label, std::string_view command) {
  ASSIGN_OR_RETURN(auto argv, split_command(command));
  return command_side(label, std::move(argv));
}

Result<RunSide> command_side(std::string_view label, std::vector<std::string> argv) {
  ASSIGN_OR_RETURN(auto program, find_program(argv.front()));
  argv.front() = std::move(program);
  return RunSide{std::string(label), std::move(argv)};
}

Result<BenchRun> measure_sides(const BenchPlan& plan, const std::vector<RunSide>& sides,
                               Announcer& announcer) {
  ASSIGN_OR_RETURN(auto kernel, kernel_filter(plan));
  const std::string name =
      plan.run.name.empty() ? std::filesystem::path(sides.front().argv.front()).filename().string()
                            : plan.run.name;
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, name));
  auto done = BenchSession(plan, sides, std::move(kernel), folder, announcer).run();
  if (!done) return tl::make_unexpected(with_kept_files(std::move(done.error()), folder));
  ASSIGN_OR_RETURN(auto kept, folder.finish("measured"));
  done->folder = std::move(kept);
  for (BenchmarkSide& side : done->series.sides) {
    side.benchmark.path = done->folder + "/benchmark.json";
  }
  return done;
}

std::string describe_schedule(const BenchPlan& plan, const std::vector<RunSide>& sides) {
  std::string text;
  const bool own_result = plan.time_by == "auto" || plan.time_by == "program";
  const auto print = [&](const RunSide& side, const std::string& label) {
    Variables variables;
    if (own_result) variables.emplace_back(kBenchOutVariable, label + ".json");
    text += shell_command(variables, side.argv) + '\n';
  };
  if (plan.time_by == "auto") text += "# how it is timed is found out by a start of the first\n";
  if (plan.warm_up > 0) text += "# warm-up, not counted\n";
  for (std::size_t i = 1; i <= plan.warm_up; ++i) {
    for (const RunSide& side : sides) print(side, fmt::format("{}.warm-up-{}", side.label, i));
  }
  const std::size_t least = std::min(kLeastStarts, plan.max_starts);
  const std::size_t starts = plan.starts != 0 ? plan.starts : least;
  text += plan.starts != 0 || sides.size() == 1
              ? "# measured\n"
              : fmt::format(
                    "# measured; more of these, up to {} of each side, where the first "
                    "ones spread\n",
                    plan.max_starts);
  for (std::size_t round = 0; round < starts; ++round) {
    for (const std::size_t side : round_order(sides.size(), round)) {
      print(sides[side], fmt::format("{}-{}", sides[side].label, round + 1));
    }
  }
  return text;
}

Decision decide_sides(const BenchmarkSide& a, const BenchmarkSide& b, bool interleaved,
                      const DecideEvidence& evidence) {
  Decision decision = decide(a.benchmark, b.benchmark, interleaved, {}, evidence);
  decision.a_label = side_label(a);
  decision.b_label = side_label(b);
  return decision;
}

}  // namespace proofline
