// SPDX-License-Identifier: Apache-2.0
#include "cli/ceilings_result.h"

#include "base/propagate.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "readers/benchmark/ceilings.h"
#include "views/measurement/ceilings_document.h"
#include "views/measurement/ceilings_json.h"

namespace proofline {

void present_ceilings(const Ceilings& ceilings, const OutputFlags& output, Context& context) {
  present({.document = [&] { return compose_ceilings(ceilings); },
           .json = [&](JsonWriter& json) { write_ceilings(ceilings, json); },
           .rows = [&] { return compose_ceilings_rows(ceilings); },
           .notes = ceilings.notes},
          output, context);
}

Result<ExitCode> show_ceilings(Input input, const OutputFlags& output, Context& context) {
  ASSIGN_OR_RETURN(const auto ceilings, read_ceilings(input));
  present_ceilings(ceilings, output, context);
  return exit_code_after(ceilings.notes);
}

}  // namespace proofline
