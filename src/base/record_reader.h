// SPDX-License-Identifier: Apache-2.0
//
// Our own files read back by the description that they were written with. A member that is absent,
// null, of another type or beyond its limits leaves the struct's as it is. Both are told; the
// caller decides whether it matters, since a file of an earlier version lacks what was added later.
// Files come from anybody: what is read is bounded by the document, and by depth.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"

namespace proofline {

// Something that is not as described, however often.
struct RecordFlaw {
  std::string what;   // "\"bytes\" is not a number above zero"
  std::string place;  // of the first: "sides[1].measurements[0].bytes"
  std::uint64_t count = 1;
};

struct RecordReading {
  bool is_record = true;          // an object that has all required members
  std::string first_absent = {};  // a place; "" nothing is missing
  std::vector<RecordFlaw> flaws = {};

  // The place of the first flaw or absent member; "" everything is as described.
  std::string first_wrong() const;
};

RecordReading read_record(const rapidjson::Value& value, const Record& record, void* object);

template <class T>
RecordReading read_record(const rapidjson::Value& value, T& object) {
  return read_record(value, record_of<T>(), &object);
}

}  // namespace proofline
