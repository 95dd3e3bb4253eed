// SPDX-License-Identifier: Apache-2.0
//
// The new root is an empty file system in memory, laid over /proc: of all folders that one is sure
// to be there (the user map is written in it) and to hold nothing that is to be seen inside.
#include "tools/process/private_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/unique_fd.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNewRoot = "/proc";
// Not 0, so that nothing inside takes itself for root.
constexpr unsigned kNobody = 65534;

bool write_file(const char* path, std::string_view text) noexcept {
  const UniqueFd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.is_open() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.rfind(folder + '/', 0) == 0;
}

}  // namespace

PrivateRoot::PrivateRoot(std::span<const std::string> paths)
    : user_map_(fmt::format("{} {} 1", kNobody, ::geteuid())),
      group_map_(fmt::format("{} {} 1", kNobody, ::getegid())) {
  for (const std::string& path : paths) add(path);
}

void PrivateRoot::add(const std::string& path) {
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kBind && is_below(path, step.source)) return;
  }
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return;
  std::string target = kNewRoot;
  for (const fs::path& part : fs::path(path).parent_path().relative_path()) {
    target += '/' + part.string();
    steps_.push_back({Step::Kind::kFolder, target, {}});
  }
  target = kNewRoot + path;
  if (fs::is_symlink(status)) {
    steps_.push_back({Step::Kind::kLink, target, fs::read_symlink(path, error).string()});
    return;
  }
  steps_.push_back(
      {fs::is_directory(status) ? Step::Kind::kFolder : Step::Kind::kFile, target, {}});
  steps_.push_back({Step::Kind::kBind, target, path});
}

int PrivateRoot::clone_flags() {
  return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
}

bool PrivateRoot::take(const Step& step) noexcept {
  const char* target = step.target.c_str();
  switch (step.kind) {
    case Step::Kind::kFolder: return ::mkdir(target, 0755) == 0 || errno == EEXIST;
    case Step::Kind::kFile: return UniqueFd(::open(target, O_CREAT | O_CLOEXEC, 0644)).is_open();
    case Step::Kind::kLink: return ::symlink(step.source.c_str(), target) == 0;
    case Step::Kind::kBind:
      return ::mount(step.source.c_str(), target, nullptr, MS_BIND | MS_REC, nullptr) == 0;
  }
  return false;
}

const char* PrivateRoot::enter() const noexcept {
  // Groups cannot be mapped as long as the process could drop some of them.
  if (!write_file("/proc/self/setgroups", "deny") ||
      !write_file("/proc/self/gid_map", group_map_) ||
      !write_file("/proc/self/uid_map", user_map_)) {
    return "map the user";
  }
  // Nothing that is mounted from here on is to show outside.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return "detach mounts";
  if (::mount("tmpfs", kNewRoot, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0) {
    return "mount an empty root";
  }
  for (const Step& step : steps_) {
    if (!take(step)) return "fill the new root";
  }
  // pivot_root stacks the old root on the new one, where it is unmounted.
  if (::chdir(kNewRoot) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) {
    return "change the root";
  }
  return nullptr;
}

}  // namespace proofline
