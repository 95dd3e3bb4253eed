// SPDX-License-Identifier: Apache-2.0
//
// The parts that several results have in their JSON: notes, sizes, the source and the device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "model/diagnosis/diagnosis_source.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// Absent is null.
void dim_member(JsonWriter& json, std::string_view name, const std::optional<Dim3>& dim);

// "notes": [{"kind", "place", "what", "count"}], and "side" of those that have one
void write_notes(const std::vector<Note>& notes, JsonWriter& json);

void texts_member(JsonWriter& json, std::string_view name, const std::vector<std::string>& values);

// {"path", "format", "producer"}
void write_source(const DiagnosisSource& source, JsonWriter& json);
// "device": {"name", "cc"}
void write_device(std::string_view name, std::string_view compute_capability, JsonWriter& json);

}  // namespace proofline
