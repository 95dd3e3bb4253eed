// SPDX-License-Identifier: Apache-2.0
//
// Looks a name up in every table there is, and puts what is found into one shape.
#include "workflow/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analysis/analysis.h"
#include "analysis/launch/stalls_facts.h"
#include "analysis/launch/throughput_facts.h"
#include "arch/mnemonics.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "playbook/fact_catalogue.h"
#include "playbook/file/read_playbook.h"
#include "playbook/shipped.h"
#include "readers/format.h"
#include "rules/rule.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_unit.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/outdated_names.h"
#include "vocabulary/ptx_names.h"
#include "vocabulary/screen_words.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

using Texts = std::vector<std::string>;

void add(NameExplanation& explanation, std::string_view key, std::string_view text) {
  if (!text.empty()) explanation.properties.push_back({key, {std::string(text)}});
}

template <class Strings>
void add_list(NameExplanation& explanation, std::string_view key, const Strings& texts) {
  Texts values(texts.begin(), texts.end());
  if (!values.empty()) explanation.properties.push_back({key, std::move(values), true});
}

Texts words(std::string_view text) {
  Texts parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

void explain_rule(std::string_view name, std::vector<NameExplanation>& found) {
  const Rule* rule = find_rule(name);
  if (rule == nullptr) return;
  NameExplanation explanation{"rule", std::string(rule->id), {}, {}};
  add(explanation, "what", rule->what);
  add(explanation, "why", rule->why);
  add(explanation, "fix", rule->fix);
  add(explanation, "limits", rule->limits);
  add(explanation, "bound", to_string(rule->bound));
  add(explanation, "at", rule->at);
  add_list(explanation, "explains", rule->explains);
  found.push_back(std::move(explanation));
}

void explain_fact(std::string_view name, std::vector<NameExplanation>& found) {
  for (const CatalogueFact& fact : fact_catalogue()) {
    if (fact.name != name && !matches_fact(fact.name, name)) continue;
    NameExplanation explanation{"fact", std::string(name), {}, {}};
    if (fact.name != name) add(explanation, "one_of", fact.name);
    add(explanation, "meaning", fact.meaning);
    add(explanation, "unit", fact.unit);
    add(explanation, "analysis", fact.source);
    add(explanation, "needs", fact.command);
    found.push_back(std::move(explanation));
  }
}

std::vector<ScreenWord> all_screen_words() {
  std::vector<ScreenWord> words(screen_words().begin(), screen_words().end());
  words.insert(words.end(), column_heads().begin(), column_heads().end());
  return words;
}

// "no difference" is found too. Where rules tell of a place, they are named.
void explain_screen_word(std::string_view name, std::vector<NameExplanation>& found) {
  const std::string wanted = lower_case(name);
  for (const ScreenWord& word : all_screen_words()) {
    if (lower_case(word.word) != wanted) continue;
    NameExplanation explanation{word.kind, std::string(word.word), {}, {}};
    add(explanation, "meaning", word.meaning);
    Texts telling;
    for (const Rule& rule : rules()) {
      if (rule.at == word.word) telling.emplace_back(rule.id);
    }
    add_list(explanation, "rules", telling);
    found.push_back(std::move(explanation));
  }
}

// "latency (memory)" and "memory-bound" are how screens put together what bounds a kernel.
void explain_bound(std::string_view name, std::vector<NameExplanation>& found) {
  constexpr std::string_view kSuffix = "-bound";
  if (name.ends_with(kSuffix)) {
    explain_screen_word(name.substr(0, name.size() - kSuffix.size()), found);
  } else if (const std::size_t open = name.find(" ("); name.ends_with(')') && open < name.size()) {
    explain_screen_word(name.substr(0, open), found);
    explain_screen_word(name.substr(open + 2, name.size() - open - 3), found);
  }
}

void explain_format(std::string_view name, std::vector<NameExplanation>& found) {
  for (const Format& format : formats()) {
    if (format.name != name) continue;
    NameExplanation explanation{"file format", std::string(name), {}, {}};
    add(explanation, "what", format.what);
    add(explanation, "holds", format.summary);
    found.push_back(std::move(explanation));
  }
}

std::string rows_text(const std::vector<std::uint32_t>& rows) {
  return rows.empty() ? "" : fmt::format("rows {} of the requirements", fmt::join(rows, ", "));
}

template <class Items>
void add_ids(NameExplanation& explanation, std::string_view key, const Items& items) {
  Texts ids;
  for (const auto& item : items) ids.push_back(item.id);
  add_list(explanation, key, ids);
}

NameExplanation item_explanation(std::string_view kind, const Playbook& playbook,
                                 const PlaybookItem& item) {
  NameExplanation explanation{kind, playbook.id + "/" + item.id, {}, {}};
  add(explanation, "what", item.title);
  add(explanation, "why", item.why);
  return explanation;
}

Texts texts_of(const std::vector<PlaybookExpression>& expressions) {
  Texts texts;
  for (const PlaybookExpression& one : expressions) texts.push_back(one.text());
  return texts;
}

void explain_item(const Playbook& playbook, std::string_view id,
                  std::vector<NameExplanation>& found) {
  const auto finish = [&](NameExplanation explanation, const PlaybookItem& item) {
    add(explanation, "source", rows_text(item.rows));
    found.push_back(std::move(explanation));
  };
  for (const PlaybookCheck& check : playbook.checks) {
    if (check.id != id) continue;
    NameExplanation one = item_explanation("playbook check", playbook, check);
    add(one, "kind", to_string(check.kind));
    add(one, "expression", check.expr.text());
    if (check.when) add(one, "when", check.when->text());
    add(one, "fix", check.fix);
    if (check.ours) add(one, "threshold", "ours: the source gives no number");
    finish(std::move(one), check);
  }
  for (const PlaybookTask& task : playbook.tasks) {
    if (task.id != id) continue;
    NameExplanation one =
        item_explanation(task.option ? "playbook option" : "playbook task", playbook, task);
    add_list(one, "change", task.change);
    add(one, "hypothesis", task.hypothesis);
    if (task.when) add(one, "when", task.when->text());
    add_list(one, "after", task.after);
    add_list(one, "steps", task.steps);
    add_list(one, "accept", texts_of(task.accept));
    add_list(one, "legal", texts_of(task.legal));
    add(one, "expected", task.expect);
    finish(std::move(one), task);
  }
  for (const TreeNode& node : playbook.tree) {
    if (node.id != id) continue;
    NameExplanation one = item_explanation("playbook branch", playbook, node);
    add(one, "when", node.when ? node.when->text() : "otherwise");
    add(one, "says", node.say);
    add_list(one, "leads_to", node.next);
    finish(std::move(one), node);
  }
  for (const KnownChange& known : playbook.known) {
    if (known.id != id) continue;
    NameExplanation one = item_explanation("known change", playbook, known);
    add(one, "change", known.what);
    add(one, "state", known.state);
    add(one, "gain", known.gain);
    add(one, "told_by", known.source);
    finish(std::move(one), known);
  }
  for (const PlaybookPhase& phase : playbook.phases) {
    if (phase.id != id) continue;
    NameExplanation one = item_explanation("playbook phase", playbook, phase);
    add(one, "does", std::string(to_string(phase.does)));
    finish(std::move(one), phase);
  }
  for (const PlaybookDeliverable& one : playbook.deliverables) {
    if (one.id == id) finish(item_explanation("playbook deliverable", playbook, one), one);
  }
}

// "moe-evidence", or "moe-evidence/A".
void explain_playbook(std::string_view name, std::vector<NameExplanation>& found) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const ShippedPlaybook* shipped = find_shipped_playbook(name.substr(0, slash));
  if (shipped == nullptr) return;
  const Playbook playbook = read_playbook(shipped->text, std::string(shipped->id)).playbook;
  if (slash < name.size()) {
    explain_item(playbook, name.substr(slash + 1), found);
    return;
  }
  NameExplanation explanation{"playbook", playbook.id, {}, {}};
  add(explanation, "what", playbook.title);
  add_list(explanation, "uses", playbook.uses);
  add_ids(explanation, "kernels", playbook.kernels);
  add_ids(explanation, "phases", playbook.phases);
  add_ids(explanation, "checks", playbook.checks);
  add_ids(explanation, "tasks_and_options", playbook.tasks);
  add_ids(explanation, "branches", playbook.tree);
  add_ids(explanation, "known", playbook.known);
  add_ids(explanation, "deliverables", playbook.deliverables);
  add(explanation, "print", fmt::format("proofline check {} --print", playbook.id));
  found.push_back(std::move(explanation));
}

