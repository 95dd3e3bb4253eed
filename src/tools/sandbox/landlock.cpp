// SPDX-License-Identifier: Apache-2.0
//
// By raw system calls: the C library has no wrappers, and the headers that we build with may be
// older than the kernel that we run on.
#include "tools/sandbox/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

// The kernel takes a longer structure than it knows as long as the rest of it is zero.
struct Handled {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

constexpr std::uint64_t first_bits(unsigned count) { return (1ULL << count) - 1; }

// All that this version can take away: the rights are numbered in the order in which they came.
Handled everything(int version) {
  const unsigned file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  return {first_bits(file_rights), version >= 4 ? first_bits(2) : 0,
          version >= 6 ? first_bits(2) : 0};
}

tl::unexpected<Error> fail_errno(const std::string& what) {
  return fail(ErrorKind::kTool, what + ": " + std::generic_category().message(errno));
}

Result<void> allow(int rules, const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return fail_errno(quote(path));
  landlock_path_beneath_attr rule{};
  rule.parent_fd = file.get();
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
  if (S_ISDIR(status.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    return fail_errno(quote(path));
  }
  return {};
}

}  // namespace

int Landlock::version() {
  const auto version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<Landlock> Landlock::allow_reading(std::span<const std::string> paths) {
  const Handled handled = everything(version());
  UniqueFd rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0)));
  if (!rules.is_open()) return fail_errno("Landlock");
  for (const std::string& path : paths) {
    RETURN_IF_ERROR(allow(rules.get(), path));
  }
  return Landlock(std::move(rules));
}

bool Landlock::apply() const noexcept {
  return ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0;
}

}  // namespace proofline
