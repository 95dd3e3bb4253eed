// SPDX-License-Identifier: Apache-2.0
#include "playbook/fact_catalogue.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "analysis/analysis.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_name.h"
#include "vocabulary/metric_unit.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// The facts of launches whose value is a text; a test holds this against what the analyses publish.
constexpr std::string_view kTextFacts[] = {
    "capture.only_setup",
    "capture.clocks_locked",
    "capture.counters",
    "instructions.tensor.shape",
    "instructions.narrow_types",
    "hot[<i>].address",
    "hot[<i>].function",
    "hot[<i>].reason",
    "hot[<i>].line",
    "hot[<i>].inlined_at",
    "hot.lines.available",
    "hot.line[<i>].place",
    "hot.line[<i>].reason",
    "launch.persistent",
    "sass.lines",
    "sass.optimised",
    "sass.allocates",
    "sass.roles.verdict",
    "lanes.line[<i>].place",
    "memory.local.unmarked",
    "occupancy.limiter",
    "occupancy.next_step",
    "occupancy.disagreement",
    "roofline.precision",
    "roofline.<level>.position",
    "roofline.<level>.<precision>.position",
    "stall.top",
    "stall.source",
    "throughput.<level>.path",
    "throughput.memory.top",
    "throughput.sm.top",
    "roof.level",
    "timeline.bound",
    "timeline.top[<i>].name",
    "timeline.operator[<i>].name",
    "timeline.api[<i>].name",
    "timeline.thread[<i>].name",
};

constexpr std::string_view kBenchCommand = "proofline bench -- CMD";
constexpr std::string_view kPairCommand = "proofline bench --a CMD --b CMD";
constexpr std::string_view kSanitizeCommand = "proofline sanitize -- CMD";
constexpr std::string_view kTraceCommand = "proofline trace -- CMD";
constexpr std::string_view kDoctorCommand = "proofline doctor --format json";
constexpr std::string_view kCalibrateCommand = "proofline calibrate";
constexpr std::string_view kGivenCc = "proofline check --cc 9.0";

