// SPDX-License-Identifier: Apache-2.0
//
// Composes what `diagnose` says. Nothing is computed here beyond choosing what fits a screen, units
// and words.
#include "views/diagnosis_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/display_name.h"
#include "model/ncu_sections.h"
#include "views/quantity.h"
#include "views/show_document.h"

namespace proofline {
namespace {

// With more kernels than the first number only the second many get a screen of their own.
constexpr std::size_t kFewKernels = 8;
constexpr std::size_t kMostScreens = 5;
// What one screen can hold.
constexpr std::size_t kMostFindings = 3;
constexpr std::size_t kMostEvidence = 4;
constexpr std::size_t kMostBars = 6;
constexpr std::size_t kMostNvidiaRules = 3;
// A line with fewer of the samples is not where the time goes.
constexpr double kHot = 0.10;

// "memory bound at dram", "launch bound"
std::string bound_text(const Verdict& verdict) {
  std::string text = fmt::format("{} bound", to_string(verdict.bound));
  if (!verdict.at.empty() && verdict.at != to_string(verdict.bound)) text += " at " + verdict.at;
  return text;
}

// The same in a narrow column: "dram", "fma", "latency (memory)", "launch".
std::string place_text(const Verdict& verdict) {
  const std::string_view bound = to_string(verdict.bound);
  if (verdict.at.empty() || verdict.at == bound) return std::string(bound);
  const bool says_all = verdict.bound == Bound::kMemory || verdict.bound == Bound::kCompute;
  return says_all ? verdict.at : fmt::format("{} ({})", bound, verdict.at);
}

// "40-60 %", "below 1 %"; "-" for none.
std::string gain_text(const Gain& gain) {
  const long low = std::lround(100 * gain.low);
  const long high = std::lround(100 * gain.high);
  if (gain.high <= 0) return "-";
  if (high == 0) return "below 1 %";
  return low == high ? fmt::format("{} %", high) : fmt::format("{}-{} %", low, high);
}

std::string evidence_text(const Evidence& evidence) {
  std::string text =
      fmt::format("{} {}", evidence.fact, quantity_text(evidence.value, evidence.unit));
  if (evidence.op.empty()) return text;
  return text +
         fmt::format(" {} {}", evidence.op, quantity_text(evidence.threshold, evidence.unit));
}

// What was compared comes first; context is the first to go where room is short.
std::string evidence_list(const std::vector<Evidence>& evidence, std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for (const bool compared : {true, false}) {
    for (const Evidence& item : evidence) {
      if (item.op.empty() == compared || count == most) continue;
      text += (count == 0 ? "" : "; ") + evidence_text(item);
      ++count;
    }
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// --- one kernel

class Screen {
 public:
  Screen(const KernelDiagnosis& kernel, const Launch& launch, const DiagnosisParts& parts,
         Document& document)
      : kernel_(kernel), launch_(launch), parts_(parts), document_(document) {}

  void add(std::size_t id, std::string_view name, bool with_device) {
    document_.blocks.emplace_back(Heading{fmt::format("kernel {}  {}", id, name)});
    add_verdict(with_device);
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
    if (!kernel_.grid && !kernel_.block) return std::string(to_string(launch_.kind));
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
    if (kernel_.verdict.bound != Bound::kNone) where = bound_text(kernel_.verdict) + "; ";
    where += fmt::format("{}; {}", shape(), time());
    if (with_device) where += "; " + kernel_.device_name;
    Point verdict{"", kernel_.verdict.headline, "", {{"", std::move(where)}}};
    if (std::string text = launch_text(); !text.empty()) {
      verdict.lines.push_back({"launch", std::move(text)});
    }
    if (kernel_.facts.number("hot.line[0].share").value_or(0) >= kHot) {
      verdict.lines.push_back({"hottest line", hot_line(0).value_or("")});
    }
    document_.blocks.emplace_back(Points{{std::move(verdict)}});
  }

  // "15.5 waves; 30 registers a thread; 5.1 KB shared memory a block; occupancy 93 of 100 %"
  std::string launch_text() const {
    std::string text;
    const auto add = [&](std::string part) { text += (text.empty() ? "" : "; ") + part; };
    const Facts& facts = kernel_.facts;
    if (const auto waves = facts.number("launch.waves")) add(fmt::format("{:.3g} waves", *waves));
    if (const auto registers = facts.number("occupancy.registers_per_thread")) {
      add(fmt::format("{:.0f} registers a thread", *registers));
    }
    if (const auto bytes = facts.number("occupancy.shared_memory_per_block")) {
      add(fmt::format("{:.3g} KiB shared memory a block", *bytes / 1024));
    }
    const auto achieved = facts.number("occupancy.achieved");
    const auto theoretical = facts.number("occupancy.theoretical");
    if (achieved && theoretical) {
      add(fmt::format("occupancy {:.0f} of {:.0f} %", 100 * *achieved, 100 * *theoretical));
      const auto limiter = facts.text("occupancy.limiter");
      if (limiter && *limiter != "none") text += fmt::format(" (limited by {})", *limiter);
    }
    return text;
  }

  // "softmax.cu:31, 62 % of samples, long_scoreboard"
  std::optional<std::string> hot_line(std::size_t index) const {
    const std::string prefix = fmt::format("hot.line[{}].", index);
    const auto place = kernel_.facts.text(prefix + "place");
    if (!place) return std::nullopt;
    std::string text = *place;
    if (const auto share = kernel_.facts.number(prefix + "share")) {
      text += fmt::format(", {} of samples", share_text(*share));
    }
    if (const auto reason = kernel_.facts.text(prefix + "reason")) text += ", " + *reason;
    return text;
  }

  // The headline may be the first finding's own words; its first letter is a capital.
  bool is_in_headline(std::string_view words) const {
    return words.size() > 1 && kernel_.verdict.headline.find(words.substr(1)) != std::string::npos;
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
    if (!is_in_headline(finding.statement)) point.lines.push_back({"", finding.statement});
    if (in_full && !finding.evidence.empty()) {
      const std::size_t most = parts_.verbose ? finding.evidence.size() : kMostEvidence;
      point.lines.push_back({"evidence", evidence_list(finding.evidence, most)});
    }
    if (in_full && !finding.next.empty() && !is_in_headline(finding.next)) {
      point.lines.push_back({"next", finding.next});
    }
    if (parts_.verbose && !finding.explains.empty()) {
      point.lines.push_back({"explains", joined(finding.explains)});
    }
    return point;
  }

  void add_findings() {
    const std::vector<Finding>& findings = kernel_.findings;
    if (findings.empty()) return;
    const std::size_t shown =
        parts_.verbose ? findings.size() : std::min(findings.size(), kMostFindings);
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
    constexpr std::string_view kLevels[] = {"dram", "l2",   "l1",      "shared",           "tensor",
                                            "fma",  "fp64", "integer", "special-function", "lsu",
                                            "issue"};
    constexpr double kLeast = 0.01;
    std::vector<double> shares;
    BarGroup group{"Share of peak", {}, ""};
    for (const std::string_view level : kLevels) {
      const std::string fact = fmt::format("throughput.{}.share", level);
      const auto share = kernel_.facts.number(fact);
      if (!share || *share < kLeast) continue;
      group.bars.push_back(bar(std::string(level), fact, *share));
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
      constexpr std::string_view kStart = "stall.";
      constexpr std::string_view kEnd = ".share";
      const std::string_view name = fact.name;
      const auto* share = std::get_if<double>(&fact.value);
      if (share == nullptr || *share < kLeast || !name.starts_with(kStart) ||
          !name.ends_with(kEnd)) {
        continue;
      }
      const std::string_view reason =
          name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
      // Groups are sums of reasons, and so is what nothing hides.
      if (reason.find('.') != std::string_view::npos || reason == "exposed") continue;
      group.bars.push_back(
          bar(reason == "selected" ? "(issuing)" : std::string(reason), fact.name, *share));
    }
    std::stable_sort(group.bars.begin(), group.bars.end(),
                     [](const Bar& a, const Bar& b) { return a.share > b.share; });
    if (group.bars.size() > kMostBars) group.bars.resize(kMostBars);
    if (kernel_.facts.text("stall.source") == "samples") group.title += ", by PC samples";
    std::string kinds;
    for (const std::string_view kind : {"memory", "synchronisation", "compute", "other"}) {
      const auto share = kernel_.facts.number(fmt::format("stall.group.{}.share", kind));
      if (!share) continue;
      kinds += fmt::format("{}{} {}", kinds.empty() ? "Waits by kind: " : ", ", kind,
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
    for (const NvidiaRule& rule : launch_.nvidia_rules) {
      if (rule.speedup && std::isfinite(rule.speedup->percent)) rules.push_back(&rule);
    }
    std::stable_sort(rules.begin(), rules.end(), [](const NvidiaRule* a, const NvidiaRule* b) {
      return a->speedup->percent > b->speedup->percent;
    });
    if (!parts_.verbose && rules.size() > kMostNvidiaRules) rules.resize(kMostNvidiaRules);
    std::string title = "NVIDIA's rules say, by the speed-up they estimate:";
    if (rules.empty()) {
      title = launch_.nvidia_rules.empty() ? "The report holds no results of NVIDIA's rules."
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
          {{fact.name}, {quantity_text(fact.value, fact.unit)}, {joined(fact.sources)}});
    }
    for (Table& table : tables) document_.blocks.emplace_back(std::move(table));
    Table absent{{{"Absent fact"}, {"Why", Align::kLeft, true}}, {}};
    for (const AbsentFact& fact : kernel_.facts.absent()) {
      absent.rows.push_back({{fact.name}, {fact.reason}});
    }
    if (!absent.rows.empty()) document_.blocks.emplace_back(std::move(absent));
  }

  const KernelDiagnosis& kernel_;
  const Launch& launch_;
  const DiagnosisParts& parts_;
  Document& document_;
};

// --- all kernels

// "4 rules not evaluated; to evaluate them: ncu --section X"; "" where all were.
std::string not_evaluated_text(const KernelDiagnosis& kernel) {
  std::vector<std::string> metrics;
  std::vector<std::string> others;  // that no capture tells
  for (const NotEvaluated& rule : kernel.not_evaluated) {
    if (rule.capture.empty()) {
      others.push_back(rule.reason.empty() ? rule.id : rule.id + ": " + rule.reason);
      continue;
    }
    for (const std::string& fact : rule.missing) {
      for (std::string& metric : kernel.facts.absence(fact).metrics) {
        metrics.push_back(std::move(metric));
      }
    }
  }
  const std::size_t count = kernel.not_evaluated.size();
  const std::size_t can_be = count - others.size();
  if (count == 0) return "";
  std::string text = fmt::format("{} rule{} not evaluated", count, count == 1 ? "" : "s");
  if (can_be > 0) {
    const std::string which = can_be < count ? std::to_string(can_be) + " of them"
                              : count == 1   ? "it"
                                             : "them";
    text += fmt::format("; to evaluate {}: ncu {}", which, capture_flags(metrics));
  }
  for (const std::string& other : others) text += "; " + other;
  return text;
}

// {0, 1, 2, 5} -> "0 to 2, 5"
std::string runs_text(const std::vector<std::size_t>& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(sorted[i]);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

// What holds for many kernels is said once, of those that have a screen.
void add_kernel_notes(const Diagnosis& diagnosis, std::size_t screens, Document& document) {
  std::vector<std::pair<Callout, std::vector<std::size_t>>> notes;
  const auto note = [&](bool loss, std::string text, std::size_t kernel) {
    const auto same = [&](const auto& known) { return known.first.text == text; };
    auto known = std::find_if(notes.begin(), notes.end(), same);
    if (known == notes.end()) known = notes.insert(known, {Callout{loss, std::move(text)}, {}});
    known->second.push_back(kernel);
  };
  for (std::size_t i = 0; i < screens; ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    if (std::string text = not_evaluated_text(kernel); !text.empty()) {
      note(false, std::move(text), i);
    }
    for (const Note& one : kernel.notes) note(one.kind == NoteKind::kLoss, note_text(one), i);
  }
  for (auto& [callout, kernels] : notes) {
    if (kernels.size() < screens) {
      callout.text = fmt::format("kernel{} {}: {}", kernels.size() == 1 ? "" : "s",
                                 runs_text(kernels), callout.text);
    }
    document.blocks.emplace_back(std::move(callout));
  }
}

// The name of each kernel for tables and headings; shapes tell namesakes apart.
std::vector<std::string> kernel_names(const Diagnosis& diagnosis,
                                      std::span<const Profile> profiles) {
  std::vector<std::vector<std::string>> display;
  for (const Profile& profile : profiles) display.push_back(display_names(profile));
  std::vector<std::string> names;
  std::map<std::string, std::size_t> uses;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    names.push_back(shown_name(without_signature(display[kernel.source][kernel.launch])));
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    if (uses[names[i]] > 1 && (kernel.grid || kernel.block)) {
      names[i] += fmt::format(" [{}, {}]", dim_text(kernel.grid), dim_text(kernel.block));
    }
  }
  return names;
}

std::string device_text(const KernelDiagnosis& kernel) {
  if (kernel.compute_capability.empty()) return kernel.device_name;
  return fmt::format("{} (cc {})",
                     kernel.device_name.empty() ? "unnamed device" : kernel.device_name,
                     kernel.compute_capability);
}

void add_sources(const Diagnosis& diagnosis, Document& document) {
  Points points;
  for (std::size_t i = 0; i < diagnosis.sources.size(); ++i) {
    const DiagnosisSource& source = diagnosis.sources[i];
    std::set<std::string> devices;
    std::size_t kernels = 0;
    std::size_t launches = 0;
    for (const KernelDiagnosis& kernel : diagnosis.kernels) {
      if (kernel.source != i) continue;
      devices.insert(device_text(kernel));
      ++kernels;
      launches += kernel.spread.count;
    }
    std::string text = fmt::format("{}", fmt::join(devices, ", "));
    if (!text.empty()) text += "; ";
    // Without the build's number.
    if (!source.producer.empty())
      text += source.producer.substr(0, source.producer.find(" (")) + "; ";
    text += fmt::format("{} kernel{}, {} launch{}", kernels, kernels == 1 ? "" : "s", launches,
                        launches == 1 ? "" : "es");
    points.points.push_back({"", source.path, std::move(text), {}});
  }
  document.blocks.emplace_back(std::move(points));
}

void add_kernel_table(const Diagnosis& diagnosis, const std::vector<std::string>& names,
                      Document& document) {
  double whole = 0;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    whole += kernel.spread.total_ns.value_or(0);
  }
  Table table{{{"#", Align::kRight},
               {"Kernel", Align::kLeft, true},
               {"Count", Align::kRight, false, true},
               {"Total", Align::kRight},
               {"Share", Align::kRight, false, true},
               {"Bound at"},
               {"First cause"},
               {"Gain", Align::kRight}},
              {}};
  const bool many_files = diagnosis.sources.size() > 1;
  if (many_files) table.columns.insert(table.columns.begin() + 1, {"File", Align::kLeft, true});
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    const auto total = kernel.spread.total_ns;
    const Finding* first = kernel.findings.empty() ? nullptr : &kernel.findings.front();
    std::vector<Cell> row{
        {std::to_string(i), true},
        {names[i]},
        {std::to_string(kernel.spread.count), true},
        {time_text(total)},
        {total && whole > 0 ? fmt::format("{:.1f} %", 100 * *total / whole) : "-"},
        {place_text(kernel.verdict)},
        {first != nullptr ? first->id : "-"},
        {first != nullptr ? gain_text(first->gain) : "-"}};
    if (many_files) row.insert(row.begin() + 1, {diagnosis.sources[kernel.source].path});
    table.rows.push_back(std::move(row));
  }
  document.blocks.emplace_back(std::move(table));
}

std::size_t screens(const Diagnosis& diagnosis, const DiagnosisParts& parts) {
  const std::size_t kernels = diagnosis.kernels.size();
  return parts.all || kernels <= kFewKernels ? kernels : kMostScreens;
}

std::string exact(double number) { return fmt::format("{}", number); }

std::string exact(std::optional<double> number) { return number ? exact(*number) : ""; }

}  // namespace

Document compose_diagnosis(const Diagnosis& diagnosis, std::span<const Profile> profiles,
                           const DiagnosisParts& parts) {
  Document document;
  add_sources(diagnosis, document);
  const std::vector<std::string> names = kernel_names(diagnosis, profiles);
  const std::size_t count = screens(diagnosis, parts);
  if (names.size() > 1) {
    add_kernel_table(diagnosis, names, document);
    std::string words =
        "Worst first by total time, which is under ncu's replay, not wall time. A gain is the "
        "share "
        "of the duration that would go.";
    if (count < names.size()) {
      words += fmt::format(" The first {} follow; --all shows all, --kernel REGEX some.", count);
    }
    document.blocks.emplace_back(Paragraph{std::move(words)});
  }
  std::set<std::string_view> devices;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) devices.insert(kernel.device_name);
  for (std::size_t i = 0; i < count; ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    const Launch& launch = profiles[kernel.source].launches[kernel.launch];
    Screen(kernel, launch, parts, document).add(i, names[i], devices.size() > 1);
  }
  add_kernel_notes(diagnosis, count, document);
  add_notes(diagnosis.notes, document);
  return document;
}

Document compose_diagnosis_rows(const Diagnosis& diagnosis) {
  Table table;
  for (const std::string_view title :
       {"Kernel",    "Source",   "Name",      "Grid",      "Block",     "Device", "Launches",
        "Median ns", "Total ns", "Bound",     "At",        "Headline",  "Rank",   "Finding",
        "Severity",  "Gain low", "Gain high", "Gain kind", "Statement", "Next"}) {
    table.columns.push_back({std::string(title)});
  }
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    const std::vector<Cell> about{{std::to_string(i), true},
                                  {diagnosis.sources[kernel.source].path},
                                  {kernel.name},
                                  {dim_text(kernel.grid)},
                                  {dim_text(kernel.block)},
                                  {kernel.device_name},
                                  {std::to_string(kernel.spread.count), true},
                                  {exact(kernel.spread.median_ns), true},
                                  {exact(kernel.spread.total_ns), true},
                                  {std::string(to_string(kernel.verdict.bound))},
                                  {kernel.verdict.at},
                                  {kernel.verdict.headline}};
    for (std::size_t rank = 1; rank <= kernel.findings.size(); ++rank) {
      const Finding& finding = kernel.findings[rank - 1];
      std::vector<Cell> row = about;
      row.insert(row.end(), {{std::to_string(rank), true},
                             {finding.id},
                             {std::string(to_string(finding.severity))},
                             {exact(finding.gain.low), true},
                             {exact(finding.gain.high), true},
                             {std::string(to_string(finding.gain.kind))},
                             {finding.statement},
                             {finding.next}});
      table.rows.push_back(std::move(row));
    }
    if (kernel.findings.empty()) {
      table.rows.push_back(about);
      table.rows.back().resize(table.columns.size());
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline
