// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "base/record.h"
#include "base/record_schema.h"
#include "workflow/journal/journal_results.h"

namespace proofline {
namespace {

constexpr std::string_view kWhere = "where it is, without a password";

}  // namespace

Record describe(const JournalEntry* /*type*/) {
  return {
      about("entry"),
      member<&JournalEntry::id>("id", "32 hex digits"),
      member<&JournalEntry::attempt>("attempt",
                                     "the id of the attempt that it belongs to; empty for none"),
      member<&JournalEntry::kind>("kind",
                                  "open, correctness, benchmark, profile, decision, close, note, "
                                  "baseline, missed, or what a later version adds"),
      member<&JournalEntry::written>("written", "UTC"),
      member<&JournalEntry::chain>("chain", "which journal wrote it"),
      member<&JournalEntry::sequence>(
          "sequence", "in its chain; 0: it waits for 'journal sync', in no chain yet"),
      member<&JournalEntry::body>("body", "a JSON object as text, as it was hashed"),
      member<&JournalEntry::previous>("previous", "hash of the entry before it in its chain"),
      member<&JournalEntry::hash>("hash"),
  };
}

Record describe(const Attempt* /*type*/) {
  return {
      about("attempt"),
      member<&Attempt::id>("id"),
      member<&Attempt::opened>("opened", "UTC; empty where the entry that opened it is missing"),
      member<&Attempt::closed>("closed", "empty while it is open"),
      member<&Attempt::hypothesis, Attempt>("hypothesis"),
      member<&Attempt::kind, Attempt>("kind", "of change"),
      member<&Attempt::expected, Attempt>("expected"),
      group("realised",
            {
                member<&Attempt::realised_gain>("gain").never_null(),
                derived("low",
                        [](const Attempt& one) {
                          return one.realised ? std::optional(one.realised->low) : std::nullopt;
                        }),
                derived("high",
                        [](const Attempt& one) {
                          return one.realised ? std::optional(one.realised->high) : std::nullopt;
                        }),
            })
          .null_unless([](const Attempt& one) { return one.realised_gain.has_value(); }),
      member<&Attempt::state>("state"),
      member<&Attempt::reason>("reason"),
      member<&Attempt::risk, Attempt>("risk"),
      member<&Attempt::commit, Attempt>(
          "commit", "of the work tree when it was opened; empty without a repository"),
      member<&Attempt::diff_stat, Attempt>("diff_stat"),
      member<&Attempt::commands, Attempt>("commands"),
      member<&Attempt::explanation>("explanation"),
      member<&Attempt::runs>("runs", "folders with the artefacts"),
      member<&Attempt::entries>("entries", "of show and export only").on_request(),
  };
}

Record describe(const Calibration* /*type*/) {
  return {
      about("calibration"),
      member<&Calibration::kind>("kind", "empty: all"),
      member<&Calibration::attempts>("attempts"),
      member<&Calibration::below>("below"),
      member<&Calibration::within>("within"),
      member<&Calibration::above>("above"),
      member<&Calibration::expected_mean>("expected_mean"),
      member<&Calibration::realised_mean>("realised_mean"),
  };
}

Record describe(const Remark* /*type*/) {
  return {
      about("remark"),
      member<&Remark::written>("written"),
      member<&Remark::text>("text"),
  };
}

Record describe(const JournalReading* /*type*/) {
  return {
      about("attempts", "list, show, export"),
      schema_version(),
      tool(),
      constant("result", "journal"),
      member<&JournalReading::where>("journal", kWhere),
      member<&JournalReading::notes>("notes"),
      member<&JournalReading::attempts>("attempts", "oldest first"),
      member<&JournalReading::calibrations>("calibration",
                                            "over all attempts of the journal, listed or not"),
      member<&JournalReading::remarks>("remarks", "notes that belong to no attempt"),
  };
}

Record describe(const Baseline* /*type*/) {
  return {
      about("baseline"),
      member<&Baseline::name>("name"),
      member<&Baseline::path>("path"),
      member<&Baseline::side>(
          "side", "the label of the side of the file that is meant; empty: it has only one"),
      member<&Baseline::sha256>(
          "sha256", "of the file when it was named; empty: set by a version that kept none"),
      member<&Baseline::set>("set", "UTC"),
      member<&Baseline::gpu>("gpu"),
      member<&Baseline::measurements>("measurements")
          .only({"configuration", "state", "median_ns", "low_ns", "high_ns", "samples"}),
  };
}

Record describe(const BaselineReading* /*type*/) {
  return {
      about("baselines", "baseline list, baseline show"),
      schema_version(),
      tool(),
      constant("result", "journal-baselines"),
      member<&BaselineReading::where>("journal", kWhere),
      member<&BaselineReading::notes>("notes"),
      member<&BaselineReading::baselines>("baselines"),
  };
}

Record describe(const ChainBreak* /*type*/) {
  return {
      about("break"),
      member<&ChainBreak::chain>("chain"),
      member<&ChainBreak::sequence>("sequence"),
      member<&ChainBreak::what>("what"),
  };
}

Record describe(const VerifiedJournal* /*type*/) {
  return {
      about("verification", "verify"),
      schema_version(),
      tool(),
      constant("result", "journal-verification"),
      member<&VerifiedJournal::where>("journal", kWhere),
      derived("whole", [](const VerifiedJournal& one) { return one.verification.breaks.empty(); }),
      inlined<&VerifiedJournal::verification>(),
  };
}

Record describe(const Verification* /*type*/) {
  return {
      about("chains"),
      member<&Verification::entries>("entries"),
      member<&Verification::chains>("chains"),
      member<&Verification::breaks>("breaks"),
  };
}

Record describe(const WrittenEntry* /*type*/) {
  return {
      about("written", "open, note, close, baseline set: the entry that was written"),
      schema_version(),
      tool(),
      constant("result", "journal-entry"),
      member<&WrittenEntry::where>("journal", kWhere),
      inlined<&WrittenEntry::entry>().only(
          {"id", "attempt", "kind", "written", "chain", "sequence"}),
  };
}

Record describe(const JournalSync* /*type*/) {
  return {
      about("sync", "sync; `journal` is the one that got the entries"),
      schema_version(),
      tool(),
      constant("result", "journal-sync"),
      member<&JournalSync::to>("journal", kWhere),
      member<&JournalSync::from>("from"),
      member<&JournalSync::entries>("entries", "in `from`"),
      member<&JournalSync::adopted>("adopted", "that the other did not have"),
  };
}

ResultSchema journal_results_record() {
  return {"journal",
          "What `proofline journal --format json` prints",
          {record_of<JournalReading>, record_of<BaselineReading>, record_of<VerifiedJournal>,
           record_of<WrittenEntry>, record_of<JournalSync>}};
}

}  // namespace proofline
