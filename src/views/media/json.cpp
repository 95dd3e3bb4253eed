// SPDX-License-Identifier: Apache-2.0
//
// The result itself as one JSON object on one line:
//
//   {"schema_version":"1.0","tool":{"name":"proofline","version":"0.1.0"},"sources":[...]}

#include "views/view.h"

namespace proofline {
namespace {

void render_json(const Presentation& presentation, const ViewOptions& /*options*/, Output& output) {
  JsonWriter writer(output);
  presentation.json(writer);
  output.put('\n');
}

}  // namespace

View json() { return {"json", "The result itself, for programs", Form::kResult, render_json}; }

}  // namespace proofline
