// SPDX-License-Identifier: Apache-2.0
//
// A described record as JSON: its members in the order of the description, so that the same result
// gives the same bytes.
#pragma once

#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/record.h"

namespace proofline {

struct WriteOptions {
  std::vector<std::string_view> requested = {};  // names of members that are left out otherwise
};

void write_record(const Record& record, const void* object, JsonWriter& json,
                  const WriteOptions& options);

template <class T>
void write_record(const T& object, JsonWriter& json, const WriteOptions& options = {}) {
  write_record(record_of<T>(), &object, json, options);
}

// Any value of a described type: a list of records, say.
void write_described(const ValueShape& shape, const void* value, JsonWriter& json);

template <class T>
void write_described(const T& value, JsonWriter& json) {
  write_described(kShapeOf<T>, &value, json);
}

}  // namespace proofline
