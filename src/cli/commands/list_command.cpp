// SPDX-License-Identifier: Apache-2.0
//
// `proofline list WHAT`: what is built in.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/analysis.h"
#include "arch/mnemonics.h"
#include "base/json_writer.h"
#include "base/record_schema.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "playbook/fact_catalogue.h"
#include "playbook/file/read_playbook.h"
#include "playbook/functions.h"
#include "playbook/phase_kind.h"
#include "playbook/shipped.h"
#include "readers/format.h"
#include "rules/rule.h"
#include "vocabulary/levels.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/outdated_names.h"
#include "vocabulary/ptx_names.h"
#include "vocabulary/screen_words.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

struct Entry {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> kinds = {};  // what a format can be read as; others have none
  // Of a fact: its unit, the analysis that publishes it, and what a capture must have for it.
  std::string_view unit = {};
  std::string_view source = {};
  std::string needs = {};
};

using Entries = std::vector<Entry>;

template <class Item>
Entries entries(std::span<const Item> items, std::string_view Item::*name,
                std::string_view Item::*summary) {
  Entries list;
  for (const Item& item : items) list.push_back({item.*name, item.*summary});
  return list;
}

Entries playbooks() {
  // The list refers to the titles.
  static const std::vector<Playbook> kRead = [] {
    std::vector<Playbook> read;
    for (const ShippedPlaybook& one : shipped_playbooks()) {
      read.push_back(read_playbook(one.text, std::string(one.id)).playbook);
    }
    return read;
  }();
  Entries list;
  for (const Playbook& playbook : kRead) list.push_back({playbook.id, playbook.title});
  return list;
}

// "time the program (starts, warm_up, time_by)"
Entries phases_and_keys() {
  // The list refers to the summaries.
  static const std::vector<std::string> kSummaries = [] {
    std::vector<std::string> summaries;
    for (const PhaseKindInfo& phase : kPhaseKinds) {
      std::vector<std::string_view> keys;
      for (const PhaseKey& key : phase.keys()) keys.push_back(key.name);
      summaries.push_back(keys.empty() ? std::string(phase.help)
                                       : fmt::format("{} ({})", phase.help, fmt::join(keys, ", ")));
    }
    return summaries;
  }();
  Entries list;
  for (const PhaseKindInfo& phase : kPhaseKinds) {
    list.push_back({phase.name, kSummaries[list.size()]});
  }
  return list;
}

// What an analysis asks for where a capture has nothing at all, or the command that brings it.
std::string needs_of(const CatalogueFact& fact, const Facts& missing) {
  if (!fact.command.empty()) return std::string(fact.command);
  for (const AbsentFact& one : missing.absent()) {
    if (!matches_fact(fact.name, one.name)) continue;
    return one.metrics.empty() ? fmt::format("a profile; absent where {}", one.reason)
                               : fmt::format("{}", fmt::join(one.metrics, ", "));
  }
  // What is there even so, and what every kernel of a profile has.
  return missing.find(fact.name) ? "nothing" : "a profile";
}

Entries facts() {
  Entries list;
  const Facts missing = gather_facts(Profile{}, Launch{}, Declared{});
  for (const CatalogueFact& fact : fact_catalogue()) {
    list.push_back({.name = fact.name,
                    .summary = fact.meaning,
                    .unit = fact.unit,
                    .source = fact.source,
                    .needs = needs_of(fact, missing)});
  }
  return list;
}

