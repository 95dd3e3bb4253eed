// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis in about a kilobyte a kernel, the result of `diagnose --brief --format json`: what
// decides, for readers that pay for each byte. docs/brief.schema.json says it in full. Numbers have
// three digits; what the capture does not tell is null.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

struct BriefJsonParts {
  // As in DiagnosisParts.
  std::function<std::vector<std::string>(const KernelDiagnosis&, const Finding&)> tried = {};
};

void write_brief_json(const Diagnosis& diagnosis, const BriefJsonParts& parts, JsonWriter& json);

}  // namespace proofline
