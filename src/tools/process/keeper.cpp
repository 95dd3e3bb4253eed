// SPDX-License-Identifier: Apache-2.0
//
// System calls only, no memory: the process that was forked may have had other threads.
#include "tools/process/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace proofline {
namespace {

// How long killed processes may take to go; one that hangs in a driver never does.
constexpr std::int64_t kKillPatienceMs = 2000;

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::int64_t now_ms() { return now_ns() / 1'000'000; }

void tell(const KeeperPlan& plan, const KeeperMessage& message) {
  while (::write(plan.status, &message, sizeof(message)) < 0 && errno == EINTR) {
  }
}

// ---- The program's process, until it is the program

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

const char* become_program(const KeeperPlan& plan) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return "tie it to its keeper";
  ::setsid();  // no terminal, and no Ctrl-C but ours
  for (const int fd : plan.open_fds) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.errors, STDERR_FILENO) < 0) {
    return "redirect its input and output";
  }
  reset_signals();
  if (plan.setup != nullptr) {
    if (const char* step = plan.setup->apply()) return step;
  }
  tell(plan, {KeeperMessage::Kind::kStarts, nullptr, 0, 0, 0, now_ns()});
  ::execve(plan.argv.front(), plan.argv.data(), plan.environment.data());
  return "execute";
}

pid_t start_program(const KeeperPlan& plan) {
  const int flags = plan.setup != nullptr ? plan.setup->clone_flags() : 0;
  // Exec first takes the copy of our memory apart that fork() would make, and that is on the clock
  // of the program: several milliseconds. vfork() makes none, and waits for exec; a setup may take
  // its time, and needs flags.
  const auto pid =
      plan.setup == nullptr
          ? ::vfork()
          : static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (pid == 0) {
    const char* step = become_program(plan);
    tell(plan, {KeeperMessage::Kind::kNotStarted, step, errno, 0, 0, 0});
    ::_exit(127);
  }
  if (pid < 0) {
    const char* step = flags != 0 ? "new namespaces" : "new process";
    tell(plan, {KeeperMessage::Kind::kNotStarted, step, errno, 0, 0, 0});
  }
  return pid;
}

// ---- The keeper

// Kills the children that there are right now; their own children come to us. One of them, 0: none.
pid_t kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return 0;
  pid_t last = 0;
  pid_t pid = 0;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(list, piece, sizeof(piece))) > 0;) {
    for (const char* c = piece; c < piece + got; ++c) {
      if (*c >= '0' && *c <= '9') {
        pid = pid * 10 + (*c - '0');
      } else if (pid != 0) {
        ::kill(pid, SIGKILL);
        last = pid;
        pid = 0;
      }
    }
  }
  ::close(list);
  return last;
}

class Keeper {
 public:
  explicit Keeper(const KeeperPlan& plan) : plan_(plan) {}

  void live() {
    prepare();
    program_ = start_program(plan_);
    for (const int fd : {plan_.input, plan_.output, plan_.errors}) ::close(fd);
    if (program_ < 0) return;
    while (!ended_ && !must_end_) {
      pollfd fds[2] = {{plan_.control, POLLIN, 0}, {children_, POLLIN, 0}};
      ::poll(fds, 2, -1);
      if (fds[0].revents != 0) obey();
      if (fds[1].revents != 0) take_signals();
      reap();
    }
    const pid_t stuck = end_all();
    using Kind = KeeperMessage::Kind;
    tell(plan_, stuck == 0 ? KeeperMessage{Kind::kEnded, nullptr, 0, status_, 0, reaped_ns_}
                           : KeeperMessage{Kind::kStuck, nullptr, 0, 0, stuck, 0});
  }

 private:
  void prepare() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::setsid();  // signals from the terminal are for our parent to decide on
    ::signal(SIGCHLD, SIG_DFL);
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t child;
    ::sigemptyset(&child);
    ::sigaddset(&child, SIGCHLD);
    children_ = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    for (const int fd : plan_.not_its_own) ::close(fd);
  }

  void obey() {
    char order = 0;
    if (::read(plan_.control, &order, 1) == 1 && order == kAskToEnd) {
      ::kill(-program_, SIGTERM);
    } else {
      must_end_ = true;
    }
  }

  void take_signals() const {
    signalfd_siginfo ignored;
    while (::read(children_, &ignored, sizeof(ignored)) > 0) {
    }
  }

  // False: there are no children any more.
  bool reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = ::waitpid(-1, &status, WNOHANG | __WALL)) > 0) {
      if (pid != program_) continue;
      reaped_ns_ = now_ns();
      ended_ = true;
      status_ = status;
    }
    return pid == 0 || errno != ECHILD;
  }

  // 0, or a process that does not die.
  pid_t end_all() {
    const std::int64_t give_up = now_ms() + kKillPatienceMs;
    pid_t left = 0;
    while (reap()) {
      ::kill(-program_, SIGKILL);
      left = kill_children();
      if (now_ms() > give_up) return left != 0 ? left : program_;
      ::poll(nullptr, 0, left != 0 ? 1 : 0);
    }
    return 0;
  }

  const KeeperPlan& plan_;
  pid_t program_ = -1;
  int children_ = -1;  // readable when one of them changed
  bool must_end_ = false;
  bool ended_ = false;
  int status_ = 0;
  std::int64_t reaped_ns_ = 0;
};

}  // namespace

void keep(const KeeperPlan& plan) noexcept {
  Keeper(plan).live();
  ::_exit(0);
}

}  // namespace proofline
