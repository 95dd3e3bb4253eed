// SPDX-License-Identifier: Apache-2.0
#include "base/find_above.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/environment.h"
#include "base/text.h"

namespace proofline {

namespace fs = std::filesystem;

Result<std::string> find_above(std::string_view name, std::string_view instead) {
  std::error_code error;
  const fs::path home(environment_variable("HOME"));
  for (fs::path folder = fs::current_path(error); !folder.empty(); folder = folder.parent_path()) {
    const fs::path found = folder / name;
    struct stat status {};
    if (::stat(found.c_str(), &status) == 0) {
      if (status.st_uid == ::geteuid() || status.st_uid == 0) return found.string();
      return fail(ErrorKind::kStorage,
                  fmt::format("{} belongs to user {}, not to you; {} takes it nevertheless",
                              quote(found.string()), status.st_uid, instead));
    }
    if (folder == home || folder == folder.root_path()) break;
  }
  return "";
}

}  // namespace proofline
