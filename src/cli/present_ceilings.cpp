// SPDX-License-Identifier: Apache-2.0
#include "cli/present_ceilings.h"

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

}  // namespace proofline
