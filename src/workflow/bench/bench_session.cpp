// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/bench_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "base/interrupt.h"
#include "base/json_file.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/redact.h"
#include "base/split_command.h"
#include "base/text.h"
#include "diagnosis/decision/outlook.h"
#include "tools/process/find_tool.h"
#include "workflow/bench/bench_cases.h"
#include "workflow/clock_text.h"
#include "workflow/profile/patterns.h"

namespace proofline {
namespace {

using Clock = std::chrono::steady_clock;

// Of one program alone, which has nothing to be compared with.
constexpr std::size_t kStartsOfOne = 10;
// The result is looked at when there are this many times more starts than the last time: a look at
// many samples takes its time.
constexpr double kGrowthUntilNextLook = 1.1;

// The same for all sides, and written into the result.
std::uint32_t order_seed_of(const BenchPlan& plan) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(plan.order_seed.value_or(std::random_device{}()) & kMost);
}

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
                fmt::format("{} needs {} cupti: nothing else tells kernels apart", option("kernel"),
                            option("time-by")));
  }
  ASSIGN_OR_RETURN(auto pattern, KernelPattern::compile(plan.kernel, option("kernel")));
  return [pattern = std::move(pattern)](const Launch& launch) { return pattern.matches(launch); };
}

std::string_view in_words(TimeBy time_by) {
  switch (time_by) {
    case TimeBy::kProgram: return "by the program's own result";
    case TimeBy::kCupti: return "the GPU kernels (CUPTI)";
    case TimeBy::kWall: return "the whole process (wall time)";
  }
  return "";
}

