// SPDX-License-Identifier: Apache-2.0
//
// Chooses what fits and writes it with one order of keys. Members are always there, so that a
// reader need not ask; only lists that say nothing when empty are left out: "explains", "tried",
// "also".
#include "views/diagnosis/brief_json.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "views/json_parts.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_names.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// What a kilobyte holds.
constexpr std::size_t kBriefCauses = 3;
constexpr std::size_t kBriefEvidence = 2;
constexpr std::size_t kBriefPipes = 2;
constexpr std::size_t kBriefStalls = 3;
constexpr std::size_t kBriefLines = 3;
// A pipe or a stall below this decides nothing.
constexpr double kBriefLeastShare = 0.05;

using NamedShare = std::pair<std::string_view, double>;

// Three digits, without the noise of the rest; whole numbers without a fraction.
void write_rounded(double value, JsonWriter& json) {
  constexpr double kExact = 1e15;
  if (!std::isfinite(value)) return json.null();
  if (value >= 0 && value < kExact && value == std::floor(value)) {
    return json.number(static_cast<std::uint64_t>(value));
  }
  const std::string text = fmt::format("{:.3g}", value);
  double rounded = value;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  json.number(rounded);
}

void rounded_member(JsonWriter& json, std::string_view name, std::optional<double> value) {
  json.key(name);
  value ? write_rounded(*value, json) : json.null();
}

void text_or_null(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  text.empty() ? json.null() : json.text(text);
}

// {"dram":0.53}; null where nothing was captured.
void shares_member(JsonWriter& json, std::string_view name, bool captured,
                   const std::vector<NamedShare>& shares) {
  json.key(name);
  if (!captured) return json.null();
  json.begin_object();
  for (const auto& [what, share] : shares) rounded_member(json, what, share);
  json.end_object();
}

void keep_largest(std::vector<NamedShare>& shares, std::size_t most) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const NamedShare& a, const NamedShare& b) { return a.second > b.second; });
  if (shares.size() > most) shares.resize(most);
}

// ncu's own figure for a whole, which it gives in percent.
std::optional<double> aggregate_share(const Facts& facts, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto percent = facts.number(name)) return *percent / 100;
  }
  return std::nullopt;
}

// The wholes and the memory levels, whatever they read; of the pipes the busiest.
std::vector<NamedShare> brief_levels(const Facts& facts) {
  std::vector<NamedShare> shares;
  if (const auto sm = aggregate_share(facts, kSmThroughput)) shares.emplace_back("sm", *sm);
  if (const auto memory = aggregate_share(facts, kMemoryThroughput)) {
    shares.emplace_back("memory", *memory);
  }
  std::vector<NamedShare> pipes;
  for (const Level& level : levels()) {
    const auto share = facts.number(share_fact(level.name));
    if (!share || level.is_whole()) continue;
    const bool of_memory = level.name == "dram" || level.name == "l2" || level.name == "l1";
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
    const auto share = facts.number(fmt::format("stall.{}.share", reason.name));
    if (share && *share >= kBriefLeastShare) shares.emplace_back(reason.name, *share);
  }
  keep_largest(shares, kBriefStalls);
  return shares;
}

// By fact. What was compared comes first: it is what the finding rests on.
void write_brief_evidence(const std::vector<Evidence>& evidence, JsonWriter& json) {
  json.key("evidence");
  json.begin_object();
  std::set<std::string_view> written;
  for (const bool compared : {true, false}) {
    for (const Evidence& item : evidence) {
      if (item.op.empty() == compared || written.size() == kBriefEvidence) continue;
      if (!written.insert(item.fact).second) continue;
      json.key(item.fact);
      if (const auto* text = std::get_if<std::string>(&item.value)) {
        json.text(*text);
      } else {
        write_rounded(std::get<double>(item.value), json);
      }
    }
  }
  json.end_object();
}

void write_cause(const Finding& finding, const std::vector<std::string>& tried, JsonWriter& json) {
  json.member("id", finding.id);
  json.key("gain");
  json.begin_object();
  rounded_member(json, "low", finding.gain.low);
  rounded_member(json, "high", finding.gain.high);
  json.end_object();
  write_brief_evidence(finding.evidence, json);
  if (!finding.symptoms.empty()) {
    json.array("explains", finding.symptoms,
               [&](const Finding& symptom) { json.text(symptom.id); });
  }
  json.member("next", finding.next);
  if (!tried.empty()) texts_member(json, "tried", tried);
}

void write_causes(const KernelDiagnosis& kernel, const BriefJsonParts& parts, JsonWriter& json) {
  const std::span<const Finding> all = kernel.findings;
  json.objects(
      "causes", all.first(std::min(all.size(), kBriefCauses)), [&](const Finding& finding) {
        write_cause(finding,
                    parts.tried ? parts.tried(kernel, finding) : std::vector<std::string>(), json);
      });
  if (all.size() <= kBriefCauses) return;
  json.array("also", all.subspan(kBriefCauses),
             [&](const Finding& finding) { json.text(finding.id); });
}

