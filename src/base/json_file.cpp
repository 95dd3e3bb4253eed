// SPDX-License-Identifier: Apache-2.0
#include "base/json_file.h"

#include "base/whole_file.h"

namespace proofline {

Result<void> write_json_file(const std::string& path,
                             const std::function<void(JsonWriter&)>& write) {
  return write_whole_file(path, json_text(write) + '\n');
}

}  // namespace proofline
