// SPDX-License-Identifier: Apache-2.0
//
// Our side of the keeper: pipes, what the program prints, and the reasons to end it early. The end
// of the program is what the keeper says, not the end of its output: a descendant may hold the
// pipes open for ever.
#include "tools/process/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file_piece.h"
#include "base/interrupt.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "tools/process/keeper.h"

namespace proofline {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr std::size_t kMaxErrorBytes = 4U << 10U;
constexpr milliseconds kTick{100};
// What the keeper may take to end everything once it was told to, its own patience with processes
// that do not die (tools/process/keeper.cpp) included. Then we do it ourselves.
constexpr milliseconds kKeeperPatience{4000};
constexpr milliseconds kKillPatience{2000};

tl::unexpected<Error> cannot_start(const Program& program, std::string_view step, int error) {
  return fail(ErrorKind::kTool, fmt::format("cannot start {}: {}: {}", quote(program.argv.front()),
                                            step, std::generic_category().message(error)));
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

// A socket serves as a pipe whose closed end is no SIGPIPE.
std::optional<Pipe> make_pipe(bool socket = false) {
  int ends[2];
  const int made = socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
                          : ::pipe2(ends, O_CLOEXEC);
  if (made != 0) return std::nullopt;
  Pipe pipe{above_standard(ends[0]), above_standard(ends[1])};
  if (!pipe.read.is_open() || !pipe.write.is_open()) return std::nullopt;
  return pipe;
}

std::vector<int> open_descriptors() {
  std::vector<int> found;
  for (const std::string& name :
       list_folder("/proc/self/fd").value_or(std::vector<std::string>{})) {
    int fd = 0;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd > STDERR_FILENO) found.push_back(fd);
  }
  return found;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The keeper keeps all signals held; those that are sent to us are for us.
pid_t start_keeper(const KeeperPlan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const auto pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0));
  if (pid == 0) keep(plan);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

// Processes below this one, without those that are dead and wait to be collected.
std::vector<pid_t> living_descendants(pid_t root) {
  std::vector<pid_t> found;
  const auto add_children = [&](pid_t parent) {
    const std::string tasks = fmt::format("/proc/{}/task", parent);
    for (const std::string& task : list_folder(tasks).value_or(std::vector<std::string>{})) {
      // Numbers, each followed by a space.
      const std::string text =
          read_piece(fmt::format("{}/{}/children", tasks, task), 0, kReadBytes);
      const char* const end = text.data() + text.size();
      pid_t pid = 0;
      for (const char* at = text.data(); at < end;) {
        at = std::from_chars(at, end, pid).ptr + 1;
        const std::string stat = read_piece(fmt::format("/proc/{}/stat", pid), 0, kReadBytes);
        const std::size_t name_end = stat.rfind(") ");
        if (name_end != std::string::npos && stat[name_end + 2] != 'Z') found.push_back(pid);
      }
    }
  };
  add_children(root);
  // NOLINTNEXTLINE(modernize-loop-convert): it grows meanwhile
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i]);
  return found;
}

// A program under way, and what ends it.
class Watch {
 public:
  Watch(const Program& program, OutputListener& listener)
      : program_(program), listener_(listener) {}

