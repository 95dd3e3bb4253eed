// SPDX-License-Identifier: Apache-2.0
//
// `journal baseline`: names for files of measurements that later ones are compared with.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/journal_actions.h"
#include "cli/journal_place.h"
#include "cli/notes.h"
#include "readers/benchmark.h"
#include "views/baseline_document.h"
#include "views/entry_bodies.h"
#include "views/journal_json.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

Result<ExitCode> set_baseline(const std::string& name, const std::string& file,
                              JournalAction& action) {
  if (trim(name).empty()) return fail(ErrorKind::kUsage, "a baseline needs a name");
  const auto series = read_benchmark(file);
  if (!series) return tl::make_unexpected(series.error());
  for (const BenchmarkSide& side : series->sides) print_notes(side.benchmark.notes);
  const auto store = open_journal_to_write(action.flags.journal);
  if (!store) return tl::make_unexpected(store.error());
  std::error_code error;
  const std::string path = fs::absolute(file, error).lexically_normal().string();
  return write_entry(**store, {new_entry_id(), "", "baseline", baseline_body(name, path, *series)},
                     action);
}

Result<ExitCode> print_baselines(const std::string* name, JournalAction& action) {
  const auto store = open_journal_to_read(action.flags.journal);
  if (!store) return tl::make_unexpected(store.error());
  const auto entries = all_entries(**store, {"", "", "baseline", 0});
  if (!entries) return tl::make_unexpected(entries.error());
  std::vector<Baseline> baselines = baselines_of(*entries);
  if (name != nullptr) {
    const auto found = std::find_if(baselines.begin(), baselines.end(),
                                    [&](const Baseline& one) { return one.name == *name; });
    if (found == baselines.end()) {
      return fail(ErrorKind::kInput, fmt::format("no baseline is called {}; 'proofline journal "
                                                 "baseline list' lists them",
                                                 quote(*name)));
    }
    baselines = {*found};
  }
  const std::vector<Note> notes = notes_on(**store);
  if (action.output.format == "csv") print_notes(notes);
  present(
      {[&] {
         return name == nullptr ? compose_baselines(baselines, notes)
                                : compose_baseline(baselines.front(), notes);
       },
       [&](JsonWriter& json) { write_baselines_json((*store)->where(), baselines, notes, json); }},
      action.output, action.context);
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> manage_baselines(JournalAction& action) {
  const std::vector<std::string>& words = action.arguments;
  if (words[0] == "set" && words.size() == 3) return set_baseline(words[1], words[2], action);
  if (words[0] == "show" && words.size() == 2) return print_baselines(&words[1], action);
  if (words[0] == "list" && words.size() == 1) return print_baselines(nullptr, action);
  return fail(ErrorKind::kUsage,
              "write 'journal baseline list', 'baseline show NAME' or 'baseline set NAME FILE'");
}

}  // namespace proofline
