// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline::bench {
namespace {

template <class Value>
struct Word {
  std::string_view word;
  Value meaning;
};
constexpr Word<TimerChoice> kTimers[] = {{"auto", TimerChoice::kAuto},
                                         {"events", TimerChoice::kEvents},
                                         {"graph", TimerChoice::kGraph},
                                         {"cupti", TimerChoice::kCupti}};
constexpr Word<CacheState> kCaches[] = {
    {"hot", CacheState::kHot}, {"cold", CacheState::kCold}, {"rotating", CacheState::kRotating}};
constexpr double kPercent = 0.01;

template <class Value, std::size_t kCount>
Value meaning_of(const Word<Value> (&words)[kCount], std::string_view given) {
  return std::find_if(std::begin(words), std::end(words),
                      [&](const Word<Value>& each) { return each.word == given; })
      ->meaning;
}

template <class Value, std::size_t kCount>
std::vector<std::string> words_of(const Word<Value> (&words)[kCount]) {
  std::vector<std::string> all;
  all.reserve(kCount);
  for (const Word<Value>& each : words) all.emplace_back(each.word);
  return all;
}

void add_flags(CLI::App& app, Options& options) {
  app.add_option("--out", options.out, "File to write the result to, as JSON")->type_name("FILE");
  app.add_option("--implementation", options.implementations, "Measure only these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  app.add_option_function<std::vector<std::string>>(
         "--time-by",
         [&options](const std::vector<std::string>& given) {
           options.time_by.clear();
           for (const std::string& word : given) {
             options.time_by.push_back(meaning_of(kTimers, word));
           }
         },
         "How to time: auto|events|graph|cupti, or several to compare them; auto (the default) is "
         "graph replay, and CUPTI where the cache is cold")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(words_of(kTimers)))
      ->type_name("WAY,...");
  app.add_option_function<std::string>(
         "--cache",
         [&options](const std::string& given) { options.cache = meaning_of(kCaches, given); },
         "What is in L2 before each execution; default hot: what the one before it left")
      ->check(CLI::IsMember(words_of(kCaches)))
      ->type_name(fmt::format("{}", fmt::join(words_of(kCaches), "|")));
  app.add_flag("--check-only", options.check_only,
               "Compare the results and time nothing; also by PROOFLINE_BENCH_CHECK_ONLY=1");
  app.add_option_function<double>(
         "--precision",
         [&options](double percent) { options.limits.precision = percent * kPercent; },
         "Enough samples when the median's interval is this narrow; default 0.5")
      ->check(CLI::PositiveNumber)
      ->type_name("PERCENT");
  app.add_option("--min-samples", options.limits.min_samples, "Samples to take in any case")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-samples", options.limits.max_samples, "Samples to stop at")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-time", options.limits.max_seconds, "When to stop one measurement")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("SECONDS");
  app.add_option("--device", options.device, "Which GPU, as CUDA counts them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->type_name("N");
}

// "seq_len" is --seq-len and --seq_len.
std::string flag_names(const std::string& name) {
  std::string dashed = name;
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  return dashed == name ? "--" + name : fmt::format("--{},--{}", dashed, name);
}

std::string axis_help(const AxisGroup& group) {
  std::vector<std::string> points;
  points.reserve(group.points.size());
  for (const auto& point : group.points) points.push_back(fmt::format("{}", fmt::join(point, ",")));
  return fmt::format("{}; default {}",
                     group.names.size() == 1 ? "Values to measure"
                                             : "A point to measure; can be given several times",
                     fmt::join(points, group.names.size() == 1 ? "," : " "));
}

Result<void> take_points(std::vector<AxisGroup>& groups,
                         const std::deque<std::vector<std::string>>& given) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (given[i].empty()) continue;
    ASSIGN_OR_RETURN(auto points, parse_points(groups[i], given[i]));
    groups[i].points = std::move(points);
  }
  return {};
}

}  // namespace

TimedBy preferred_timer(TimerChoice choice, CacheState cache) {
  switch (choice) {
    case TimerChoice::kAuto: break;
    case TimerChoice::kEvents: return TimedBy::kCudaEvents;
    case TimerChoice::kGraph: return TimedBy::kCudaGraph;
    case TimerChoice::kCupti: return TimedBy::kCupti;
  }
  return cache == CacheState::kCold ? TimedBy::kCupti : TimedBy::kCudaGraph;
}

std::string_view to_string(TimerChoice choice) {
  return std::find_if(std::begin(kTimers), std::end(kTimers),
                      [&](const Word<TimerChoice>& each) { return each.meaning == choice; })
      ->word;
}

Result<Arguments> parse_arguments(const std::string& suite, std::vector<AxisGroup> groups, int argc,
                                  const char* const* argv) {
  Arguments arguments;
  CLI::App app(fmt::format("Measures {}.", suite), suite);
  std::deque<std::vector<std::string>> given;  // CLI11 keeps references
  try {
    add_flags(app, arguments.options);
    for (const AxisGroup& group : groups) {
      app.add_option(flag_names(group.flag), given.emplace_back(), axis_help(group))
          ->allow_extra_args(false)
          ->type_name(fmt::format("{}{}", fmt::join(group.names, ","),
                                  group.names.size() == 1 ? ",..." : ""));
    }
  } catch (const CLI::ConstructionError& error) {
    return fail(ErrorKind::kUsage,
                fmt::format("an axis cannot have this name: {}", escape_terminal(error.what())));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    arguments.help = app.help();
    return arguments;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} (--help shows the flags)", escape_terminal(error.what())));
  }
  const auto& ways = arguments.options.time_by;
  if (std::find(ways.begin(), ways.end(), TimerChoice::kGraph) != ways.end() &&
      arguments.options.cache == CacheState::kCold) {
    return fail(ErrorKind::kUsage,
                "--time-by graph: a replay cannot empty the cache before each launch; --time-by "
                "cupti can");
  }
  if (!environment_variable("PROOFLINE_BENCH_CHECK_ONLY").empty()) {
    arguments.options.check_only = true;
  }
  RETURN_IF_ERROR(take_points(groups, given));
  arguments.groups = std::move(groups);
  return arguments;
}

}  // namespace proofline::bench