  // Null, or the step that failed with the cause in errno.
  const char* start(const ChildSetup* setup) {
    auto output = make_pipe();
    auto errors = make_pipe();
    auto status = make_pipe();
    auto control = make_pipe(true);
    const UniqueFd input = above_standard(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!output || !errors || !status || !control || !input.is_open())
      return "open /dev/null and pipes for it";
    for (const Pipe* pipe : {&*output, &*errors, &*status}) {
      ::fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK);
    }
    const KeeperPlan plan{
        pointers(program_.argv),
        pointers(program_.environment),
        open_descriptors(),
        input.get(),
        output->write.get(),
        errors->write.get(),
        control->read.get(),
        status->write.get(),
        {output->read.get(), errors->read.get(), status->read.get(), control->write.get()},
        setup};
    // Ours are among them, so that none means that they could not be listed.
    if (plan.open_fds.empty()) return "read /proc/self/fd";
    started_ = Clock::now();
    keeper_ = start_keeper(plan);
    if (keeper_ < 0) return "new process";
    output_ = std::move(output->read);
    errors_ = std::move(errors->read);
    status_ = std::move(status->read);
    control_ = std::move(control->write);
    return nullptr;
  }

  ~Watch() {
    control_.reset();  // ends all, where something of it is left
    // A keeper can hang like any process; then init reaps it.
    const auto give_up = Clock::now() + kKeeperPatience;
    while (keeper_ > 0 && ::waitpid(keeper_, nullptr, WNOHANG) == 0 && Clock::now() < give_up) {
      ::kill(keeper_, SIGCONT);
      ::poll(nullptr, 0, 1);
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Until the keeper has nothing more to say.
  Result<ProgramEnd> wait() {
    auto next_tick = started_;
    while (status_.is_open()) {
      if (Clock::now() >= next_tick) {
        ::kill(keeper_, SIGCONT);  // a program can stop its keeper
        if (!listener_.on_tick()) end_early(Ending::kEnough, program_.grace);
        next_tick = Clock::now() + kTick;
      }
      end_if_due();
      poll_until(next_event(next_tick));
      pump(output_, [&](std::string_view piece) { return listener_.on_output(piece); });
      pump(errors_, [&](std::string_view piece) { return listener_.on_errors(piece); });
      hear_keeper();
    }
    drain();
    return result();
  }

 private:
  Clock::time_point next_event(Clock::time_point next_tick) const {
    if (early_) return std::max(std::min(next_tick, kill_at_), Clock::now() + milliseconds(1));
    if (program_.time_limit.count() == 0) return next_tick;
    return std::min(next_tick, started_ + program_.time_limit);
  }

  void poll_until(Clock::time_point time) const {
    const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
    std::array<pollfd, 4> fds{pollfd{output_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0},
                              pollfd{status_.get(), POLLIN, 0},
                              pollfd{early_ ? -1 : interrupt_fd(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), static_cast<int>(std::max<milliseconds::rep>(left.count(), 0)));
  }

  // One piece of what is there; whether there was any.
  template <class Take>
  bool pump(UniqueFd& fd, Take take) {
    if (!fd.is_open()) return false;
    std::array<char, kReadBytes> piece;
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got == 0) fd.reset();
    if (got <= 0) return false;
    if (!take(std::string_view(piece.data(), static_cast<std::size_t>(got)))) {
      end_early(Ending::kEnough, milliseconds(0));
    }
    return true;
  }

  // What is left in the pipes when all who could write are gone.
  void drain() {
    while (early_ != Ending::kEnough &&
           pump(output_, [&](std::string_view piece) { return listener_.on_output(piece); })) {
    }
    while (early_ != Ending::kEnough &&
           pump(errors_, [&](std::string_view piece) { return listener_.on_errors(piece); })) {
    }
  }

  void hear_keeper() {
    KeeperMessage message{};
    const ssize_t got = ::read(status_.get(), &message, sizeof(message));
    if (got == 0) status_.reset();
    if (got != static_cast<ssize_t>(sizeof(message))) return;
    if (message.kind == KeeperMessage::Kind::kStarts) {
      begun_ns_ = message.at_ns;
      return;
    }
    // That the program was not started is followed by how that process ended.
    if (!said_ || said_->kind != KeeperMessage::Kind::kNotStarted) said_ = message;
  }

  void end_if_due() {
    if (early_ && Clock::now() >= kill_at_) order(kEndAll);
    if (early_ && Clock::now() >= kill_at_ + kKeeperPatience) end_without_keeper();
    if (interrupts() > 1) {
      kill_at_ = std::min(kill_at_, Clock::now());
      order(kEndAll);
    }
    if (early_) return;
    if (interrupts() > 0) {
      end_early(Ending::kInterrupted, program_.grace);
    } else if (program_.time_limit.count() > 0 && Clock::now() - started_ >= program_.time_limit) {
      end_early(Ending::kTimeLimit, program_.grace);
    }
  }

  void end_early(Ending why, milliseconds grace) {
    if (!early_) early_ = why;
    kill_at_ = Clock::now() + grace;
    order(grace.count() > 0 ? kAskToEnd : kEndAll);
  }

  // The keeper is stopped or stuck. Orphans still become its children, so the whole program is
  // below it until nothing lives there any more.
  void end_without_keeper() {
    const auto give_up = Clock::now() + kKillPatience;
    std::vector<pid_t> left;
    while (!(left = living_descendants(keeper_)).empty() && Clock::now() < give_up) {
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      ::poll(nullptr, 0, 1);
    }
    ::kill(keeper_, SIGKILL);
    const std::chrono::nanoseconds now = Clock::now().time_since_epoch();
    said_ =
        left.empty()
            ? KeeperMessage{KeeperMessage::Kind::kEnded, nullptr, 0, SIGKILL, 0, now.count()}
            : KeeperMessage{KeeperMessage::Kind::kStuck, nullptr, 0, 0, left.front(), now.count()};
    status_.reset();
  }

  void order(char what) const { ::send(control_.get(), &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

  Result<ProgramEnd> result() const {
    if (!said_) {
      return fail(ErrorKind::kTool, fmt::format("the process that watched over {} was killed",
                                                quote(program_.argv.front())));
    }
    if (said_->kind == KeeperMessage::Kind::kNotStarted) {
      return cannot_start(program_, said_->step, said_->error);
    }
    if (said_->kind == KeeperMessage::Kind::kStuck) {
      return fail(ErrorKind::kTimeLimit,
                  fmt::format("process {} of {} cannot be ended; it may hang in a driver",
                              said_->pid, quote(program_.argv.front())));
    }
    ProgramEnd end;
    end.duration = std::chrono::nanoseconds(said_->at_ns - begun_ns_);
    const int status = said_->wait_status;
    end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.ending = early_ ? *early_ : end.signal != 0 ? Ending::kSignal : Ending::kExited;
    return end;
  }

  const Program& program_;
  OutputListener& listener_;
  pid_t keeper_ = -1;
  UniqueFd output_;
  UniqueFd errors_;
  UniqueFd status_;
  UniqueFd control_;
  Clock::time_point started_;
  std::int64_t begun_ns_ = 0;
  std::optional<Ending> early_;  // why we end it
  Clock::time_point kill_at_;
  std::optional<KeeperMessage> said_;
};

// The program's output as its result.
class Capture : public OutputListener {
 public:
  explicit Capture(std::size_t max_output) : max_output_(max_output) {}

  bool on_output(std::string_view piece) override {
    captured.output += piece;
    return captured.output.size() <= max_output_;
  }
  bool on_errors(std::string_view piece) override {
    std::string& errors = captured.errors;
    errors += piece;
    if (errors.size() > kMaxErrorBytes) errors.erase(0, errors.size() - kMaxErrorBytes);
    return true;
  }

  Captured captured;

 private:
  std::size_t max_output_;
};

}  // namespace

Result<ProgramEnd> run_program(const Program& program, OutputListener& listener,
                               const ChildSetup* setup) {
  Watch watch(program, listener);
  if (const char* step = watch.start(setup)) return cannot_start(program, step, errno);
  return watch.wait();
}

std::string end_text(const ProgramEnd& end) {
  switch (end.ending) {
    case Ending::kTimeLimit: return "ran out of its time";
    case Ending::kSignal: return fmt::format("died of signal {}", end.signal);
    default: return fmt::format("exited with {}", end.exit_code);
  }
}

Result<Captured> capture_program(const Program& program, std::size_t max_output,
                                 const ChildSetup* setup) {
  Capture capture(max_output);
  ASSIGN_OR_RETURN(const auto end, run_program(program, capture, setup));
  const std::string name = quote(program.argv.front());
  switch (end.ending) {
    case Ending::kTimeLimit:
      return fail(ErrorKind::kTimeLimit,
                  fmt::format("{} ran for more than {} s and was ended", name,
                              static_cast<double>(program.time_limit.count()) / 1000));
    case Ending::kInterrupted:
      return fail(ErrorKind::kInterrupted, fmt::format("interrupted; {} was ended", name));
    case Ending::kEnough:
      return fail(ErrorKind::kTool,
                  fmt::format("{} printed too much and was ended: output truncated at {} bytes",
                              name, group_digits(max_output)));
    case Ending::kExited:
    case Ending::kSignal: break;
  }
  capture.captured.exit_code = end.exit_code;
  capture.captured.signal = end.signal;
  return std::move(capture.captured);
}

}  // namespace proofline
