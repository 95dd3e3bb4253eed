// SPDX-License-Identifier: Apache-2.0
#include "base/make_folders.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/output.h"
#include "base/sync_folder.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// The path up to its .proofline; "" where it has none.
fs::path project_in(const fs::path& path) {
  fs::path project;
  for (const fs::path& part : path) {
    project /= part;
    if (part == kProjectFolder) return project;
  }
  return {};
}

// Best effort: the caller does not depend on this file.
void write_gitignore(const fs::path& project) {
  const UniqueFd file(::open((project / ".gitignore").c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.is_open()) write_all(file.get(), "*\n");
}

}  // namespace

bool make_folders(const std::string& path, std::error_code& error) {
  const fs::path project = project_in(path);
  std::error_code ignored;
  std::vector<fs::path> to_sync;
  for (fs::path folder = fs::absolute(path, ignored); !fs::exists(folder, ignored) && !ignored;
       folder = folder.parent_path()) {
    to_sync.push_back(folder.parent_path());
  }
  const bool is_first = !project.empty() && !fs::exists(project, ignored);
  const bool made = fs::create_directories(path, error);
  if (is_first && made) write_gitignore(project);
  if (made) std::for_each(to_sync.begin(), to_sync.end(), sync_folder);
  return made;
}

}  // namespace proofline
