// SPDX-License-Identifier: Apache-2.0
#include "cli/present_ceilings.h"

#include "base/record_json.h"
#include "views/measurement/ceilings_document.h"

namespace proofline {

void present_ceilings(const Ceilings& ceilings, const OutputFlags& output, Context& context) {
  present({.document = [&] { return compose_ceilings(ceilings); },
           .json = [&](JsonWriter& json) { write_record(ceilings, json); },
           .rows = [&] { return compose_ceilings_rows(ceilings); },
           .notes = ceilings.notes},
          output, context);
}

}  // namespace proofline
