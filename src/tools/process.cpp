// SPDX-License-Identifier: Apache-2.0
//
// The child reports over a pipe of its own when it cannot become the program; that pipe closes by
// itself when it does. The end of the program is the end of the process, not of its output: a
// descendant may hold the pipes open for ever.
#include "tools/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr std::size_t kMaxErrorBytes = 4U << 10U;
// How long a killed process may take to go; one that hangs in a driver never does.
constexpr std::chrono::seconds kKillPatience{2};

// ---- The child, between fork and exec: system calls only

struct StartFailure {
  const char* step;  // a literal, so it means the same to the parent
  int error;
};

struct ChildPlan {
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::vector<int> open_fds;
  int input;
  int output;
  int errors;
  int status;
  int parents_status;
  const ChildSetup* setup;
  int clone_flags;
};

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Dies with the parent, also if that is gone already: then nobody reads the status.
bool tie_to_parent(const ChildPlan& plan) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  ::close(plan.parents_status);
  pollfd status{plan.status, 0, 0};
  return ::poll(&status, 1, 0) == 0;
}

const char* become_program(const ChildPlan& plan) {
  if (!tie_to_parent(plan)) return "tie it to this process";
  ::setsid();  // no terminal, and no Ctrl-C but ours
  for (const int fd : plan.open_fds) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.errors, STDERR_FILENO) < 0) {
    return "redirect";
  }
  reset_signals();
  if (plan.setup != nullptr) {
    if (const char* step = plan.setup->apply()) return step;
  }
  ::execve(plan.argv.front(), plan.argv.data(), plan.environment.data());
  return "execute";
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  const StartFailure failure{become_program(plan), errno};
  [[maybe_unused]] const ssize_t written = ::write(plan.status, &failure, sizeof(failure));
  ::_exit(127);
}

// ---- The parent

std::string describe(int error) { return std::generic_category().message(error); }

tl::unexpected<Error> cannot_start(const Program& process, std::string_view step, int error) {
  return fail(ErrorKind::kTool, fmt::format("cannot start {}: {}: {}", quote(process.argv.front()),
                                            step, describe(error)));
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Where our own standard streams are closed, a new descriptor would take the place of one.
UniqueFd above_standard(int fd) {
  UniqueFd given(fd);
  if (fd < 0 || fd > STDERR_FILENO) return given;
  return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{above_standard(ends[0]), above_standard(ends[1])};
  if (!pipe.read.is_open() || !pipe.write.is_open()) return std::nullopt;
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// What one pipe gave so far.
class Stream {
 public:
  explicit Stream(UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  bool is_open() const { return fd_.is_open(); }
  std::string& text() { return text_; }

  // Takes a piece of what is there; whether there was any.
  bool pump() {
    std::array<char, kReadBytes> piece;
    const ssize_t got = is_open() ? ::read(fd(), piece.data(), piece.size()) : -1;
    if (got == 0) fd_.reset();
    if (got > 0) text_.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  void keep_last(std::size_t bytes) {
    if (text_.size() > bytes) text_.erase(0, text_.size() - bytes);
  }

 private:
  UniqueFd fd_;
  std::string text_;
};

std::vector<int> open_descriptors() {
  std::vector<int> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string name = entry.path().filename().string();
    int fd = 0;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd > STDERR_FILENO) found.push_back(fd);
  }
  return found;
}

std::set<pid_t> children() {
  std::set<pid_t> found;
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t pid = 0; list >> pid;) found.insert(pid);
  }
  return found;
}

// While it lives, descendants whose parent dies become children of this process, and how a child
// ended is kept for us even if whoever started this process had it ignore that.
class ChildrenComeHere {
 public:
  ChildrenComeHere() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &reaper_before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &action_before_);
  }
  ~ChildrenComeHere() {
    ::sigaction(SIGCHLD, &action_before_, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, reaper_before_);
  }
  ChildrenComeHere(const ChildrenComeHere&) = delete;
  ChildrenComeHere& operator=(const ChildrenComeHere&) = delete;

 private:
  int reaper_before_ = 0;
  struct sigaction action_before_ {};
};

// A signal handler of ours must not run in the child.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// A started program, with all that descends from it.
class Child {
 public:
  explicit Child(const ChildPlan& plan) : strangers_(children()) {
    const SignalsHeld held;
    // As fork(), which takes no flags.
    pid_ = static_cast<pid_t>(
        ::syscall(SYS_clone, plan.clone_flags | SIGCHLD, nullptr, nullptr, nullptr, 0));
    if (pid_ == 0) run_child(plan);
  }

