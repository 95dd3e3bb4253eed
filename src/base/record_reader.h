// SPDX-License-Identifier: Apache-2.0
//
// Our own files read back by the description that they were written with. A member that is absent,
// null, of another type or beyond its limits leaves the struct's as it is, and the first such place
// is told; the caller decides whether that matters, since a file of an earlier version lacks what
// was added later. Files come from anybody: what is read is bounded by the document and its depth.
#pragma once

#include <rapidjson/document.h>

#include <string>

#include "base/record.h"

namespace proofline {

struct RecordReading {
  bool is_record = true;    // an object that has all required members
  std::string first_wrong;  // "sides[1].samples.ns[3]"; "" everything is as described
};

RecordReading read_record(const rapidjson::Value& value, const Record& record, void* object);

template <class T>
RecordReading read_record(const rapidjson::Value& value, T& object) {
  return read_record(value, record_of<T>(), &object);
}

}  // namespace proofline