// What comes from other evidence than one launch's metrics.
constexpr CatalogueFact kOtherFacts[] = {
    {"kernel.name", "", "The kernel's name, as people write it.", "launch", true},
    {"kernel.unique_bytes", "byte", "Distinct bytes that the kernel touches, as its lock says.",
     "told", false, "unique_bytes in the playbook's [[kernel]]"},
    {"kernel.flops", "", "Operations that the kernel has to do, as its lock says.", "told", false,
     "flops in the playbook's [[kernel]]"},
    {"device.name", "", "The GPU's name.", "launch", true},
    {"device.cc", "", "Compute capability as a text: \"9.0\".", "launch", true},
    {"launch.grid", "", "Blocks of the grid by dimension: \"64x64\".", "launch", true},
    {"launch.block", "", "Threads of a block by dimension: \"32x8\".", "launch", true},
    {"verdict.bound", "",
     "What bounds the kernel: memory, compute, latency, sync, occupancy, launch or none.",
     "diagnosis", true},
    {"verdict.at", "", "Where it binds: dram, l2, shared, tensor, barrier, ...", "diagnosis", true},
    {"finding.count", "", "Causes that were found.", "diagnosis"},
    {"finding[<rule>].gain.<low|high>", "share",
     "What removing this cause could save of the kernel's time; 0 where it was not found.",
     "diagnosis"},
    {"sass.optimised", "", "yes or no: whether the compiler was let optimise.", "machine code",
     true},
    {"sass.allocates", "", "yes or no: whether the kernel calls the device's malloc.",
     "machine code", true},
    {"sass.loop.overhead.share", "share",
     "Instructions of the hot loop that count and branch, of all in it.", "machine code"},
    {"change.verdict", "",
     "What decide says of the change: KEEP, REVERT, NO DIFFERENCE, INCONCLUSIVE or INVALID.",
     "pair", true, kPairCommand, false},
    {"change.gain", "share", "Time that the change saved, of the time before: by benchmark.",
     "pair", false, kPairCommand, false},
    {"change.gain.<low|high>", "share", "The interval of that, 95 %.", "pair", false, kPairCommand,
     false},
    {"change.arguments", "",
     "same or different: whether the programs before and after had the same arguments.", "pair",
     true, kPairCommand},
    {"change.code", "", "What became of the machine code: identical, renamed or changed.", "pair",
     true, "a report with code, or the program, on both sides"},
    {"bench.median", "ns", "Median time of one execution.", "benchmark", false, kBenchCommand,
     false},
    {"bench.low", "ns", "Lower end of the median's 95 % interval.", "benchmark", false,
     kBenchCommand, false},
    {"bench.high", "ns", "Upper end of the median's 95 % interval.", "benchmark", false,
     kBenchCommand, false},
    {"bench.spread", "share", "Robust standard deviation, of the median.", "benchmark", false,
     kBenchCommand, false},
    {"bench.throttled", "share", "Samples that were taken while the GPU was held back.",
     "benchmark", false, kBenchCommand, false},
    {"bench.roof.share", "share", "Declared work over the nearest measured ceiling.", "benchmark",
     false, kBenchCommand, false},
    {"bench.samples", "", "Samples that were taken.", "benchmark", false, kBenchCommand, false},
    {"bench.bytes_per_second", "byte/s", "Declared bytes over the median time.", "benchmark", false,
     kBenchCommand, false},
    {"bench.flops", "FLOP/s", "Declared operations over the median time.", "benchmark", false,
     kBenchCommand, false},
    {"correct.passed", "", "yes or no: whether the result agreed with the reference.", "benchmark",
     true, kBenchCommand, false},
    {"correct.reference", "", "What it was compared with: \"fp64\".", "benchmark", true,
     kBenchCommand, false},
    {"correct.nans", "", "Results that are no numbers.", "benchmark", false, kBenchCommand, false},
    {"correct.infinities", "", "Results that are infinite.", "benchmark", false, kBenchCommand,
     false},
    {"correct.max_abs_error", "", "Largest difference from the reference.", "benchmark", false,
     kBenchCommand, false},
    {"correct.max_rel_error", "", "Largest difference from the reference, of its value.",
     "benchmark", false, kBenchCommand, false},
    {"correct.stable", "", "yes or no: whether every measurement of the benchmark was right.",
     "benchmark", true, kBenchCommand, false},
    {"sanitizer[<tool>].outcome", "",
     "clean, findings, or why the tool could not tell; synccheck, racecheck, memcheck, initcheck.",
     "sanitizer", true, kSanitizeCommand, false},
    {"sanitizer[<tool>].errors", "", "Errors that the tool found.", "sanitizer", false,
     kSanitizeCommand, false},
    {"sanitizer[<tool>].warnings", "", "Warnings of the tool.", "sanitizer", false,
     kSanitizeCommand, false},
    {"preflight[<id>]", "",
     "What doctor says of this part of the machine: ok, note, unknown, problem or missing.",
     "machine", true, kDoctorCommand, false},
    {"ceiling[<dram|l2|l1|shared>]", "byte/s", "Bandwidth that was measured of this GPU.",
     "ceilings", false, kCalibrateCommand, false},
    {"ceiling[<name>]", "FLOP/s", "Arithmetic that was measured of this GPU: fp32, tensor-f16, ...",
     "ceilings", false, kCalibrateCommand, false},
    {"arch.shared_per_block", "byte", "The most shared memory of a block.", "hardware", false,
     kGivenCc, false},
    {"arch.registers", "", "Registers of an SM.", "hardware", false, kGivenCc, false},
    {"arch.max_warps", "", "Warps that an SM can hold.", "hardware", false, kGivenCc, false},
    {"arch.cluster_max", "", "Blocks of the largest cluster.", "hardware", false, kGivenCc, false},
    {"arch.tmem_columns", "", "Columns of tensor memory of an SM; 0 where there is none.",
     "hardware", false, kGivenCc, false},
    {"workload.<key>", "", "What the playbook's [workload] says, or what the call adds to it.",
     "told", false, "proofline check --workload KEY=VALUE", false},
    {"journal.attempts", "", "Attempts at this kernel that the journal has.", "journal", false,
     "proofline journal", false},
    {"journal.minutes", "", "Minutes that these attempts took.", "journal", false,
     "proofline journal", false},
    {"timeline.kernel.share", "share", "Time of the lock's kernel, of the time of all kernels.",
     "timeline", false, kTraceCommand},
    {"timeline.kernel.median", "ns", "Median time of the lock's kernel.", "timeline", false,
     kTraceCommand},
    {"timeline.kernel.launches", "", "Launches of the lock's kernel.", "timeline", false,
     kTraceCommand},
};

bool is_text_fact(std::string_view name) {
  return std::find(std::begin(kTextFacts), std::end(kTextFacts), name) != std::end(kTextFacts);
}

std::vector<CatalogueFact> make_catalogue() {
  std::vector<CatalogueFact> all;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& fact : analysis.facts) {
      const bool of_kernel = analysis.publish != nullptr;  // else of a whole timeline
      all.push_back({fact.name, fact.unit, fact.meaning, analysis.name, is_text_fact(fact.name),
                     of_kernel ? std::string_view() : kTraceCommand, of_kernel});
    }
  }
  for (const CatalogueFact& fact : kOtherFacts) {
    // What an analysis publishes is as the analysis says.
    const bool known = std::any_of(all.begin(), all.end(), [&](const CatalogueFact& one) {
      return matches_fact(one.name, fact.name);
    });
    if (!known) all.push_back(fact);
  }
  return all;
}

