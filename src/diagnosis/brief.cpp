// SPDX-License-Identifier: Apache-2.0
//
// Chooses what fits into a kilobyte.
#include "diagnosis/brief.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <span>

#include "analysis/launch/hot_spots_facts.h"
#include "analysis/launch/launch_facts.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_names.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr std::size_t kBriefPipes = 2;
constexpr std::size_t kBriefStalls = 3;
// A pipe or a stall below this decides nothing.
constexpr double kBriefLeastShare = 0.05;

using NamedShare = std::pair<std::string_view, double>;

BriefNumber rounded(double value) {
  constexpr double kExact = 1e15;
  if (value >= 0 && value < kExact && value == std::floor(value)) {
    return static_cast<std::uint64_t>(value);
  }
  const std::string text = fmt::format("{:.3g}", value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::optional<BriefNumber> rounded(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return rounded(*value);
}

void keep_largest(std::vector<NamedShare>& shares, std::size_t most) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const NamedShare& a, const NamedShare& b) { return a.second > b.second; });
  if (shares.size() > most) shares.resize(most);
}

BriefShares rounded(const std::vector<NamedShare>& shares) {
  BriefShares result;
  for (const auto& [name, share] : shares) result.emplace_back(name, rounded(share));
  return result;
}

// ncu's own figure for a whole, which it gives in percent.
std::optional<double> aggregate_share(const Facts& facts, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto percent = facts.number(name)) return *percent / 100;
  }
  return std::nullopt;
}

// The aggregates and the memory levels, at any share; of the pipes the busiest.
std::vector<NamedShare> brief_levels(const Facts& facts) {
  std::vector<NamedShare> shares;
  if (const auto sm = aggregate_share(facts, kSmThroughput))
    shares.emplace_back(to_string(Level::kSm), *sm);
  if (const auto memory = aggregate_share(facts, kMemoryThroughput)) {
    shares.emplace_back(to_string(Level::kMemory), *memory);
  }
  std::vector<NamedShare> pipes;
  for (const LevelInfo& level : levels()) {
    const auto share = facts.number(facts::kThroughputShare[level.level]);
    if (!share || level.is_whole()) continue;
    const bool of_memory =
        level.level == Level::kDram || level.level == Level::kL2 || level.level == Level::kL1;
    if (of_memory) {
      shares.emplace_back(level.name, *share);
    } else if (*share >= kBriefLeastShare) {
      pipes.emplace_back(level.name, *share);
    }
  }
  keep_largest(pipes, kBriefPipes);
  shares.insert(shares.end(), pipes.begin(), pipes.end());
  return shares;
}

std::vector<NamedShare> brief_stalls(const Facts& facts) {
  std::vector<NamedShare> shares;
  for (const StallReason& reason : stall_reasons()) {
    const auto share = facts.number(facts::kStallShare[reason.stall]);
    if (share && *share >= kBriefLeastShare) shares.emplace_back(reason.name, *share);
  }
  keep_largest(shares, kBriefStalls);
  return shares;
}

BriefCause cause_of(const Finding& finding) {
  BriefCause cause;
  cause.id = finding.id;
  cause.gain_low = rounded(finding.gain.low);
  cause.gain_high = rounded(finding.gain.high);
  std::set<std::string_view> chosen;
  for (const bool compared : {true, false}) {
    for (const Evidence& item : finding.evidence) {
      if (item.op.empty() == compared || chosen.size() == kBriefEvidence) continue;
      if (!chosen.insert(item.fact).second) continue;
      if (const auto* text = std::get_if<std::string>(&item.value)) {
        cause.evidence.emplace_back(item.fact, *text);
      } else {
        std::visit([&](auto number) { cause.evidence.emplace_back(item.fact, number); },
                   rounded(std::get<double>(item.value)));
      }
    }
  }
  for (const Finding& symptom : finding.symptoms) cause.explains.push_back(symptom.id);
  cause.next = finding.next;
  cause.tried = finding.tried;
  return cause;
}

std::optional<std::vector<BriefLine>> hot_lines(const Facts& facts) {
  std::vector<BriefLine> lines;
  while (lines.size() < kBriefLines) {
    const std::size_t i = lines.size();
    const auto place = facts.text(facts::kHotLinePlace[i]);
    if (!place) break;
    lines.push_back({*place, rounded(facts.number(facts::kHotLineShare[i])),
                     facts.text(facts::kHotLineReason[i]).value_or("")});
  }
  return lines.empty() ? std::nullopt : std::optional(std::move(lines));
}

