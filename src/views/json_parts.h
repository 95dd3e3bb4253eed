// SPDX-License-Identifier: Apache-2.0
//
// The parts that several results have in their JSON: who wrote it, notes, sizes, NVIDIA's rules,
// and what a diagnosis and a comparison say of a kernel alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "model/diagnosis/comparison.h"
#include "model/diagnosis/diagnosis.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// A metric's value; what it does not have is null.
void write_value(const Value& value, JsonWriter& json);
// Absent is null.
void dim_member(JsonWriter& json, std::string_view name, const std::optional<Dim3>& dim);

// "notes": [{"kind", "place", "what", "count"}], and "side" of those that have one
void write_notes(const std::vector<Note>& notes, JsonWriter& json);

// "nvidia_rules": [{"id", "title", "section", "speedup", "messages"}]
void write_nvidia_rules(const std::vector<NvidiaRule>& rules, JsonWriter& json);

// A fact's value: a number or a text.
void value_member(JsonWriter& json, std::string_view name,
                  const std::variant<double, std::string>& value);
void texts_member(JsonWriter& json, std::string_view name, const std::vector<std::string>& values);

// {"path", "format", "producer"}
void write_source(const DiagnosisSource& source, JsonWriter& json);
// "device": {"name", "cc"}
void write_device(std::string_view name, std::string_view compute_capability, JsonWriter& json);
// "verdict": {"bound", "at", "headline"}
void write_verdict(const Verdict& verdict, JsonWriter& json);
// {"low", "high", "kind"}
void write_gain(const Gain& gain, JsonWriter& json);
// "count", "min_ns", ... and "representative" of an object that the caller opened.
void write_spread(const LaunchSpread& spread, std::size_t representative, JsonWriter& json);

// "differences": [{"what", "a", "b", "refuses"}]
void write_differences(const std::vector<Difference>& differences, JsonWriter& json);

}  // namespace proofline
