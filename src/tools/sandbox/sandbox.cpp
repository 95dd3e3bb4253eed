// SPDX-License-Identifier: Apache-2.0
//
// The order matters: namespaces need the privileges that a new user namespace brings, Landlock and
// the filter need that there are no new privileges, and after the filter little else can be called.
#include "tools/sandbox/sandbox.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "tools/process/private_root.h"
#include "tools/sandbox/landlock.h"
#include "tools/sandbox/syscall_filter.h"

namespace proofline {
namespace {

// What programs are made of everywhere.
constexpr const char* kSystemPaths[] = {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"};

constexpr rlim_t kMaxMemory = 4ULL << 30U;
constexpr rlim_t kMaxProcesses = 64;
constexpr rlim_t kMaxOpenFiles = 64;

bool limit(decltype(RLIMIT_CPU) resource, rlim_t most) noexcept {
  const rlimit limits{most, most};
  // Where the limit is lower already it cannot be raised, and need not be.
  rlimit now{};
  return ::getrlimit(resource, &now) == 0 &&
         (now.rlim_max <= most || ::setrlimit(resource, &limits) == 0);
}

bool drop_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

class Confinement final : public ChildSetup {
 public:
  static Result<Confinement> prepare(Sandbox::Layers layers,
                                     const std::vector<std::string>& readable,
                                     std::chrono::milliseconds time_limit) {
    Confinement confinement;
    confinement.cpu_seconds_ =
        static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(time_limit).count()) + 1;
    if (layers.namespaces) confinement.root_.emplace(readable);
    if (layers.landlock) {
      ASSIGN_OR_RETURN(auto landlock, Landlock::allow_reading(readable));
      confinement.landlock_ = std::move(landlock);
    }
    return confinement;
  }

  int clone_flags() const noexcept override { return root_ ? PrivateRoot::clone_flags() : 0; }

  const char* apply() const noexcept override {
    if (root_) {
      if (const char* step = root_->enter()) return step;
    }
    if (!set_limits()) return "set limits";
    if (!drop_capabilities()) return "drop capabilities";
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "give up new privileges";
    if (landlock_ && !landlock_->apply()) return "Landlock";
    if (!apply_syscall_filter()) return "seccomp";
    return nullptr;
  }

 private:
  bool set_limits() const noexcept {
    // One byte of core, not none: a crash then does not reach the system's crash handler either.
    return limit(RLIMIT_CORE, 1) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, kMaxOpenFiles) &&
           limit(RLIMIT_CPU, cpu_seconds_) &&
           // Without a user namespace this would count all processes of the user.
           (!root_ || limit(RLIMIT_NPROC, kMaxProcesses)) && limit(RLIMIT_AS, kMaxMemory);
  }

  std::optional<PrivateRoot> root_;
  std::optional<Landlock> landlock_;
  rlim_t cpu_seconds_ = 0;
};

// Goes into the sandbox and ends there.
class Trial final : public ChildSetup {
 public:
  explicit Trial(const Confinement& confinement) : confinement_(confinement) {}
  int clone_flags() const noexcept override { return confinement_.clone_flags(); }
  const char* apply() const noexcept override {
    if (const char* step = confinement_.apply()) return step;
    ::_exit(0);
  }

 private:
  const Confinement& confinement_;
};

std::vector<std::string> with_system_paths(std::span<const std::string> paths) {
  std::vector<std::string> all(std::begin(kSystemPaths), std::end(kSystemPaths));
  all.insert(all.end(), paths.begin(), paths.end());
  return all;
}

}  // namespace

Result<Sandbox> Sandbox::with(Layers layers) {
  if (!has_syscall_filter()) {
    return fail(ErrorKind::kTool, "no filter of system calls for this processor");
  }
  if (!layers.namespaces && !layers.landlock) {
    return fail(ErrorKind::kTool, "nothing keeps files away");
  }
  if (layers.landlock && Landlock::version() == 0) {
    return fail(ErrorKind::kTool, "the kernel has no Landlock");
  }
  const Program nothing{{"sandbox"}, {}, std::chrono::seconds(10), {}};
  ASSIGN_OR_RETURN(const auto confinement,
                   Confinement::prepare(layers, with_system_paths({}), nothing.time_limit));
  const Trial trial(confinement);
  ASSIGN_OR_RETURN(const auto end, capture_program(nothing, 0, &trial));
  if (end.signal != 0) {
    return fail(ErrorKind::kTool, fmt::format("the sandbox ended by signal {}", end.signal));
  }
  return Sandbox(layers);
}

Result<Sandbox> Sandbox::find() {
  const bool landlock = Landlock::version() > 0;
  auto sandbox = with({true, landlock});
  if (sandbox) return sandbox;
  auto second = with({false, true});
  if (second) return second;
  return fail(ErrorKind::kTool, sandbox.error().message + "; " + second.error().message);
}

std::string Sandbox::layers() const {
  std::string text;
  if (layers_.namespaces) text += "namespaces, ";
  if (layers_.landlock) text += fmt::format("landlock {}, ", Landlock::version());
  return text + "seccomp";
}

Result<Captured> Sandbox::run(const Program& program, std::size_t max_output,
                              std::span<const std::string> readable) const {
  std::vector<std::string> paths = with_system_paths(readable);
  paths.push_back(program.argv.front());
  ASSIGN_OR_RETURN(const auto confinement,
                   Confinement::prepare(layers_, paths, program.time_limit));
  return capture_program(program, max_output, &confinement);
}

}  // namespace proofline
