// SPDX-License-Identifier: Apache-2.0
//
// JSON as a file: whole, and ended as a line.
#pragma once

#include <functional>
#include <string>

#include "base/json_writer.h"
#include "base/result.h"

namespace proofline {

// kStorage.
Result<void> write_json_file(const std::string& path,
                             const std::function<void(JsonWriter&)>& write);

}  // namespace proofline