// `check` prints the ids of items without their playbook.
void explain_item_of_any(std::string_view id, std::vector<NameExplanation>& found) {
  for (const ShippedPlaybook& shipped : shipped_playbooks()) {
    explain_item(read_playbook(shipped.text, std::string(shipped.id)).playbook, id, found);
  }
}

void explain_level(std::string_view name, std::vector<NameExplanation>& found) {
  const LevelInfo* level = find_level(name);
  if (level == nullptr) return;
  NameExplanation explanation{"level", std::string(level->name), {}, {}};
  add(explanation, "what", level->what);
  add(explanation, "share", facts::kThroughputShare[level->level]);
  add_list(explanation, "metrics", level->paths);
  found.push_back(std::move(explanation));
}

void explain_stall_reason(std::string_view name, std::vector<NameExplanation>& found) {
  const StallReason* reason = find_stall_reason(name);
  if (reason == nullptr) return;
  NameExplanation explanation{"stall reason", std::string(reason->name), {}, {}};
  add(explanation, "waits_for", reason->waits_for);
  add(explanation, "helps", reason->helps);
  add(explanation, "group", to_string(reason->group));
  add(explanation, "share", facts::kStallShare[reason->stall]);
  add_list(explanation, "metrics",
           Texts{stall_counter(*reason),
                 fmt::format("smsp__pcsamp_warps_issue_stalled_{}", reason->sampled)});
  found.push_back(std::move(explanation));
}