Result<void> write_series(const BenchmarkSeries& series, const std::string& path) {
  return write_json_file(path, [&](JsonWriter& json) { write_record(series, json); });
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
    say("timing {}{}", in_words(timing.time_by), timing.why.empty() ? "" : ": " + timing.why);
    for (std::size_t i = 0; i < plan_.warm_up; ++i) {
      RETURN_IF_ERROR(runs_.warm_up());
    }
    begun_ = Clock::now();
    const auto all = run_all();
    interrupted_ = !all && all.error().kind == ErrorKind::kInterrupted && done_ > 0;
    if (!interrupted_) RETURN_IF_ERROR(all);
    BenchRun result;
    result.series = runs_.series();
    result.time_by = timing.time_by;
    result.starts = done_;
    for (BenchmarkSide& side : result.series.sides) side.benchmark.until_clear = until_clear_;
    for (const BenchmarkSide& side : result.series.sides) {
      if (!side.benchmark.measurements.empty()) continue;
      return fail(
          ErrorKind::kTool,
          fmt::format("no run of {} measured anything; without {} the first failure is told",
                      side.label, option("keep-going")));
    }
    add_notes(result.series.sides.front().benchmark.notes);
    RETURN_IF_ERROR(write_series(result.series, folder_.path("benchmark.json")));
    if (interrupted_) RETURN_IF_ERROR(all);
    return result;
  }

  // Ended by the user with something measured, which benchmark.json has.
  bool interrupted() const { return interrupted_; }

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
    options.order_seed = order_seed_of(plan_);
    if (options.show_output) return options;
    options.on_progress = [this](const std::string& what) {
      progress_.show(
          wanted_ == 0 ? what
                       : fmt::format("{} of {}{}, {}{}", what, estimated_ ? "about " : "", wanted_,
                                     elapsed_text(begun_), left_text(begun_, done_, wanted_)));
    };
    return options;
  }

  Result<void> run_all() {
    if (plan_.starts != 0) return run_until(plan_.starts);
    const std::size_t most = std::max<std::size_t>(1, plan_.max_starts);
    return several_ ? run_until_clear(most) : run_until(std::min(kStartsOfOne, most));
  }

  // Looks at the result as often as it likes: the interval holds at every look.
  Result<void> run_until_clear(std::size_t most) {
    until_clear_ = true;
    std::size_t next_look = 1;
    for (;;) {
      RETURN_IF_ERROR(run_until(std::min(next_look, most)));
      const Outlook outlook = outlook_on(runs_.series(), plan_.decide, plan_.effect);
      if (outlook.clear) {
        tell("clear after {} of each side", plural(done_, "run"));
        return {};
      }
      if (outlook.is_hopeless(done_, most)) {
        tell(
            "a change of {} is ruled out after {} of each side, and {} {} would settle no smaller "
            "one",
            share_text(plan_.effect), plural(done_, "run"), option("max-starts"), most);
        return {};
      }
      if (done_ == most) {
        tell("not clear after {} of each side, the most that {} allows", plural(done_, "run"),
             option("max-starts"));
        return {};
      }
      out_of_time_ = out_of_time_ || time_is_over();
      if (out_of_time_) return {};
      estimated_ = true;
      left_ = std::max(std::min(outlook.starts, most), done_ + 1) - done_;
      next_look = std::max(
          done_ + 1, static_cast<std::size_t>(kGrowthUntilNextLook * static_cast<double>(done_)));
    }
  }

  // The line of progress goes first.
  template <class... Parts>
  void tell(fmt::format_string<Parts...> text, Parts&&... parts) {
    progress_.clear();
    say(text, std::forward<Parts>(parts)...);
  }

  Result<void> run_until(std::size_t starts) {
    while (done_ < starts && !out_of_time_) {
      wanted_ = estimated_ ? std::min(done_ + left_, plan_.max_starts) : starts;
      if (auto done = runs_.run_round(); !done) return done;
      ++done_;
      out_of_time_ = done_ < starts && time_is_over();
    }
    return {};
  }

  // The next start would end after it.
  bool time_is_over() const {
    const std::chrono::duration<double> passed = Clock::now() - begun_;
    const double next = passed.count() / static_cast<double>(done_);
    return plan_.max_time > 0 && passed.count() + next > plan_.max_time;
  }

  void add_notes(std::vector<Note>& notes) const {
    if (out_of_time_) {
      notes.push_back(
          {NoteKind::kInfo, "",
           fmt::format("{} ended it after {} runs of each side", option("max-time"), done_), 1});
    }
    if (interrupted_) {
      notes.push_back({NoteKind::kInfo, "",
                       fmt::format("interrupted after {} of each side", plural(done_, "run")), 1});
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
  std::size_t left_ = 0;  // as far as can be told from those that are done
  bool estimated_ = false;
  bool until_clear_ = false;
  bool out_of_time_ = false;
  bool interrupted_ = false;
};

// What was measured before the user ended it.
Error with_kept_measurements(Error error, RunFolder& folder) {
  const auto kept = folder.finish("interrupted");
  if (!kept) return {kept.error().kind, error.message + "; " + kept.error().message};
  error.message += "\n  what was measured is kept in " + quote(*kept + "/benchmark.json");
  return error;
}

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

std::string run_name(const BenchPlan& plan, const std::vector<RunSide>& sides) {
  if (!plan.run.name.empty()) return plan.run.name;
  return std::filesystem::path(sides.front().argv.front()).filename().string();
}

Result<void> check_axes(const BenchPlan& plan, const std::vector<RunSide>& sides) {
  for (const std::string& word : plan.axes) {
    const std::string place = "{" + word.substr(0, word.find('=')) + "}";
    for (const RunSide& side : sides) {
      const auto has = [&](const std::string& one) { return one.find(place) != std::string::npos; };
      if (std::any_of(side.argv.begin(), side.argv.end(), has)) continue;
      return fail(ErrorKind::kUsage,
                  fmt::format("{} {}: the command of {} has no {}", option("axis"), quote(word),
                              quote(side.label), place));
    }
  }
  return {};
}

std::vector<RunSide> sides_in_case(std::vector<RunSide> sides, const BenchCase& one) {
  for (RunSide& side : sides) side.argv = command_in_case(std::move(side.argv), one);
  return sides;
}

BenchPlan without_cases(BenchPlan plan) {
  plan.cases.clear();
  plan.axes.clear();
  plan.made_cases.clear();
  return plan;
}

Result<BenchRun> measure_cases(const BenchPlan& plan, const std::vector<RunSide>& sides,
                               Announcer& announcer) {
  ASSIGN_OR_RETURN(const auto cases, cases_of(plan));
  RETURN_IF_ERROR(check_axes(plan, sides));
  BenchRun all;
  for (const BenchCase& one : cases) {
    BenchPlan part = without_cases(plan);
    part.run.name = fmt::format("{}-{}", run_name(plan, sides), one.name);
    part.max_time = plan.max_time / static_cast<double>(cases.size());
    announcer.say("case " + one.name);
    ASSIGN_OR_RETURN(auto measured, measure_sides(part, sides_in_case(sides, one), announcer));
    all.time_by = measured.time_by;
    all.starts += measured.starts;
    add_case(one, std::move(measured.series), all.series);
  }
  // The command as it was given: each case has its own.
  for (std::size_t i = 0; i < sides.size(); ++i) {
    all.series.sides[i].benchmark.command = redact_command(shell_command({}, sides[i].argv));
  }
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, run_name(plan, sides)));
  RETURN_IF_ERROR(write_series(all.series, folder.path("benchmark.json")));
  ASSIGN_OR_RETURN(all.folder, folder.finish("measured"));
  for (BenchmarkSide& side : all.series.sides) {
    side.benchmark.path = all.folder + "/benchmark.json";
  }
  return all;
}

}  // namespace

