// SPDX-License-Identifier: Apache-2.0
//
// The public API, in terms of the layers below it.
#include "proofline/proofline.h"

namespace proofline {

Result<Profile> load(const std::string& path, const ReadOptions& options) {
  return read_profile(path, options);
}

}  // namespace proofline
