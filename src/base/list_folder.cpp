// SPDX-License-Identifier: Apache-2.0
#include "base/list_folder.h"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace proofline {

bool is_folder(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  const auto cannot = [&] {
    return fail(ErrorKind::kInput, fmt::format("cannot list {}: {}", quote(path),
                                               std::generic_category().message(errno)));
  };
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return cannot();
  std::vector<std::string> names;
  for (errno = 0; const dirent* entry = ::readdir(folder.get()); errno = 0) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return cannot();
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace proofline
