// SPDX-License-Identifier: Apache-2.0
//
// A program that tries what a hijacked disassembler would try, one thing a run: `hostile_child WHAT
// [ARGUMENT]`. Exit code 0: it could; 1: it was refused, with the reason on standard error. Called
// as nvdisasm would be (`-hex ... FILE`), it does what the file tells it, like one with a hole.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

extern char** environ;

namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 64;

int outcome(bool done) {
  if (done) return 0;
  std::perror("refused");
  return kRefused;
}

int read_file(const char* path) {
  std::array<char, 64> bytes{};
  const int fd = ::open(path, O_RDONLY);
  const ssize_t got = fd < 0 ? -1 : ::read(fd, bytes.data(), bytes.size());
  if (got > 0) std::fwrite(bytes.data(), 1, static_cast<std::size_t>(got), stdout);
  return outcome(got >= 0);
}

int open_sockets() {
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    if (::socket(family, SOCK_DGRAM, 0) >= 0) return 0;
  }
  return outcome(false);
}

// Longer than any test waits, but not for ever: where a test is killed together with the keeper
// that would have ended this, it still ends, instead of taking pids from all that runs later.
constexpr unsigned kLifetimeS = 300;

[[noreturn]] void wait_for_ever() {
  for (unsigned left = kLifetimeS; left > 0;) left = ::sleep(left);
  ::_exit(0);
}

// Out of the process group and away from the parent; the caller finds it by its command line.
int daemonise() {
  if (::fork() != 0) return 0;
  ::signal(SIGTERM, SIG_IGN);
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  wait_for_ever();
}

// That it has become what it wants to be, so that nobody has to guess how long that takes.
void say_ready() {
  constexpr std::string_view kReady = "ready\n";
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, kReady.data(), kReady.size());
}

[[noreturn]] void be_ready() {
  say_ready();
  wait_for_ever();
}

void ignore_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_IGN);
}

[[noreturn]] void close_all_pipes() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
  wait_for_ever();
}

[[noreturn]] void stop_itself() {
  say_ready();
  ::raise(SIGSTOP);
  wait_for_ever();
}

// The daemon is there when the parent waits, or when it is gone.
int leave_daemon(bool parent_waits) {
  int ready[2];
  if (::pipe(ready) != 0) return outcome(false);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    ::close(ready[0]);
    ::close(ready[1]);
    wait_for_ever();
  }
  ::close(ready[1]);
  char byte = 0;
  while (::read(ready[0], &byte, 1) > 0) {
  }
  if (parent_waits) be_ready();
  return 0;
}

// Fifty grandchildren in ten sessions, while the parent is already gone.
int storm() {
  for (int child = 0; child < 10; ++child) {
    if (::fork() != 0) continue;
    ::setsid();
    for (int grandchild = 0; grandchild < 5; ++grandchild) {
      if (::fork() != 0) continue;
      ignore_signals();
      wait_for_ever();
    }
    ::_exit(0);
  }
  return 0;
}

// Nobody in it lives long enough to be looked up and killed at leisure.
[[noreturn]] void flee() {
  if (::fork() == 0) {
    const std::time_t end = std::time(nullptr) + kLifetimeS;
    while (std::time(nullptr) < end) {
      ::setsid();
      if (::fork() > 0) ::_exit(0);
    }
    ::_exit(0);
  }
  be_ready();
}

int fork_many(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) return outcome(false);
    if (pid == 0) wait_for_ever();
  }
  return 0;
}

int print_for_ever() {
  const std::string piece(1U << 16U, 'x');
  while (::write(STDOUT_FILENO, piece.data(), piece.size()) > 0) {
  }
  return outcome(false);
}

int make_namespace() {
  const long pid = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (pid == 0) ::_exit(0);
  return outcome(pid > 0);
}

int allocate(std::size_t gigabytes) {
  void* memory = ::mmap(nullptr, gigabytes << 30U, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return outcome(memory != MAP_FAILED);
}

int crash() {
  volatile int* nowhere = nullptr;
  *nowhere = 1;
  return 0;
}

// What came with it from its parent.
int list_inherited() {
  for (char** variable = environ; *variable != nullptr; ++variable) std::puts(*variable);
  for (int fd = 0; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("descriptor %d\n", fd);
  }
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    const bool ignored = ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (ignored || ::sigismember(&blocked, number) == 1) std::printf("signal %d\n", number);
  }
  char byte = 0;
  std::printf("input %zd\n", ::read(STDIN_FILENO, &byte, 1));
  return 0;
}

int attempt(const std::string& what, const char* argument) {
  const int number = std::atoi(argument);
  if (what == "read") return read_file(argument);
  if (what == "list") return outcome(::open(argument, O_RDONLY | O_DIRECTORY) >= 0);
  if (what == "write") return outcome(::open(argument, O_WRONLY) >= 0);
  if (what == "create") return outcome(::open(argument, O_WRONLY | O_CREAT, 0600) >= 0);
  if (what == "empty") return outcome(::open(argument, O_RDONLY | O_TRUNC) >= 0);
  if (what == "truncate") return outcome(::truncate(argument, 0) == 0);
  if (what == "chmod") return outcome(::chmod(argument, 0600) == 0);
  if (what == "mkdir") return outcome(::mkdir(argument, 0700) == 0);
  if (what == "remove") return outcome(::unlink(argument) == 0);
  if (what == "execute") return outcome(::execl(argument, argument, nullptr) == 0);
  if (what == "socket") return open_sockets();
  if (what == "signal") return outcome(::kill(number, 0) == 0);
  if (what == "own") return outcome(::fcntl(STDOUT_FILENO, F_SETOWN, number) == 0);
  if (what == "limit") return outcome(::prlimit(number, RLIMIT_NOFILE, nullptr, nullptr) == 0);
  if (what == "trace") return outcome(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0);
  if (what == "unshare") return outcome(::unshare(CLONE_FILES | CLONE_FS) == 0);
  if (what == "new-namespace") return make_namespace();
  if (what == "new-files") return outcome(::syscall(SYS_memfd_create, "x", 0) >= 0);
  if (what == "new-keys") return outcome(::syscall(SYS_keyctl, 0, -3, 1) >= 0);
  if (what == "dump") return outcome(::prctl(PR_GET_DUMPABLE) >= 0);
  if (what == "daemonise") return daemonise();
  if (what == "ignore-signals") {
    ignore_signals();
    be_ready();
  }
  if (what == "close-pipes") close_all_pipes();
  if (what == "stop") stop_itself();
  if (what == "leave-daemon") return leave_daemon(/*parent_waits=*/false);
  if (what == "keep-daemon") return leave_daemon(/*parent_waits=*/true);
  if (what == "storm") return storm();
  if (what == "flee") flee();
  if (what == "fork") return fork_many(number);
  if (what == "allocate") return allocate(static_cast<std::size_t>(number));
  if (what == "print") return print_for_ever();
  if (what == "wait") wait_for_ever();
  if (what == "crash") return crash();
  if (what == "abort") std::abort();
  if (what == "exit") return number;
  if (what == "say") return std::puts(argument) < 0;
  if (what == "inherited") return list_inherited();
  return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "-hex") {
    std::ifstream file(words.back());
    words.assign(2, "");
    file >> words[0] >> words[1];
  }
  if (words.empty()) return kUsage;
  if (words.front() == "--version") {
    return std::puts("nvdisasm: stand-in\nCuda compilation tools, release 13.0, V13.0.85\n") < 0;
  }
  return attempt(words[0], words.size() > 1 ? words[1].c_str() : "");
}
