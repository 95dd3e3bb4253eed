// SPDX-License-Identifier: Apache-2.0
#include "views/machine/runs_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/option.h"
#include "base/text.h"
#include "views/journal/journal_document.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostRunSteps = 12;
constexpr std::size_t kMostListedFiles = 24;

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::size_t shown(std::size_t all, std::size_t limit) {
  return limit == 0 ? all : std::min(all, limit);
}

// What was typed after the kind of run, which is next to it.
std::string arguments_of(const KeptRun& run) {
  const std::string start = fmt::format("proofline {} ", run.kind);
  return run.command.starts_with(start) ? run.command.substr(start.size()) : run.command;
}

std::vector<Cell> run_cells(const KeptRun& run) {
  return {{run.name},
          {or_dash(run.kind)},
          {or_dash(run.outcome)},
          {bytes_text(run.bytes), true},
          {arguments_of(run)},
          {when_text(run.started)}};
}

std::vector<TableColumn> run_columns() {
  return {{"Run"},
          {"Kind"},
          {"Outcome"},
          {"Size", Align::kRight},
          {"Command", Align::kLeft, true},
          {"Started", Align::kLeft, false, true}};
}

void add_more(std::size_t more, Document& document) {
  if (more == 0) return;
  document.blocks.emplace_back(
      Paragraph{fmt::format("and {} more, in {} json", more, option("format"))});
}

void add_steps(const KeptRunDetails& details, Document& document) {
  if (details.steps.empty()) return;
  document.blocks.emplace_back(Heading{"Steps"});
  Table table{{{"Step"}, {"Ended"}, {"Time", Align::kRight}, {"Command", Align::kLeft, true, true}},
              {}};
  const std::size_t count = shown(details.steps.size(), kMostRunSteps);
  for (std::size_t i = 0; i < count; ++i) {
    const KeptRunStep& step = details.steps[i];
    table.rows.push_back(
        {{step.label}, {step.ending}, {time_text(1e9 * step.seconds), true}, {step.command}});
  }
  document.blocks.emplace_back(std::move(table));
  add_more(details.steps.size() - count, document);
}

void add_files(const KeptRunDetails& details, Document& document) {
  std::vector<const KeptRunFile*> files;
  for (const KeptRunFile& file : details.files) {
    if (file.bytes > 0) files.push_back(&file);
  }
  if (files.empty()) return;
  // What a command reads comes before what programs printed.
  std::stable_sort(files.begin(), files.end(), [](const KeptRunFile* a, const KeptRunFile* b) {
    return !a->commands.empty() && b->commands.empty();
  });
  document.blocks.emplace_back(Heading{"Files"});
  Table table{{{"File", Align::kLeft, true}, {"Size", Align::kRight}, {"What"}, {"Read by"}}, {}};
  table.columns.back().dispensable = true;
  const std::size_t count = shown(files.size(), kMostListedFiles);
  for (std::size_t i = 0; i < count; ++i) {
    table.rows.push_back({{files[i]->path},
                          {bytes_text(files[i]->bytes), true},
                          {or_dash(files[i]->what)},
                          {or_dash(files[i]->commands)}});
  }
  document.blocks.emplace_back(std::move(table));
  add_more(files.size() - count, document);
  if (const std::size_t empty = details.files.size() - files.size(); empty > 0) {
    document.blocks.emplace_back(Paragraph{plural(empty, "file is", "files are") + " empty."});
  }
}

}  // namespace

Document compose_runs(const std::vector<KeptRun>& runs, std::size_t limit) {
  if (runs.empty()) return Document{{Paragraph{"No runs are kept here."}}};
  Table table{run_columns(), {}};
  for (std::size_t i = 0; i < shown(runs.size(), limit); ++i) {
    table.rows.push_back(run_cells(runs[i]));
  }
  std::uint64_t bytes = 0;
  for (const KeptRun& run : runs) bytes += run.bytes;
  Document document{{std::move(table)}};
  document.blocks.emplace_back(
      Paragraph{fmt::format("{} in {}; 'proofline runs prune' frees space.", bytes_text(bytes),
                            plural(runs.size(), "run"))});
  return document;
}

