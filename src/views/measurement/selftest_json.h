// SPDX-License-Identifier: Apache-2.0
//
// A selftest as JSON, by docs/selftest.schema.json.
#pragma once

#include "base/json_writer.h"
#include "model/measurement/selftest.h"

namespace proofline {

void write_selftest(const Selftest& selftest, JsonWriter& json);

}  // namespace proofline