std::string forms(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return ".sum, .avg, .min or .max, alone or with .per_second, .per_cycle_active, "
             ".per_cycle_elapsed, .pct_of_peak_sustained_active, .pct_of_peak_sustained_elapsed";
    case MetricKind::kRatio: return ".ratio, .pct, .max_rate";
    case MetricKind::kThroughput:
      return ".avg, .max, .min or .sum with .pct_of_peak_sustained_elapsed or "
             ".pct_of_peak_sustained_active";
  }
  return "";
}

// The chips by the GPUs that people know.
std::string chip_text(std::string_view chip) {
  if (chip == "gh100") return "gh100 (H100, H200)";
  if (chip == "gb100") return "gb100 (B100, B200)";
  return std::string(chip);
}

void add_origin(NameExplanation& explanation, const std::string& name, const std::string& base) {
  const std::vector<std::string_view> sections = sections_with(name);
  if (is_in_every_capture(name)) {
    add(explanation, "capture", "in every capture");
    return;
  }
  add_list(explanation, "sections", sections);
  if (sections.empty()) add_list(explanation, "other_forms_in", sections_with(base));
  Texts sets;
  for (const NcuSet& set : ncu_sets()) {
    const bool contained = std::any_of(
        sections.begin(), sections.end(),
        [&](std::string_view section) { return is_in_set(*find_ncu_section(section), set.id); });
    if (contained) sets.emplace_back(set.id);
  }
  add_list(explanation, "sets", sets);
  add(explanation, "capture", "ncu " + capture_flags({&name, 1}));
}