bool is_known_metric(std::string_view name) {
  const MetricNameParts split = split_metric_name(name);
  if (is_in_every_capture(name) || !sections_with(name).empty()) return true;
  const auto known = find_known_metric(split.base);
  return known && wrong_form(*known, split).empty();
}

// The words that a placeholder stands for, as "a|b"; "" where they are not listed.
std::string words_of(std::string_view placeholder) {
  std::string words;
  const auto add = [&](std::string_view word) {
    if (!words.empty()) words += '|';
    words += word;
  };
  if (placeholder == "reason") {
    for (const StallReason& reason : stall_reasons()) add(reason.name);
    add("unattributed");  // what no reason accounts for
  } else if (placeholder == "level") {
    for (const Level& level : levels()) add(level.name);
  } else if (placeholder == "group") {
    words = "memory|synchronisation|compute|other";
  } else if (placeholder == "tool") {
    words = "racecheck|synccheck|memcheck|initcheck";
  } else if (placeholder == "kind") {
    words = "load|mma|epilogue";
  }
  return words;
}

// The catalogue's name with the words of each placeholder that has some: stall.bogus.share is none.
std::string with_words(std::string_view pattern) {
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', std::min(open, pattern.size()));
  if (close == pattern.npos) return std::string(pattern);
  const std::string_view placeholder = pattern.substr(open + 1, close - open - 1);
  const std::string words = words_of(placeholder);
  std::string all(pattern.substr(0, open + 1));
  all += words.empty() ? placeholder : words;
  all += '>';
  return all + with_words(pattern.substr(close + 1));
}

// A name of the catalogue with its placeholders filled in, where there are few ways to.
void add_spellings(std::string_view pattern, std::vector<std::string>& spellings) {
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', open);
  if (open == pattern.npos || close == pattern.npos) {
    spellings.emplace_back(pattern);
    return;
  }
  std::string_view choices = pattern.substr(open + 1, close - open - 1);
  const std::string before(pattern.substr(0, open));
  const std::string after(pattern.substr(close + 1));
  const auto fill = [&](std::string_view word) {
    add_spellings(before + std::string(word) + after, spellings);
  };
  if (choices.find('|') != choices.npos) {
    while (!choices.empty()) fill(take_until('|', choices));
  } else if (choices == "i") {
    fill("0");
  }
}

}  // namespace

std::string_view to_string(ValueType type) {
  switch (type) {
    case ValueType::kLogic: return "true or false";
    case ValueType::kText: return "a text";
    case ValueType::kNumber: return "a number";
  }
  return "";
}

std::span<const CatalogueFact> fact_catalogue() {
  static const std::vector<CatalogueFact> kAll = make_catalogue();
  return kAll;
}

const CatalogueFact* find_catalogue_fact(std::string_view name) {
  // Whole names are looked up; only those with placeholders are gone through.
  struct Index {
    std::unordered_map<std::string_view, const CatalogueFact*> whole;
    std::vector<std::pair<std::string, const CatalogueFact*>> patterns;
  };
  static const Index kIndex = [] {
    Index index;
    for (const CatalogueFact& fact : fact_catalogue()) {
      if (fact.name.find('<') == fact.name.npos) {
        index.whole.emplace(fact.name, &fact);
      } else {
        index.patterns.emplace_back(with_words(fact.name), &fact);
      }
    }
    return index;
  }();
  if (const auto whole = kIndex.whole.find(name); whole != kIndex.whole.end()) return whole->second;
  const auto fits = [&](const auto& one) { return matches_fact(one.first, name); };
  const auto found = std::find_if(kIndex.patterns.begin(), kIndex.patterns.end(), fits);
  return found != kIndex.patterns.end() ? found->second : nullptr;
}

std::optional<ValueKind> kind_of_fact(std::string_view name) {
  if (const CatalogueFact* fact = find_catalogue_fact(name)) {
    return fact->text ? ValueKind::text() : ValueKind::number(scale_of_unit(fact->unit));
  }
  if (!is_known_metric(name)) return std::nullopt;
  // Attributes may be texts, and nobody lists which.
  if (name.starts_with("device__") || name.starts_with("launch__")) return ValueKind::unknown();
  return ValueKind::number(scale_of_unit(metric_unit(name)));
}

std::vector<std::string> facts_near(std::string_view name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> spellings;
  for (const CatalogueFact& fact : fact_catalogue()) {
    add_spellings(with_words(fact.name), spellings);
  }
  std::vector<std::string_view> candidates(spellings.begin(), spellings.end());
  std::vector<std::string> found;
  if (name.find("__") != name.npos) {
    // A metric's suffixes are right or wrong by themselves.
    const MetricNameParts split = split_metric_name(name);
    for (const std::string_view base : nearest(split.base, known_metric_names(), kMost)) {
      found.push_back(std::string(base) + std::string(name.substr(split.base.size())));
    }
    return found;
  }
  for (const std::string_view one : nearest(name, candidates, kMost)) found.emplace_back(one);
  return found;
}

}  // namespace proofline
