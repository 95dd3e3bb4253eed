// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/record.h"
#include "base/record_schema.h"
#include "model/machine/kept_run.h"

namespace proofline {

KeptRunList first_runs(std::vector<KeptRun> runs, std::size_t limit) {
  KeptRunList list;
  list.total_runs = runs.size();
  for (const KeptRun& run : runs) list.total_bytes += run.bytes;
  if (limit > 0 && limit < runs.size()) runs.resize(limit);
  list.runs = std::move(runs);
  return list;
}

Record describe(const KeptRun* /*type*/) {
  return {
      about("run"),
      member<&KeptRun::name>("name", "of its folder; what `runs show` takes"),
      member<&KeptRun::folder>("folder", "as it is seen from where the command ran"),
      member<&KeptRun::kind>("kind",
                             "the command that made it: profile, bench, run; empty where an older "
                             "version did not tell"),
      member<&KeptRun::command>("command", "what was typed, without secrets"),
      member<&KeptRun::started>("started", "UTC, as 2026-11-17T10:15:00Z"),
      member<&KeptRun::outcome>("outcome", "one word: profiled, measured, time-limit"),
      member<&KeptRun::bytes>("bytes", "on the disk"),
  };
}

Record describe(const KeptRunList* /*type*/) {
  return {
      about("runs", "list"),
      schema_version(),
      tool(),
      constant("result", "runs"),
      member<&KeptRunList::total_runs>("total_runs", "with those that the limit leaves out"),
      member<&KeptRunList::total_bytes>("total_bytes"),
      member<&KeptRunList::runs>("runs", "the newest first"),
  };
}

Record describe(const KeptRunStep* /*type*/) {
  return {
      about("step", "A program that was started."),
      member<&KeptRunStep::label>("label"),
      member<&KeptRunStep::command>("command"),
      member<&KeptRunStep::ending>("ending", "exit code 0, signal 11, time-limit"),
      member<&KeptRunStep::seconds>("seconds"),
  };
}

Record describe(const KeptRunFile* /*type*/) {
  return {
      about("file"),
      member<&KeptRunFile::path>("path", "from the run's folder on"),
      member<&KeptRunFile::bytes>("bytes"),
      member<&KeptRunFile::what>("what"),
      member<&KeptRunFile::commands>("commands", "those that read it, comma-separated"),
  };
}

Record describe(const KeptRunDetails* /*type*/) {
  return {
      about("details", "show"),
      schema_version(),
      tool(),
      constant("result", "run"),
      member<&KeptRunDetails::run>("run"),
      member<&KeptRunDetails::steps>("steps"),
      member<&KeptRunDetails::files>("files"),
      member<&KeptRunDetails::next>("next"),
  };
}

Record describe(const SparedRun* /*type*/) {
  return {
      about("spared"),
      inlined<&SparedRun::run>(),
      member<&SparedRun::reason>("reason", "why it stays although it matches"),
  };
}

Record describe(const PrunedRuns* /*type*/) {
  return {
      about("prune", "prune"),
      schema_version(),
      tool(),
      constant("result", "prune"),
      member<&PrunedRuns::notes>("notes"),
      member<&PrunedRuns::is_dry>("dry_run"),
      member<&PrunedRuns::freed>("freed_bytes"),
      member<&PrunedRuns::kept_runs>("kept_runs"),
      member<&PrunedRuns::kept_bytes>("kept_bytes"),
      member<&PrunedRuns::removed>("removed", "with dry_run: what would be"),
      member<&PrunedRuns::spared>("spared"),
  };
}

ResultSchema kept_run_record() {
  return {"runs",
          "What `proofline runs --format json` prints: list, show or prune",
          {record_of<KeptRunList>, record_of<KeptRunDetails>, record_of<PrunedRuns>}};
}

}  // namespace proofline
