// SPDX-License-Identifier: Apache-2.0
//
// Composes one kernel's screen. Nothing is computed here beyond choosing what fits, units and
// words.
#include "views/diagnosis/kernel_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/launch/hot_spots_facts.h"
#include "analysis/launch/launch_facts.h"
#include "base/text.h"
#include "views/diagnosis/evidence_words.h"
#include "views/profile/show_document.h"
#include "views/quantity.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

// What one screen can hold.
constexpr std::size_t kMostFindingsOfKernel = 3;
constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kMostBars = 6;
constexpr std::size_t kMostNvidiaRules = 3;
// A line with fewer of the samples is not where the time goes.
constexpr double kHot = 0.10;

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// "32 B", "5.1 KiB": shared memory is counted in powers of two.
std::string shared_memory_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  return without_zeros(fmt::format("{:.3g}", bytes / 1024)) + " KiB";
}

class KernelScreen {
 public:
  KernelScreen(const KernelDiagnosis& kernel, const DiagnosisParts& parts, Document& document)
      : kernel_(kernel), parts_(parts), document_(document) {}

  void add(const KernelHeading& heading) {
    document_.blocks.emplace_back(Heading{fmt::format("kernel {}  {}", heading.id, heading.name)});
    add_verdict(heading.with_device);
    add_findings();
    add_bars();
    if (parts_.nvidia_rules) add_nvidia();
    if (parts_.verbose) {
      add_answers();
      add_hot_lines();
    }
    if (parts_.verbose || parts_.facts) add_facts();
  }

 private:
  std::string shape() const {
    if (!kernel_.grid && !kernel_.block) return std::string(to_string(kernel_.kind));
    return fmt::format("grid {}, block {}", dim_text(kernel_.grid), dim_text(kernel_.block));
  }

  std::string time() const {
    const LaunchSpread& spread = kernel_.spread;
    if (!kernel_.duration_ns) return "no duration in the capture";
    if (spread.count < 2 || !spread.median_ns) {
      return time_text(kernel_.duration_ns) + " under ncu replay";
    }
    return fmt::format("{} launches of {} to {}, median {}, under ncu replay", spread.count,
                       time_text(spread.min_ns), time_text(spread.max_ns),
                       time_text(spread.median_ns));
  }

  void add_verdict(bool with_device) {
    std::string where;
    if (kernel_.verdict.bound != Bound::kNone) {
      where = bound_words(kernel_.verdict,
                          kernel_.findings.empty() ? "" : kernel_.findings.front().id) +
              "; ";
    }
    where += fmt::format("{}; {}", shape(), time());
    if (with_device) where += "; " + kernel_.device_name;
    Point verdict{"", kernel_.verdict.headline, "", {{"", std::move(where)}}};
    if (std::string text = launch_text(); !text.empty()) {
      verdict.lines.push_back({"launch", std::move(text)});
    }
    if (kernel_.facts.number(facts::kHotLineShare[0]).value_or(0) >= kHot) {
      verdict.lines.push_back({"hottest line", hot_line(0).value_or("")});
    }
    document_.blocks.emplace_back(Points{{std::move(verdict)}});
  }

