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
  const bool csv = output.format == "csv";
  if (csv) print_notes(ceilings.notes);
  present({[&] { return csv ? compose_ceilings_rows(ceilings) : compose_ceilings(ceilings); },
           [&](JsonWriter& json) { write_ceilings(ceilings, json); }},
          output, context);
}

Result<ExitCode> show_ceilings(Input input, const OutputFlags& output, Context& context) {
  ASSIGN_OR_RETURN(const auto ceilings, read_ceilings(input));
  present_ceilings(ceilings, output, context);
  return exit_code_after(ceilings.notes);
}

}  // namespace proofline
