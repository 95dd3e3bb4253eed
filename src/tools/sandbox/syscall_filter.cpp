// SPDX-License-Identifier: Apache-2.0
//
// The filter is made at compile time. It goes down the list of calls one by one; with some eighty
// of them that is still short against the cost of a call.
#include "tools/sandbox/syscall_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace proofline {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kProcessor = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kProcessor = 0;
#endif

constexpr std::uint32_t kAllowed[] = {
    // What is open already.
    __NR_read,
    __NR_readv,
    __NR_pread64,
    __NR_write,
    __NR_writev,
    __NR_lseek,
    __NR_close,
    __NR_dup,
    __NR_dup3,
    __NR_pipe2,
    __NR_ppoll,
    __NR_pselect6,
    __NR_fadvise64,
    // Looking at files; what may be looked at is not this filter's matter.
    __NR_fstat,
    __NR_newfstatat,
    __NR_statx,
    __NR_statfs,
    __NR_fstatfs,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_readlinkat,
    __NR_getdents64,
    __NR_getcwd,
    __NR_chdir,
    // Memory.
    __NR_brk,
    __NR_mmap,
    __NR_munmap,
    __NR_mremap,
    __NR_mprotect,
    __NR_madvise,
    // Its own processes and threads.
    __NR_execve,
    __NR_exit,
    __NR_exit_group,
    __NR_wait4,
    __NR_waitid,
    __NR_futex,
    __NR_set_tid_address,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    // Signals to itself. abort() has none to send and dies of an illegal instruction instead.
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_restart_syscall,
    // Who and where it is.
    __NR_getpid,
    __NR_getppid,
    __NR_gettid,
    __NR_getpgid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getgroups,
    __NR_uname,
    __NR_sysinfo,
    __NR_getrusage,
    __NR_times,
    __NR_getrandom,
    // Time.
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
#if defined(__x86_64__)  // the older spellings of some of the above
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_getdents,
    __NR_poll,
    __NR_select,
    __NR_dup2,
    __NR_pipe,
    __NR_fork,
    __NR_vfork,
    __NR_getpgrp,
    __NR_getrlimit,
    __NR_time,
    __NR_arch_prctl,
#endif
};

// Allowed as long as the argument has none of the bits.
struct Conditional {
  std::uint32_t call;
  std::uint32_t argument;
  std::uint32_t forbidden;
};

constexpr std::uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// All but duplicates, flags, locks and pipe sizes: F_SETOWN and F_SETSIG signal any process.
constexpr std::uint32_t kOddFcntl = ~(0x7U | F_DUPFD_CLOEXEC);
constexpr std::uint32_t kAnyProcessButSelf = ~0U;

constexpr Conditional kConditional[] = {
    {__NR_openat, 2, kWriting}, {__NR_clone, 0, kNewNamespaces},
    {__NR_fcntl, 1, kOddFcntl}, {__NR_prlimit64, 0, kAnyProcessButSelf},
#if defined(__x86_64__)
    {__NR_open, 1, kWriting},
#endif
};

constexpr std::size_t kInstructions = 5 + 2 * std::size(kAllowed) + 5 * std::size(kConditional);

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
constexpr sock_filter skip_unless(std::uint32_t operation, std::uint32_t value,
                                  std::uint8_t count) {
  return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | operation | BPF_K), value, 0, count);
}
constexpr sock_filter answer(std::uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

constexpr std::array<sock_filter, kInstructions> make_filter() {
  std::array<sock_filter, kInstructions> filter{};
  std::size_t at = 0;
  // The same numbers mean other calls in the processor's other modes.
  filter[at++] = load(offsetof(seccomp_data, arch));
  filter[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kProcessor, 1, 0);
  filter[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  filter[at++] = load(offsetof(seccomp_data, nr));
  for (const std::uint32_t call : kAllowed) {
    filter[at++] = skip_unless(BPF_JEQ, call, 1);
    filter[at++] = answer(SECCOMP_RET_ALLOW);
  }
  for (const Conditional& conditional : kConditional) {
    filter[at++] = skip_unless(BPF_JEQ, conditional.call, 4);
    // The lower half; the kernel looks at no more of these arguments either.
    filter[at++] = load(offsetof(seccomp_data, args) + 8 * conditional.argument);
    filter[at++] = skip_unless(BPF_JSET, conditional.forbidden, 1);
    filter[at++] = answer(SECCOMP_RET_ERRNO | EPERM);
    filter[at++] = answer(SECCOMP_RET_ALLOW);
  }
  filter[at++] = answer(SECCOMP_RET_ERRNO | ENOSYS);
  return filter;
}

constexpr std::array<sock_filter, kInstructions> kFilter = make_filter();

}  // namespace

bool has_syscall_filter() { return kProcessor != 0; }

bool apply_syscall_filter() noexcept {
  const sock_fprog program{kFilter.size(), const_cast<sock_filter*>(kFilter.data())};
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace proofline
