// SPDX-License-Identifier: Apache-2.0
//
// The JSON schema (draft 2020-12) of a described result. A file <stem>_record.cpp that defines
// `ResultSchema <stem>_record()` names one; cmake/collect.cmake makes the list of them, which
// `proofline schema` prints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/record.h"

namespace proofline {

struct ResultSchema {
  std::string_view name;                      // "doctor"
  std::string_view summary;                   // "What `proofline doctor --format json` prints"
  std::vector<const Record& (*)()> records;   // a result is one of these
  void (*write)(JsonWriter& json) = nullptr;  // of what is no record: its type and members
};

std::span<const ResultSchema> result_schemas();

void write_schema(const ResultSchema& schema, JsonWriter& json);

}  // namespace proofline