BriefLaunch launch_of(const KernelDiagnosis& kernel) {
  const Facts& facts = kernel.facts;
  BriefLaunch launch;
  launch.id = kernel.launch;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  launch.waves = rounded(facts.number(facts::kLaunchWaves));
  launch.registers = rounded(facts.number(facts::kOccupancyRegistersPerThread));
  launch.shared_bytes = rounded(facts.number(facts::kOccupancySharedMemoryPerBlock));
  launch.occupancy = rounded(facts.number(facts::kOccupancyAchieved));
  launch.occupancy_limit = rounded(facts.number(facts::kOccupancyTheoretical));
  launch.limiter = facts.text(facts::kOccupancyLimiter).value_or("");
  return launch;
}

// What to run now: a better capture where this one does not tell, the code where it shows the
// lines, else the page on the first cause. Empty: nothing was found.
std::vector<std::string> next_command(const KernelDiagnosis& kernel, const std::string& path) {
  const std::string name = RE2::QuoteMeta(kernel.function);
  if (kernel.verdict.provisional) {
    return {"proofline", "profile", "--kernel", name, "--", "COMMAND"};
  }
  if (kernel.findings.empty()) return {};
  if (kernel.facts.text(facts::kHotLinesAvailable) == "yes") {
    return {"proofline", "sass", path, "--kernel", name, "--source"};
  }
  return {"proofline", "explain", kernel.findings.front().id};
}

BriefKernel brief_kernel(const KernelDiagnosis& kernel, const std::string& path) {
  BriefKernel brief;
  brief.name = kernel.name;
  brief.source = kernel.source;
  brief.launches = kernel.spread.count;
  brief.duration_ns = rounded(kernel.duration_ns);
  brief.verdict = kernel.verdict;
  for (const Finding& finding : kernel.findings) {
    if (brief.causes.size() < kBriefCauses) {
      brief.causes.push_back(cause_of(finding));
    } else {
      brief.also.push_back(finding.id);
    }
  }
  if (kernel.facts.number(facts::kRoofShare)) brief.levels = rounded(brief_levels(kernel.facts));
  if (kernel.facts.text(facts::kStallTop)) brief.stalls = rounded(brief_stalls(kernel.facts));
  brief.hot_lines = hot_lines(kernel.facts);
  brief.launch = launch_of(kernel);
  brief.not_evaluated = kernel.not_evaluated.size();
  brief.command = next_command(kernel, path);
  return brief;
}

// Those of the files, and those of the kernels, once each with how many kernels have it.
std::vector<Note> all_notes(const Diagnosis& diagnosis) {
  std::vector<Note> notes;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    for (const Note& note : kernel.notes) {
      const auto known = std::find_if(notes.begin(), notes.end(), [&](const Note& other) {
        return other.kind == note.kind && other.what == note.what;
      });
      if (known != notes.end()) {
        ++known->count;
        continue;
      }
      notes.push_back(note);
      notes.back().place = "kernels";
      notes.back().count = 1;
    }
  }
  notes.insert(notes.begin(), diagnosis.notes.begin(), diagnosis.notes.end());
  return notes;
}

}  // namespace

Brief brief_of(const Diagnosis& diagnosis) {
  Brief brief;
  brief.sources = diagnosis.sources;
  brief.notes = all_notes(diagnosis);
  double whole = 0;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    whole += kernel.spread.total_ns.value_or(0);
  }
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    BriefKernel& one =
        brief.kernels.emplace_back(brief_kernel(kernel, diagnosis.sources[kernel.source].path));
    if (kernel.spread.total_ns && whole > 0) {
      one.time_share = rounded(*kernel.spread.total_ns / whole);
    }
    const BriefDevice device{kernel.device_name, kernel.compute_capability};
    const auto known = std::find(brief.devices.begin(), brief.devices.end(), device);
    one.device = static_cast<std::size_t>(known - brief.devices.begin());
    if (known == brief.devices.end()) brief.devices.push_back(device);
  }
  return brief;
}

}  // namespace proofline