  // "15.5 waves, 30 registers/thread, 5.1 KiB shared memory/block, occupancy 93 of 100 %"
  std::string launch_text() const {
    std::string text;
    const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + part; };
    const Facts& facts = kernel_.facts;
    if (const auto waves = facts.number(facts::kLaunchWaves)) {
      const std::string count = fmt::format("{:.3g}", *waves);
      add(count + (count == "1" ? " wave" : " waves"));
    }
    if (const auto registers = facts.number(facts::kOccupancyRegistersPerThread)) {
      add(fmt::format("{:.0f} registers/thread", *registers));
    }
    if (const auto bytes = facts.number(facts::kOccupancySharedMemoryPerBlock)) {
      add(shared_memory_text(*bytes) + " shared memory/block");
    }
    const auto achieved = facts.number(facts::kOccupancyAchieved);
    const auto theoretical = facts.number(facts::kOccupancyTheoretical);
    if (achieved && theoretical) {
      add(fmt::format("occupancy {:.0f} of {:.0f} %", 100 * *achieved, 100 * *theoretical));
      const auto limiter = facts.text(facts::kOccupancyLimiter);
      if (limiter && *limiter != "none") text += fmt::format(" (limited by {})", *limiter);
    }
    return text;
  }

  // "softmax.cu:31, 62 % of samples, long_scoreboard"
  std::optional<std::string> hot_line(std::size_t index) const {
    const auto place = kernel_.facts.text(facts::kHotLinePlace[index]);
    if (!place) return std::nullopt;
    std::string text = *place;
    if (const auto share = kernel_.facts.number(facts::kHotLineShare[index])) {
      text += fmt::format(", {} of samples", share_text(*share));
    }
    if (const auto reason = kernel_.facts.text(facts::kHotLineReason[index])) {
      text += ", " + *reason;
    }
    return text;
  }

  // The headline may be the first finding's own words; its first letter is a capital.
  bool is_in_headline(std::string_view words) const {
    return words.size() > 1 && kernel_.verdict.headline.find(words.substr(1)) != std::string::npos;
  }

  // "memory-latency, gain 12-40 %: warps wait 41 % of their time for loads"
  std::string symptom_text(const Finding& symptom) const {
    std::string text = symptom.id;
    if (symptom.gain.high > 0) text += ", gain " + gain_text(symptom.gain);
    text += ": " + symptom.statement;
    if (parts_.verbose && !symptom.evidence.empty()) {
      text += " (" + evidence_list(symptom.evidence, kernel_.facts, symptom.evidence.size(), true) +
              ")";
    }
    return text;
  }

  Point finding_point(const Finding& finding, std::size_t rank) const {
    const bool in_full = parts_.verbose || rank == 1;  // one thing at a time
    Point point;
    point.marker = fmt::format("{}.", rank);
    point.title = finding.id;
    point.remark = to_string(finding.severity);
    if (finding.gain.high > 0) {
      point.remark += ", gain " + gain_text(finding.gain);
      if (parts_.verbose) point.remark += fmt::format(" ({})", to_string(finding.gain.kind));
    }
    point.remark_tone = severity_tone(finding.severity);
    if (!is_in_headline(finding.statement)) point.lines.push_back({"", finding.statement});
    if (in_full && !finding.evidence.empty()) {
      const std::size_t most = parts_.verbose ? finding.evidence.size() : kMostEvidence;
      point.lines.push_back(
          {"evidence", evidence_list(finding.evidence, kernel_.facts, most, parts_.verbose)});
    }
    if (in_full && !finding.next.empty() && !is_in_headline(finding.next)) {
      point.lines.push_back({"next", finding.next});
    }
    for (const std::string& attempt : finding.tried) point.lines.push_back({"before", attempt});
    for (const Finding& symptom : finding.symptoms) {
      point.lines.push_back({"explains", symptom_text(symptom)});
    }
    return point;
  }

  void add_findings() {
    const std::vector<Finding>& findings = kernel_.findings;
    if (findings.empty()) return;
    const std::size_t shown =
        parts_.verbose ? findings.size() : std::min(findings.size(), kMostFindingsOfKernel);
    Points points;
    for (std::size_t i = 0; i < shown; ++i) {
      points.points.push_back(finding_point(findings[i], i + 1));
    }
    std::vector<std::string> others;
    for (std::size_t i = shown; i < findings.size(); ++i) {
      others.push_back(fmt::format("{} (gain {})", findings[i].id, gain_text(findings[i].gain)));
    }
    if (!others.empty()) points.points.push_back({"", "Also found:", joined(others), {}});
    document_.blocks.emplace_back(std::move(points));
  }

  // The threshold that a finding compared this fact with.
  std::optional<double> threshold_of(std::string_view fact) const {
    for (const Finding& finding : kernel_.findings) {
      for (const Evidence& evidence : finding.evidence) {
        if (evidence.fact == fact && !evidence.op.empty()) return evidence.threshold;
      }
    }
    return std::nullopt;
  }

  Bar bar(std::string label, const std::string& fact, double share) const {
    return {std::move(label), share, share_text(share), threshold_of(fact)};
  }

  // The busiest levels, in the order from memory to issue.
  BarGroup level_bars() const {
    constexpr double kLeast = 0.01;
    std::vector<double> shares;
    BarGroup group{"Share of peak", {}, ""};
    for (const LevelInfo& level : levels()) {
      if (!level.can_be_roof()) continue;
      const FactRef fact = facts::kThroughputShare[level.level];
      const auto share = kernel_.facts.number(fact);
      if (!share || *share < kLeast) continue;
      group.bars.push_back(bar(std::string(level.name), fact.name, *share));
      shares.push_back(*share);
    }
    if (shares.size() <= kMostBars) return group;
    std::nth_element(shares.begin(), shares.begin() + kMostBars - 1, shares.end(),
                     std::greater<>());
    const double least = shares[kMostBars - 1];
    std::erase_if(group.bars, [&](const Bar& level) { return level.share < least; });
    group.bars.resize(std::min(group.bars.size(), kMostBars));
    return group;
  }

  BarGroup stall_bars() const {
    constexpr double kLeast = 0.01;
    BarGroup group{"Warps wait for", {}, ""};
    for (const Fact& fact : kernel_.facts.published()) {
      const std::string_view reason = stall_reason_of(fact.name);
      const auto* share = std::get_if<double>(&fact.value);
      if (reason.empty() || share == nullptr || *share < kLeast) continue;
      const bool issuing = reason == to_string(Stall::kSelected);
      group.bars.push_back(bar(issuing ? "(issuing)" : std::string(reason), fact.name, *share));
    }
    std::stable_sort(group.bars.begin(), group.bars.end(),
                     [](const Bar& a, const Bar& b) { return a.share > b.share; });
    if (group.bars.size() > kMostBars) group.bars.resize(kMostBars);
    if (kernel_.facts.text(facts::kStallSource) == "samples") group.title += ", by PC samples";
    std::string kinds;
    for (const StallGroup kind : {StallGroup::kMemory, StallGroup::kSynchronisation,
                                  StallGroup::kCompute, StallGroup::kOther}) {
      const auto share = kernel_.facts.number(facts::kStallGroupShare[kind]);
      if (!share) continue;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "Waits by kind: " : ", ", to_string(kind),
                           share_text(*share));
    }
    group.caption = std::move(kinds);
    return group;
  }

  void add_bars() {
    Bars bars;
    for (BarGroup group : {level_bars(), stall_bars()}) {
      if (!group.bars.empty()) bars.groups.push_back(std::move(group));
    }
    if (!bars.groups.empty()) document_.blocks.emplace_back(std::move(bars));
  }

  void add_nvidia() {
    std::vector<const NvidiaRule*> rules;
    for (const NvidiaRule& rule : kernel_.nvidia_rules) {
      if (rule.speedup && std::isfinite(rule.speedup->percent)) rules.push_back(&rule);
    }
    std::stable_sort(rules.begin(), rules.end(), [](const NvidiaRule* a, const NvidiaRule* b) {
      return a->speedup->percent > b->speedup->percent;
    });
    if (!parts_.verbose && rules.size() > kMostNvidiaRules) rules.resize(kMostNvidiaRules);
    std::string title = "NVIDIA's rules say, by the speed-up they estimate:";
    if (rules.empty()) {
      title = kernel_.nvidia_rules.empty() ? "The report holds no results of NVIDIA's rules."
                                           : "NVIDIA's rules estimate no speed-up.";
    }
    Points points{{{"", std::move(title), "", {}}}};
    for (const NvidiaRule* rule : rules) {
      std::string text;
      for (const NvidiaRule::Message& message : rule->messages) {
        text += (text.empty() ? "" : " ") + nvidia_rule_text(message.text);
      }
      // Their first sentence says what they think; the others are about GPUs in general.
      if (!parts_.verbose) text = text.substr(0, text.find(". "));
      points.points.push_back({"-",
                               rule->title,
                               fmt::format("{:.1f} % of {}", rule->speedup->percent,
                                           rule->speedup->global ? "the kernel" : "a part"),
                               {{"", std::move(text)}}});
    }
    document_.blocks.emplace_back(std::move(points));
  }

  // Every rule's answer.
  void add_answers() {
    Table table{{{"Rule"}, {"Answer"}, {"Because", Align::kLeft, true}}, {}};
    for (std::size_t i = 0; i < kernel_.findings.size(); ++i) {
      table.rows.push_back({{kernel_.findings[i].id},
                            {fmt::format("found, rank {}", i + 1)},
                            {kernel_.findings[i].statement}});
    }
    for (const NotEvaluated& rule : kernel_.not_evaluated) {
      std::string because = rule.reason.empty() ? "missing " + joined(rule.missing) : rule.reason;
      if (!rule.capture.empty()) because += "; capture with ncu " + rule.capture;
      table.rows.push_back({{rule.id}, {"not evaluated"}, {std::move(because)}});
    }
    for (const std::string& id : kernel_.clean) table.rows.push_back({{id}, {"clean"}, {""}});
    if (!table.rows.empty()) document_.blocks.emplace_back(std::move(table));
  }

  void add_hot_lines() {
    Points points{{{"", "Hottest lines:", "", {}}}};
    for (std::size_t i = 0;; ++i) {
      const auto line = hot_line(i);
      if (!line) break;
      points.points[0].lines.push_back({"", *line});
    }
    if (!points.points[0].lines.empty()) document_.blocks.emplace_back(std::move(points));
  }

  // A table for each first word of the names, in order of first appearance.
  void add_facts() {
    std::vector<Table> tables;
    std::map<std::string_view, std::size_t> by_prefix;
    for (const Fact& fact : kernel_.facts.published()) {
      const std::string_view name = fact.name;
      const auto [entry, is_new] =
          by_prefix.emplace(name.substr(0, name.find_first_of(".[")), tables.size());
      if (is_new) {
        tables.push_back(
            {{{"Fact"}, {"Value", Align::kRight, true}, {"From", Align::kLeft, true}}, {}});
      }
      tables[entry->second].rows.push_back(
          {{fact.name}, {quantity_text(fact.value, fact.unit)}, {joined(fact.sources.metrics())}});
    }
    for (Table& table : tables) document_.blocks.emplace_back(std::move(table));
    Table absent{{{"Absent fact"}, {"Why", Align::kLeft, true}}, {}};
    for (const AbsentFact& fact : kernel_.facts.absent()) {
      absent.rows.push_back({{fact.name}, {fact.reason}});
    }
    if (!absent.rows.empty()) document_.blocks.emplace_back(std::move(absent));
  }

  const KernelDiagnosis& kernel_;
  const DiagnosisParts& parts_;
  Document& document_;
};

}  // namespace

void add_kernel_screen(const KernelDiagnosis& kernel, const DiagnosisParts& parts,
                       const KernelHeading& heading, Document& document) {
  KernelScreen(kernel, parts, document).add(heading);
}

std::string gain_text(const Gain& gain) {
  const long low = std::lround(100 * gain.low);
  const long high = std::lround(100 * gain.high);
  if (gain.high <= 0) return "-";
  if (high == 0) return "below 1 %";
  return low == high ? fmt::format("{} %", high) : fmt::format("{}-{} %", low, high);
}

}  // namespace proofline