Document compose_runs_rows(const std::vector<KeptRun>& runs, std::size_t limit) {
  Table table{{{"Run"}, {"Kind"}, {"Outcome"}, {"Bytes"}, {"Started"}, {"Command"}, {"Folder"}},
              {}};
  for (std::size_t i = 0; i < shown(runs.size(), limit); ++i) {
    const KeptRun& run = runs[i];
    table.rows.push_back({{run.name},
                          {run.kind},
                          {run.outcome},
                          {std::to_string(run.bytes), true},
                          {run.started},
                          {run.command},
                          {run.folder}});
  }
  return Document{{std::move(table)}};
}

Document compose_run_details(const KeptRunDetails& details) {
  const KeptRun& run = details.run;
  Document document;
  document.blocks.emplace_back(Properties{{{"Run", run.name},
                                           {"Command", run.command},
                                           {"Kind", or_dash(run.kind)},
                                           {"Started", run.started},
                                           {"Outcome", or_dash(run.outcome)},
                                           {"Size", bytes_text(run.bytes)},
                                           {"Folder", run.folder}}});
  add_steps(details, document);
  add_files(details, document);
  if (!details.next.empty()) {
    document.blocks.emplace_back(Heading{"Look at it"});
    Properties next;
    for (const std::string& command : details.next) {
      next.rows.emplace_back(next.rows.empty() ? "next" : "", command);
    }
    document.blocks.emplace_back(std::move(next));
  }
  return document;
}

Document compose_run_files_rows(const KeptRunDetails& details) {
  Table table{{{"File"}, {"Bytes"}, {"What"}, {"Read by"}}, {}};
  for (const KeptRunFile& file : details.files) {
    table.rows.push_back(
        {{file.path}, {std::to_string(file.bytes), true}, {file.what}, {file.commands}});
  }
  return Document{{std::move(table)}};
}

std::string pruned_headline(const PrunedRuns& pruned) {
  const std::string left =
      fmt::format("{} ({}) left", plural(pruned.kept_runs, "run"), bytes_text(pruned.kept_bytes));
  if (pruned.removed.empty()) return fmt::format("Nothing to remove; {}", left);
  return fmt::format("{} {}, {} {}; {}", pruned.is_dry ? "Would remove" : "Removed",
                     plural(pruned.removed.size(), "run"), pruned.is_dry ? "freeing" : "freed",
                     bytes_text(pruned.freed), left);
}

Document compose_pruned(const PrunedRuns& pruned) {
  Document document;
  document.blocks.emplace_back(Points{{{"", pruned_headline(pruned), "", {}}}});
  if (!pruned.removed.empty()) {
    Table table{run_columns(), {}};
    for (const KeptRun& run : pruned.removed) table.rows.push_back(run_cells(run));
    document.blocks.emplace_back(std::move(table));
  }
  if (!pruned.spared.empty()) {
    document.blocks.emplace_back(Heading{"Kept although they match"});
    Table table{{{"Run"}, {"Size", Align::kRight}, {"Why", Align::kLeft, true}}, {}};
    for (const SparedRun& spared : pruned.spared) {
      table.rows.push_back(
          {{spared.run.name}, {bytes_text(spared.run.bytes), true}, {spared.reason}});
    }
    document.blocks.emplace_back(std::move(table));
  }
  add_notes(pruned.notes, document);
  return document;
}

Document compose_pruned_rows(const PrunedRuns& pruned) {
  Table table{{{"Run"}, {"Bytes"}, {"Removed"}, {"Why"}}, {}};
  const auto add = [&](const KeptRun& run, bool removed, const std::string& reason) {
    table.rows.push_back(
        {{run.name}, {std::to_string(run.bytes), true}, {removed ? "yes" : "no"}, {reason}});
  };
  for (const KeptRun& run : pruned.removed) add(run, !pruned.is_dry, "");
  for (const SparedRun& spared : pruned.spared) add(spared.run, false, spared.reason);
  return Document{{std::move(table)}};
}

}  // namespace proofline
