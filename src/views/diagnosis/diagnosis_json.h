// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis as JSON, the result of `diagnose --format json`; docs/diagnosis.schema.json says it
// in full. Enums are names, absent is null, and within schema 1.x fields are only added.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "model/diagnosis/comparison.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {

struct DiagnosisJsonParts {
  bool facts = false;         // every fact of each kernel, and every absent one
  bool nvidia_rules = false;  // what NVIDIA's own rules say of each kernel
  std::span<const ProfileComparison> baseline = {};  // what changed since; one for each profile
  std::function<void(JsonWriter&)> more = {};        // members of the caller's, at the end
  // As in DiagnosisParts.
  std::function<std::vector<std::string>(const KernelDiagnosis&, const Finding&)> tried = {};
};

void write_diagnosis_json(const Diagnosis& diagnosis, const DiagnosisJsonParts& parts,
                          JsonWriter& json);

// What was tried against a finding before, a sentence each; null: nobody looked.
using TriedBefore = std::function<std::vector<std::string>(const Finding&)>;

// "findings": [{"id", "rank", "severity", "statement", "evidence", "gain", "next", ...}]
void write_findings(std::string_view key, const std::vector<Finding>& findings, JsonWriter& json,
                    const TriedBefore& tried = {});
// "facts": [{"name", "value", "unit", "sources"}], and "absent"
void write_facts(const Facts& facts, JsonWriter& json);

}  // namespace proofline
