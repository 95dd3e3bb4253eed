// SPDX-License-Identifier: Apache-2.0
#include "proofline/sanitizer.h"

#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {

Result<SanitizerRun> load_sanitizer_logs(const std::vector<std::string>& paths) {
  return read_sanitizer_logs(paths, {});
}

}  // namespace proofline
