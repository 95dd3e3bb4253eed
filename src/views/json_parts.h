// SPDX-License-Identifier: Apache-2.0
//
// The parts that several results have in their JSON: who wrote it, notes, sizes, NVIDIA's rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/note.h"
#include "model/profile.h"
#include "views/json_writer.h"

namespace proofline {

// "schema_version" and "tool", the first members of every result.
void write_tool(JsonWriter& json);

// Absent is null.
void member(JsonWriter& json, std::string_view name, std::optional<double> number);
void member(JsonWriter& json, std::string_view name, std::optional<std::uint32_t> number);
void member(JsonWriter& json, std::string_view name, const std::optional<Dim3>& dim);

// "notes": [{"kind", "place", "what", "count"}]
void write_notes(const std::vector<Note>& notes, JsonWriter& json);

// "nvidia_rules": [{"id", "title", "section", "speedup", "messages"}]
void write_nvidia_rules(const std::vector<NvidiaRule>& rules, JsonWriter& json);

}  // namespace proofline