void write_hot_lines(const Facts& facts, JsonWriter& json) {
  json.key("hot_lines");
  if (!facts.text("hot.line[0].place")) return json.null();
  json.begin_array();
  for (std::size_t i = 0; i < kBriefLines; ++i) {
    const std::string line = fmt::format("hot.line[{}].", i);
    const auto place = facts.text(line + "place");
    if (!place) break;
    json.begin_object();
    json.member("place", *place);
    rounded_member(json, "share", facts.number(line + "share"));
    text_or_null(json, "stall", facts.text(line + "reason").value_or(""));
    json.end_object();
  }
  json.end_array();
}

void write_launch(const KernelDiagnosis& kernel, JsonWriter& json) {
  const Facts& facts = kernel.facts;
  json.key("launch");
  json.begin_object();
  json.member("id", std::uint64_t{kernel.launch});
  dim_member(json, "grid", kernel.grid);
  dim_member(json, "block", kernel.block);
  rounded_member(json, "waves", facts.number("launch.waves"));
  rounded_member(json, "registers", facts.number("occupancy.registers_per_thread"));
  rounded_member(json, "shared_bytes", facts.number("occupancy.shared_memory_per_block"));
  rounded_member(json, "occupancy", facts.number("occupancy.achieved"));
  rounded_member(json, "occupancy_limit", facts.number("occupancy.theoretical"));
  text_or_null(json, "limiter", facts.text("occupancy.limiter").value_or(""));
  json.end_object();
}

// What to run now: a better capture where this one does not tell, the code where it shows the
// lines, else the page on the first cause. Empty: nothing was found.
std::vector<std::string> next_command(const KernelDiagnosis& kernel, const std::string& path) {
  const std::string name = RE2::QuoteMeta(kernel.function);
  if (kernel.verdict.provisional) {
    return {"proofline", "profile", "--kernel", name, "--", "COMMAND"};
  }
  if (kernel.findings.empty()) return {};
  if (kernel.facts.text("hot.lines.available") == "yes") {
    return {"proofline", "sass", path, "--kernel", name, "--source"};
  }
  return {"proofline", "explain", kernel.findings.front().id};
}

// Where a kernel stands in the whole.
struct KernelPlace {
  std::size_t id;
  std::size_t device;
  std::optional<double> time_share;
};

void write_brief_kernel(const KernelDiagnosis& kernel, const KernelPlace& place,
                        const std::string& path, const BriefJsonParts& parts, JsonWriter& json) {
  json.begin_object();
  json.member("id", std::uint64_t{place.id});
  json.member("name", kernel.name);
  json.member("source", std::uint64_t{kernel.source});
  json.member("device", std::uint64_t{place.device});
  json.member("launches", std::uint64_t{kernel.spread.count});
  rounded_member(json, "duration_ns", kernel.duration_ns);
  rounded_member(json, "time_share", place.time_share);
  write_verdict(kernel.verdict, json);
  write_causes(kernel, parts, json);
  shares_member(json, "levels", kernel.facts.number("roof.share").has_value(),
                brief_levels(kernel.facts));
  shares_member(json, "stalls", kernel.facts.text("stall.top").has_value(),
                brief_stalls(kernel.facts));
  write_hot_lines(kernel.facts, json);
  write_launch(kernel, json);
  json.member("not_evaluated", std::uint64_t{kernel.not_evaluated.size()});
  const std::vector<std::string> command = next_command(kernel, path);
  if (command.empty()) {
    json.key("command");
    json.null();
  } else {
    texts_member(json, "command", command);
  }
  json.end_object();
}

using NamedDevice = std::pair<std::string, std::string>;  // name and compute capability

NamedDevice device_of(const KernelDiagnosis& kernel) {
  return {kernel.device_name, kernel.compute_capability};
}

std::vector<NamedDevice> devices_of(const Diagnosis& diagnosis) {
  std::vector<NamedDevice> devices;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    NamedDevice device = device_of(kernel);
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) continue;
    devices.push_back(std::move(device));
  }
  return devices;
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

void write_brief_json(const Diagnosis& diagnosis, const BriefJsonParts& parts, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.array("sources", diagnosis.sources,
             [&](const DiagnosisSource& source) { write_source(source, json); });
  const std::vector<NamedDevice> devices = devices_of(diagnosis);
  json.objects("devices", devices, [&](const NamedDevice& device) {
    text_or_null(json, "name", device.first);
    text_or_null(json, "cc", device.second);
  });
  write_notes(all_notes(diagnosis), json);
  double whole = 0;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    whole += kernel.spread.total_ns.value_or(0);
  }
  json.key("kernels");
  json.begin_array();
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    std::optional<double> share;
    if (kernel.spread.total_ns && whole > 0) share = *kernel.spread.total_ns / whole;
    const auto device = std::find(devices.begin(), devices.end(), device_of(kernel));
    const KernelPlace place{i, static_cast<std::size_t>(device - devices.begin()), share};
    write_brief_kernel(kernel, place, diagnosis.sources[kernel.source].path, parts, json);
  }
  json.end_array();
  json.end_object();
}

}  // namespace proofline