void explain_metric(std::string_view name, std::vector<NameExplanation>& found) {
  const MetricNameParts split = split_metric_name(name);
  const std::string base(split.base);
  const std::string in_domain = std::string(split.domain) + "." + base;
  auto known = find_known_metric(split.domain.empty() ? base : in_domain);
  if (!known) known = find_known_metric(base);
  const bool brought =
      !sections_with(name).empty() || is_in_every_capture(name) || !sections_with(base).empty();
  if (!known && !brought) return;
  NameExplanation explanation{"metric", std::string(name), {}, decode_metric_name(split)};
  const std::string problem = known ? wrong_form(*known, split) : "";
  if (problem.empty()) add(explanation, "unit", metric_unit(name));
  if (known) {
    add(explanation, "type", to_string(known->kind));
    add(explanation, "wrong_form", problem);
    const bool bare = split.rollup.empty() && split.submetric.empty();
    if (bare || !problem.empty()) add(explanation, "forms", forms(known->kind));
    Texts chips;
    for (const std::string_view chip : known->chips) chips.push_back(chip_text(chip));
    add_list(explanation, "chips", chips);
    Texts without;
    for (const std::string_view chip : metric_chips()) {
      const bool has =
          std::find(known->chips.begin(), known->chips.end(), chip) != known->chips.end();
      if (!has) without.push_back(chip_text(chip));
    }
    add_list(explanation, "not_on", without);
  }
  if (problem.empty()) add_origin(explanation, std::string(name), base);
  found.push_back(std::move(explanation));
}

void explain_section(std::string_view name, std::vector<NameExplanation>& found) {
  const NcuSection* section = find_ncu_section(name);
  if (section == nullptr) return;
  NameExplanation explanation{"section", std::string(section->id), {}, {}};
  add(explanation, "what", section->what);
  add(explanation, "title", section->name);
  add_list(explanation, "sets", words(section->sets));
  add(explanation, "capture", fmt::format("ncu --section {}", section->id));
  add_list(explanation, "metrics", metrics_of(*section));
  found.push_back(std::move(explanation));
}

void explain_set(std::string_view name, std::vector<NameExplanation>& found) {
  const NcuSet* set = find_ncu_set(name);
  if (set == nullptr) return;
  NameExplanation explanation{"set", std::string(set->id), {}, {}};
  add(explanation, "what", set->what);
  add(explanation, "capture", fmt::format("ncu --set {}", set->id));
  Texts sections;
  for (const NcuSection& section : ncu_sections()) {
    if (is_in_set(section, set->id)) sections.emplace_back(section.id);
  }
  add_list(explanation, "sections", sections);
  found.push_back(std::move(explanation));
}

std::string_view kind_of(NameFault fault) {
  switch (fault) {
    case NameFault::kOutdated: return "outdated name";
    case NameFault::kUnknown: return "wrong name";
    case NameFault::kMisread: return "misread name";
  }
  return "outdated name";
}

void explain_outdated(std::string_view name, std::vector<NameExplanation>& found) {
  const OutdatedName* entry = find_outdated(name);
  if (entry == nullptr) return;
  NameExplanation explanation{kind_of(entry->fault), std::string(name), {}, {}};
  add(explanation, "used_as", entry->kind);
  add(explanation, "instead", right_name(*entry, name));
  add(explanation, "why", entry->why);
  found.push_back(std::move(explanation));
}

void explain_ptx(std::string_view name, std::vector<NameExplanation>& found) {
  const PtxName* entry = find_ptx_name(name);
  if (entry == nullptr) return;
  NameExplanation explanation{"PTX name", std::string(name), {}, {}};
  add(explanation, "instead",
      entry->sass.empty() ? "no machine instruction of its own" : entry->sass);
  add(explanation, "why", entry->why);
  found.push_back(std::move(explanation));
}

