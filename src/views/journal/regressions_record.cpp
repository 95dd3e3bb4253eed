// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"
#include "base/record_schema.h"
#include "views/journal/regressions_document.h"

namespace proofline {

Record describe(const HistoryChange* /*type*/) {
  return {
      about("regression"),
      member<&HistoryChange::configuration>("configuration"),
      member<&HistoryChange::ratio>("ratio", "of the time after it to the time before").above(0),
      member<&HistoryChange::low>(
          "low", "its interval, with what measurements at other times may differ by"),
      member<&HistoryChange::high>("high").or_null(),
      member<&HistoryChange::since>("since", "when it was first measured, UTC"),
      member<&HistoryChange::attempt>("attempt",
                                      "that made it; empty: it came between two attempts"),
      member<&HistoryChange::after>("after", "the last attempt before it"),
      member<&HistoryChange::before>("before", "the first attempt that measured it"),
      member<&HistoryChange::hypothesis>("hypothesis", "of the attempt, or of the one before it"),
      member<&HistoryChange::commits>(
          "commits", "of the work tree at both attempts; empty: not known, or the same"),
  };
}

Record describe(const RegressionReading* /*type*/) {
  return {
      about("regressions"),
      schema_version(),
      tool(),
      constant("result", "regressions"),
      member<&RegressionReading::where>("journal"),
      member<&RegressionReading::attempts>("attempts", "that were looked at"),
      member<&RegressionReading::changes>("regressions"),
      member<&RegressionReading::notes>("notes"),
  };
}

ResultSchema regressions_record() {
  return {"regressions",
          "What `proofline journal regressions --format json` prints",
          {record_of<RegressionReading>}};
}

}  // namespace proofline