Result<std::vector<BenchCase>> cases_of(const BenchPlan& plan) {
  if (!plan.made_cases.empty()) return plan.made_cases;
  return read_bench_cases(plan.cases, plan.axes);
}

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
  if (plan.has_cases()) return measure_cases(plan, sides, announcer);
  ASSIGN_OR_RETURN(auto kernel, kernel_filter(plan));
  const std::string name = run_name(plan, sides);
  const InterruptWatch watch;
  ASSIGN_OR_RETURN(auto folder, RunFolder::create(plan.run.runs, name));
  BenchSession session(plan, sides, std::move(kernel), folder, announcer);
  auto done = session.run();
  if (!done && session.interrupted()) {
    return tl::make_unexpected(with_kept_measurements(std::move(done.error()), folder));
  }
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
  if (plan.has_cases()) {
    const auto cases = cases_of(plan);
    if (!cases) return fmt::format("# {}\n", cases.error().message);
    const BenchPlan part = without_cases(plan);
    for (const BenchCase& one : *cases) {
      text += fmt::format("# case {}\n{}", one.name,
                          describe_schedule(part, sides_in_case(sides, one)));
    }
    return text;
  }
  const bool own_result = plan.time_by == "auto" || plan.time_by == "program";
  const auto print = [&](const RunSide& side, const std::string& label) {
    Variables variables;
    if (own_result) variables.emplace_back(kBenchOutVariable, label + ".json");
    text += shell_command(variables, side.argv) + '\n';
  };
  if (plan.time_by == "auto") text += "# a trial run of the first finds out how it is timed\n";
  if (plan.warm_up > 0) text += "# warm-up, not counted\n";
  for (std::size_t i = 1; i <= plan.warm_up; ++i) {
    for (const RunSide& side : sides) print(side, fmt::format("{}.warm-up-{}", side.label, i));
  }
  const std::size_t few = std::min(kStartsOfOne, plan.max_starts);
  const std::size_t starts = plan.starts != 0 ? plan.starts : few;
  text += "# measured";
  if (sides.size() > 1) {
    if (plan.starts == 0) {
      text += fmt::format(" until the answer is clear, up to {} of each side", plan.max_starts);
    }
    if (!plan.order_seed) text += "; the order is random, for example this";
  }
  text += '\n';
  for (std::size_t round = 0; round < starts; ++round) {
    for (const std::size_t side : round_order(
             sides.size(), round, static_cast<std::uint32_t>(plan.order_seed.value_or(0)))) {
      print(sides[side], fmt::format("{}-{}", sides[side].label, round + 1));
    }
  }
  return text;
}

Decision decide_sides(const BenchmarkSide& a, const BenchmarkSide& b, bool interleaved,
                      const DecideOptions& options, const DecideEvidence& evidence) {
  Decision decision = decide(a.benchmark, b.benchmark, interleaved, options, evidence);
  decision.a_label = side_label(a);
  decision.b_label = side_label(b);
  return decision;
}

std::vector<Decision> decide_against_first(const BenchmarkSeries& series, DecideOptions options) {
  std::vector<Decision> decisions;
  const std::size_t others = series.sides.size() - 1;
  // Bonferroni's correction.
  options.confidence =
      1 - (1 - options.confidence) / static_cast<double>(std::max<std::size_t>(1, others));
  for (std::size_t i = 1; i <= others; ++i) {
    decisions.push_back(
        decide_sides(series.sides.front(), series.sides[i], series.interleaved, options, {}));
  }
  return decisions;
}

}  // namespace proofline