void explain_opcode(const std::string& name, std::vector<NameExplanation>& found) {
  const std::string_view mnemonic = mnemonic_of(name);
  for (const Mnemonics& generation : mnemonics()) {
    for (const Mnemonic& one : generation.added) {
      if (one.name != mnemonic) continue;
      NameExplanation explanation{"opcode", name, {}, {}};
      add(explanation, "class", to_string(instruction_class(name)));
      add(explanation, "since", generation.generation);
      if (const std::uint32_t bytes = access_width(name); bytes > 0) {
        add(explanation, "bytes_per_thread", std::to_string(bytes));
      }
      found.push_back(std::move(explanation));
    }
  }
}

}  // namespace

std::vector<NameExplanation> explain(std::string_view name) {
  std::vector<NameExplanation> found;
  explain_playbook(name, found);
  explain_rule(name, found);
  explain_fact(name, found);
  explain_metric(name, found);
  explain_level(name, found);
  explain_stall_reason(name, found);
  explain_section(name, found);
  explain_set(name, found);
  explain_outdated(name, found);
  if (found.empty()) explain_ptx(name, found);
  explain_opcode(std::string(name), found);
  explain_screen_word(name, found);
  explain_format(name, found);
  if (found.empty()) explain_bound(name, found);
  if (found.empty()) explain_opcode(upper_case(name), found);
  if (found.empty()) explain_item_of_any(name, found);
  return found;
}

std::vector<std::string> names_near(std::string_view name) {
  constexpr std::size_t kMost = 5;
  // The suffixes of a metric are right or wrong by themselves.
  const MetricNameParts split = split_metric_name(name);
  const std::string_view wanted = split.unit.empty() ? name : split.base;
  std::vector<std::string_view> known = known_metric_names();
  for (const Rule& rule : rules()) known.push_back(rule.id);
  for (const Rule& rule : timeline_rules()) known.push_back(rule.id);
  for (const CatalogueFact& fact : fact_catalogue()) known.push_back(fact.name);
  for (const ShippedPlaybook& playbook : shipped_playbooks()) known.push_back(playbook.id);
  for (const LevelInfo& level : levels()) known.push_back(level.name);
  for (const StallReason& reason : stall_reasons()) known.push_back(reason.name);
  for (const NcuSection& section : ncu_sections()) known.push_back(section.id);
  for (const NcuSet& set : ncu_sets()) known.push_back(set.id);
  for (const OutdatedName& entry : outdated_names()) {
    if (entry.name.find('*') == entry.name.npos) known.push_back(entry.name);
  }
  for (const PtxName& entry : ptx_names()) known.push_back(entry.ptx);
  for (const ScreenWord& word : all_screen_words()) known.push_back(word.word);
  for (const Format& format : formats()) known.push_back(format.name);
  for (const Mnemonics& generation : mnemonics()) {
    for (const Mnemonic& one : generation.added) known.push_back(one.name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  Texts names;
  for (const std::string_view found : nearest(wanted, known, kMost)) names.emplace_back(found);
  return names;
}

std::vector<NameKind> name_kinds() {
  std::size_t opcodes = 0;
  for (const Mnemonics& generation : mnemonics()) opcodes += generation.added.size();
  return {
      {"rule", rules().size() + timeline_rules().size(), "proofline list rules"},
      {"fact", fact_catalogue().size(), "proofline list facts"},
      {"playbook", shipped_playbooks().size(), "proofline list playbooks"},
      {"metric", known_metric_names().size(), ""},
      {"level", levels().size(), "proofline list levels"},
      {"stall reason", stall_reasons().size(), "proofline list stall-reasons"},
      {"section", ncu_sections().size(), "proofline list sections"},
      {"set", ncu_sets().size(), "proofline list sets"},
      {"outdated, wrong or misread name", outdated_names().size(), "proofline list outdated-names"},
      {"PTX name", ptx_names().size(), "proofline list ptx-names"},
      {"opcode", opcodes, "proofline list opcodes"},
      {"word that results print", screen_words().size(), "proofline list words"},
      {"column of a table", column_heads().size(), "proofline list columns"},
      {"file format", formats().size(), "proofline list readers"}};
}

}  // namespace proofline
