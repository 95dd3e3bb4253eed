// SPDX-License-Identifier: Apache-2.0
#include "base/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace proofline {

void sync_folder(const std::filesystem::path& folder) {
  const UniqueFd itself(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (itself.is_open()) ::fsync(itself.get());
}

}  // namespace proofline