  ~Child() {
    if (is_started()) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool is_started() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  bool has_ended() {
    if (!ended_) reap(pid_);
    return ended_;
  }
  int wait_status() const { return wait_status_; }

  // Kills everything that is left. False: something does not die.
  bool end() {
    const auto give_up = Clock::now() + kKillPatience;
    while (true) {
      const std::set<pid_t> left = descendants();
      if (left.empty()) return true;
      if (Clock::now() > give_up) return false;
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      if (std::none_of(left.begin(), left.end(), [&](pid_t pid) { return reap(pid); })) {
        ::poll(nullptr, 0, 1);
      }
    }
  }

 private:
  std::set<pid_t> descendants() const {
    std::set<pid_t> found = children();
    for (const pid_t pid : strangers_) found.erase(pid);
    if (!ended_) found.insert(pid_);
    return found;
  }

  bool reap(pid_t pid) {
    int status = 0;
    const pid_t reaped = ::waitpid(pid, &status, WNOHANG);
    const bool gone = reaped == pid || (reaped < 0 && errno == ECHILD);
    if (gone && pid == pid_) {
      ended_ = true;
      wait_status_ = status;
    }
    return gone;
  }

  std::set<pid_t> strangers_;  // children from before
  pid_t pid_ = -1;
  bool ended_ = false;
  int wait_status_ = 0;
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Streams {
  Stream output;
  Stream errors;
  Stream status;

  bool pump() {
    bool some = output.pump();
    some = errors.pump() || some;
    some = status.pump() || some;
    errors.keep_last(kMaxErrorBytes);
    return some;
  }
  void wait() {
    std::array<pollfd, 3> fds{pollfd{output.fd(), POLLIN, 0}, pollfd{errors.fd(), POLLIN, 0},
                              pollfd{status.fd(), POLLIN, 0}};
    // The pipes mostly close when the program ends, so what is left to wait for is short.
    ::poll(fds.data(), fds.size(), output.is_open() || errors.is_open() ? 20 : 1);
  }
};

// Reads until the program ends, and ends it if it prints too much or takes too long.
Result<ProcessEnd> watch(const Program& process, Child& child, Streams& streams) {
  const auto deadline = Clock::now() + process.time_limit;
  const auto too_much = [&] { return streams.output.text().size() > process.max_output; };
  while (!child.has_ended() && !too_much() && Clock::now() < deadline) {
    if (!streams.pump()) streams.wait();
  }
  const bool in_time = child.has_ended() || too_much();
  const std::string name = quote(process.argv.front());
  if (!child.end()) {
    return fail(ErrorKind::kTimeLimit,
                fmt::format("{} (process {}) cannot be ended", name, child.pid()));
  }
  if (!in_time) {
    return fail(ErrorKind::kTimeLimit,
                fmt::format("{} ran for more than {} s and was ended", name,
                            static_cast<double>(process.time_limit.count()) / 1000));
  }
  while (!too_much() && streams.pump()) {
  }
  if (too_much()) {
    return fail(ErrorKind::kTool,
                fmt::format("{} printed too much and was ended: output truncated at {} bytes", name,
                            group_digits(process.max_output)));
  }
  StartFailure failure{};
  if (streams.status.text().size() == sizeof(failure)) {
    std::memcpy(&failure, streams.status.text().data(), sizeof(failure));
    return cannot_start(process, failure.step, failure.error);
  }
  const int status = child.wait_status();
  return ProcessEnd{WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                    WIFSIGNALED(status) ? WTERMSIG(status) : 0, std::move(streams.output.text()),
                    std::move(streams.errors.text())};
}

}  // namespace

Result<ProcessEnd> run_process(const Program& process, const ChildSetup* setup) {
  auto output = make_pipe();
  auto errors = make_pipe();
  auto status = make_pipe();
  const UniqueFd input = above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!output || !errors || !status || !input.is_open()) {
    return cannot_start(process, "redirect", errno);
  }
  const ChildPlan plan{pointers(process.argv),
                       pointers(process.environment),
                       open_descriptors(),
                       input.get(),
                       output->write.get(),
                       errors->write.get(),
                       status->write.get(),
                       status->read.get(),
                       setup,
                       setup != nullptr ? setup->clone_flags() : 0};
  // Ours are among them, so that none means that they could not be listed.
  if (plan.open_fds.empty()) return cannot_start(process, "read /proc/self/fd", ENOENT);
  const ChildrenComeHere orphans_too;
  Child child(plan);
  if (!child.is_started()) {
    return cannot_start(process, plan.clone_flags != 0 ? "new namespaces" : "new process", errno);
  }
  for (Pipe* pipe : {&*output, &*errors, &*status}) pipe->write.reset();
  Streams streams{Stream(std::move(output->read)), Stream(std::move(errors->read)),
                  Stream(std::move(status->read))};
  return watch(process, child, streams);
}

}  // namespace proofline
