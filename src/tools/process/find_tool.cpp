// SPDX-License-Identifier: Apache-2.0

#include "tools/process/find_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Who, other than root and this user, could change the file or swap a folder on the way to it.
std::optional<std::string> who_else_can_write(const fs::path& resolved) {
  for (fs::path path = resolved;; path = path.parent_path()) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return quote(path.string()) + " cannot be examined";
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
      return fmt::format("{} belongs to user {}, who is neither root nor you", quote(path.string()),
                         status.st_uid);
    }
    // In a sticky folder, such as /tmp, only the owner of a file can replace it.
    const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if ((status.st_mode & S_IWOTH) != 0 && !sticky) {
      return quote(path.string()) + " can be written by everybody";
    }
    const bool foreign_group = status.st_gid != 0 && status.st_gid != ::getegid();
    if ((status.st_mode & S_IWGRP) != 0 && foreign_group && !sticky) {
      return fmt::format("{} can be written by group {}, which is neither root's nor yours",
                         quote(path.string()), status.st_gid);
    }
    if (path == path.root_path()) return std::nullopt;
  }
}

std::optional<std::string> why_unsafe(const fs::path& folder, const fs::path& resolved) {
  if (!folder.is_absolute()) return "PATH has a relative entry, so it depends on where you are";
  std::error_code error;
  if (auto why = who_else_can_write(fs::canonical(folder, error))) return why;
  return who_else_can_write(resolved);
}

std::vector<std::string> path_entries() { return folder_list(environment_variable("PATH")); }

}  // namespace

std::vector<std::string> tool_folders() {
  std::vector<std::string> folders = path_entries();
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string_view root = environment_variable(variable);
    if (!root.empty()) folders.push_back(std::string(root) + "/bin");
  }
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/cuda/bin"});
  std::vector<std::string> once;  // PATH often names a folder twice
  for (std::string& folder : folders) {
    if (std::find(once.begin(), once.end(), folder) == once.end())
      once.push_back(std::move(folder));
  }
  return once;
}

MachineTool look_for_tool(std::string_view name, const std::vector<std::string>& folders) {
  MachineTool tool;
  tool.name = name;
  for (const fs::path folder : folders) {
    const fs::path found = folder / name;
    if (!is_program(found)) continue;
    std::error_code error;
    const fs::path resolved = fs::canonical(found, error);
    if (const auto why = why_unsafe(folder, resolved)) {
      tool.state = ToolState::kUnsafe;
      tool.trouble = fmt::format("{} is not safe to run: {}", quote(found.string()), *why);
    } else {
      tool.state = ToolState::kFound;
      tool.path = resolved.string();
    }
    return tool;
  }
  tool.trouble =
      fmt::format("{} was not found; searched: {}; put its folder in PATH or set CUDA_HOME", name,
                  escape_terminal(fmt::format("{}", fmt::join(folders, ", "))));
  return tool;
}

Result<std::string> find_tool(std::string_view name, const std::vector<std::string>& folders) {
  MachineTool tool = look_for_tool(name, folders);
  if (tool.state != ToolState::kFound) return fail(ErrorKind::kTool, std::move(tool.trouble));
  return std::move(tool.path);
}

Result<std::string> find_program(const std::string& word) {
  std::error_code error;
  if (word.find('/') != std::string::npos) {
    if (is_program(word)) return fs::absolute(word, error).string();
    return fail(ErrorKind::kInput, quote(word) + " is not a program that can be executed");
  }
  for (const fs::path folder : path_entries()) {
    if (is_program(folder / word)) return fs::absolute(folder / word, error).string();
  }
  return fail(ErrorKind::kInput, quote(word) +
                                     " was not found in the folders of PATH; for a "
                                     "program in this folder, put ./ before its name");
}

std::string path_in_folder(const std::string& word, const std::string& folder) {
  const bool relative = word.find('/') != std::string::npos && word.front() != '/';
  return relative && !folder.empty() ? folder + "/" + word : word;
}

}  // namespace proofline
