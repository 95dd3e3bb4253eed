// SPDX-License-Identifier: Apache-2.0
//
// `journal baseline`: names for files of measurements that later ones are compared with.
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "cli/journal/journal_actions.h"
#include "cli/notes.h"
#include "readers/benchmark/benchmark.h"
#include "store/file_hash.h"
#include "views/journal/baseline_document.h"
#include "views/journal/entry_bodies.h"
#include "views/journal/journal_json.h"
#include "workflow/journal/baseline_side.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

Result<ExitCode> set_baseline(const std::string& name, const std::string& file,
                              JournalAction& action) {
  if (trim(name).empty()) return fail(ErrorKind::kUsage, "a baseline needs a name");
  ASSIGN_OR_RETURN(auto series, read_benchmark(file));
  print_notes(notes_of(series));
  const std::string& label = action.flags.side;
  ASSIGN_OR_RETURN(auto side, pick_baseline_side(series, label, file));
  series.sides = {std::move(side)};
  ASSIGN_OR_RETURN(auto hash, file_sha256(file));
  ASSIGN_OR_RETURN(const auto store, open_journal_to_write(action.flags.journal));
  std::error_code error;
  Baseline baseline;
  baseline.name = name;
  baseline.path = fs::absolute(file, error).lexically_normal().string();
  baseline.side = label;
  baseline.sha256 = std::move(hash);
  return write_entry(*store, {new_entry_id(), "", "baseline", baseline_body(baseline, series)},
                     action);
}

Result<ExitCode> print_baselines(const std::string* name, JournalAction& action) {
  ASSIGN_OR_RETURN(const auto store, open_journal_to_read(action.flags.journal));
  const auto read = name == nullptr ? all_baselines(*store)
                                    : find_baseline(*store, *name).map([](const Baseline& one) {
                                        return std::vector<Baseline>{one};
                                      });
  if (!read) return tl::make_unexpected(read.error());
  const std::vector<Baseline>& baselines = *read;
  const std::vector<Note> notes = notes_on(*store);
  if (action.output.format == "csv") print_notes(notes);
  present({[&] {
             return name == nullptr ? compose_baselines(baselines, notes)
                                    : compose_baseline(baselines.front(), notes);
           },
           [&](JsonWriter& json) { write_baselines_json(store->where(), baselines, notes, json); }},
          action.output, action.context);
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> manage_baselines(JournalAction& action) {
  const std::vector<std::string>& words = action.arguments;
  if (words[0] != "set" && !action.flags.side.empty()) {
    return fail(ErrorKind::kUsage, "--side belongs to 'journal baseline set'");
  }
  if (words[0] == "set" && words.size() == 3) return set_baseline(words[1], words[2], action);
  if (words[0] == "show" && words.size() == 2) return print_baselines(&words[1], action);
  if (words[0] == "list" && words.size() == 1) return print_baselines(nullptr, action);
  return fail(ErrorKind::kUsage,
              "write 'journal baseline list', 'baseline show NAME' or 'baseline set NAME FILE'");
}

}  // namespace proofline
