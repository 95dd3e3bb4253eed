// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <span>
#include <string_view>
#include <utility>

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
// Events see more than the kernel, and what the correction leaves of that matters less the longer
// the kernel is.
constexpr double kEventsFromNs = 100e3;
constexpr double kPercent = 0.01;

// A flag whose value is one of these words.
template <class Value>
void add_choice(CLI::App& app, const std::string& flag, Value& value,
                std::span<const Word<Value>> words, const std::string& help) {
  std::vector<std::string> names;
  names.reserve(words.size());
  for (const Word<Value>& word : words) names.emplace_back(word.word);
  const auto take = [&value, words](const std::string& given) {
    for (const Word<Value>& word : words) {
      if (word.word == given) value = word.meaning;
    }
  };
  app.add_option_function<std::string>(flag, take, help)
      ->check(CLI::IsMember(names))
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

void add_flags(CLI::App& app, Options& options) {
  app.add_option("--out", options.out, "File to write the result to, as JSON")->type_name("FILE");
  app.add_option("--implementation", options.implementations, "Measure only these")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  add_choice<TimerChoice>(
      app, "--time-by", options.time_by, kTimers,
      "How to time; auto (the default): events, for short kernels graph replay, and CUPTI "
      "where the cache is cold");
  add_choice<CacheState>(
      app, "--cache", options.cache, kCaches,
      "What is in L2 before each execution; default hot: what the one before it left");
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
    auto points = parse_points(groups[i], given[i]);
    if (!points) return tl::make_unexpected(points.error());
    groups[i].points = std::move(*points);
  }
  return {};
}

}  // namespace

TimedBy preferred_timer(TimerChoice choice, CacheState cache, double expected_ns) {
  switch (choice) {
    case TimerChoice::kAuto: break;
    case TimerChoice::kEvents: return TimedBy::kCudaEvents;
    case TimerChoice::kGraph: return TimedBy::kCudaGraph;
    case TimerChoice::kCupti: return TimedBy::kCupti;
  }
  if (expected_ns >= kEventsFromNs) return TimedBy::kCudaEvents;
  return cache == CacheState::kCold ? TimedBy::kCupti : TimedBy::kCudaGraph;
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
  if (arguments.options.time_by == TimerChoice::kGraph &&
      arguments.options.cache == CacheState::kCold) {
    return fail(ErrorKind::kUsage,
                "--time-by graph: a replay cannot empty the cache before each launch; --time-by "
                "cupti can");
  }
  if (auto taken = take_points(groups, given); !taken) return tl::make_unexpected(taken.error());
  arguments.groups = std::move(groups);
  return arguments;
}

}  // namespace proofline::bench