Entries all_rules() {
  Entries list = entries(rules(), &Rule::id, &Rule::what);
  const Entries more = entries(timeline_rules(), &Rule::id, &Rule::what);
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

// By what they can be read as first.
Entries readers() {
  Entries list;
  for (const InputKind first : kInputKinds) {
    for (const Format& format : formats()) {
      Entry entry{format.name, format.summary};
      for (const InputKind kind : kInputKinds) {
        if (format.offers(kind)) entry.kinds.push_back(to_string(kind));
      }
      if (entry.kinds.front() == to_string(first)) list.push_back(std::move(entry));
    }
  }
  return list;
}

Entries opcodes() {
  Entries list;
  for (const Mnemonics& generation : mnemonics()) {
    for (const Mnemonic& one : generation.added) list.push_back({one.name, to_string(one.kind)});
  }
  std::sort(list.begin(), list.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return list;
}

struct Catalogue {
  std::string_view what;
  std::string_view summary;
  Entries (*entries)();
};

constexpr Catalogue kCatalogues[] = {
    {"readers", "file formats that can be read", readers},
    {"views", "output formats: --format",
     [] { return entries(views(), &View::name, &View::summary); }},
    {"commands", "commands of this program",
     [] { return entries(commands(), &Command::name, &Command::summary); }},
    {"rules", "causes that diagnose and timeline look for", all_rules},
    {"facts", "facts that rules and playbooks judge", facts},
    {"playbooks", "playbooks that are built in", playbooks},
    {"schemas", "JSON schemas of results, for `proofline schema`",
     [] { return entries(result_schemas(), &ResultSchema::name, &ResultSchema::summary); }},
    {"functions", "functions that expressions of playbooks call",
     [] {
       return entries(expression_functions(), &ExpressionFunction::signature,
                      &ExpressionFunction::help);
     }},
    {"phases", "kinds of phases that playbooks run", phases_and_keys},
    {"levels", "levels of the memory system and pipes of an SM",
     [] { return entries(levels(), &LevelInfo::name, &LevelInfo::what); }},
    {"stall-reasons", "what warps wait for",
     [] { return entries(stall_reasons(), &StallReason::name, &StallReason::waits_for); }},
    {"sections", "ncu's sections",
     [] { return entries(ncu_sections(), &NcuSection::id, &NcuSection::what); }},
    {"sets", "ncu's sets of sections",
     [] { return entries(ncu_sets(), &NcuSet::id, &NcuSet::what); }},
    {"outdated-names", "names of old guides, and the right ones",
     [] { return entries(outdated_names(), &OutdatedName::name, &OutdatedName::right); }},
    {"ptx-names", "PTX instructions and their SASS",
     [] { return entries(ptx_names(), &PtxName::ptx, &PtxName::sass); }},
    {"opcodes", "SASS opcodes that are known", opcodes},
    {"words", "verdicts, states and other words that results print",
     [] { return entries(screen_words(), &ScreenWord::word, &ScreenWord::meaning); }},
    {"columns", "column heads, and what they mean",
     [] { return entries(column_heads(), &ScreenWord::word, &ScreenWord::meaning); }},
};

Entries catalogues() {
  Entries list;
  for (const Catalogue& one : kCatalogues) list.push_back({one.what, one.summary});
  return list;
}

Document as_document(const Entries& list) {
  const bool with_kinds = !list.empty() && !list.front().kinds.empty();
  const bool with_sources = !list.empty() && !list.front().source.empty();
  Table table{{{"Name"}}, {}};
  if (with_kinds) table.columns.push_back({"Kind"});
  if (with_sources) table.columns.insert(table.columns.end(), {{"Unit"}, {"From"}});
  table.columns.push_back({"What it is"});
  if (with_sources) table.columns.push_back({"Needs"});
  for (const Entry& entry : list) {
    auto& row = table.rows.emplace_back();
    row.push_back({std::string(entry.name)});
    if (with_kinds) row.push_back({fmt::format("{}", fmt::join(entry.kinds, ", "))});
    if (with_sources)
      row.insert(row.end(), {{std::string(entry.unit)}, {std::string(entry.source)}});
    row.push_back({std::string(entry.summary)});
    if (with_sources) row.push_back({entry.needs});
  }
  return Document{{std::move(table)}};
}

void write_json(const std::string& what, const Entries& list, JsonWriter& json) {
  json.begin_object();
  write_schema_version(json);
  std::string key = what;
  std::replace(key.begin(), key.end(), '-', '_');
  json.objects(key, list, [&](const Entry& entry) {
    json.member("name", entry.name);
    json.member("summary", entry.summary);
    if (!entry.source.empty()) {
      json.member("unit", entry.unit);
      json.member("from", entry.source);
      json.member("needs", entry.needs);
    }
    if (!entry.kinds.empty()) {
      json.array("kinds", entry.kinds, [&](const std::string_view kind) { json.text(kind); });
    }
  });
  json.end_object();
}

Run configure_list(Flags line) {
  auto what = std::make_shared<std::string>();
  std::vector<std::string> names;
  std::string choices;
  for (const Catalogue& catalogue : kCatalogues) {
    names.emplace_back(catalogue.what);
    choices += (choices.empty() ? "" : "|") + names.back();
  }
  line.add("WHAT", *what,
           fmt::format("One of {}; without it, what there is", fmt::join(names, ", ")))
      .one_of(names)
      .shown_as(choices);
  auto flags = add_output_flags(line);
  return [what, flags](Context& context) -> Result<ExitCode> {
    const auto* catalogue = std::find_if(std::begin(kCatalogues), std::end(kCatalogues),
                                         [&](const Catalogue& one) { return one.what == *what; });
    const Entries list = what->empty() ? catalogues() : catalogue->entries();
    present({[&] { return as_document(list); },
             [&](JsonWriter& json) { write_json(what->empty() ? "lists" : *what, list, json); }},
            *flags, context);
    return ExitCode::kDone;
  };
}

}  // namespace

Command list_command() {
  return {"list", CommandGroup::kBuildIn,
          "List formats, commands, rules, facts, playbooks, ncu's names",
          "  proofline list                          what there is to list\n"
          "  proofline list readers                  file formats that can be read\n"
          "  proofline list rules                    causes that diagnose looks for\n"
          "  proofline list views --format json      output formats, for a script\n",
          configure_list};
}

}  // namespace proofline
