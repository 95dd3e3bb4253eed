// SPDX-License-Identifier: Apache-2.0
#include "tools/process/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/characters.h"
#include "base/compress_file.h"
#include "base/environment.h"
#include "base/list_folder.h"
#include "base/make_folders.h"
#include "base/option.h"
#include "base/output.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/redact.h"
#include "base/sync_folder.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "tools/process/kept_stream.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnfinished = ".unfinished-";
// Of a program's output that is kept; what is larger is compressed.
constexpr std::uintmax_t kMostPlain = 1U << 20U;
constexpr std::chrono::seconds kGrace{3};

tl::unexpected<Error> cannot_store(const std::string& path, int error) {
  return fail(ErrorKind::kStorage,
              fmt::format("cannot write {}: {}; {} chooses another folder", quote(path),
                          std::generic_category().message(error), option("runs")));
}

// A path is made of it, and it may come from the name of the user's program.
std::string as_file_name(std::string_view text) {
  std::string name(text.substr(0, 64));
  for (char& c : name) {
    const bool plain = is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return name;
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(variables.begin(), variables.end(),
                                      [&](const auto& variable) { return variable.first == name; });
    if (!replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables)
    environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

// With this part replaced wherever it is.
std::string replaced(std::string text, std::string_view part, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size()) {
    text.replace(at, part.size(), by);
  }
  return text;
}

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::kExited: return "exited";
    case Ending::kSignal: return "signal";
    case Ending::kTimeLimit: return "time-limit";
    case Ending::kInterrupted: return "interrupted";
    case Ending::kEnough: return "stopped";
  }
  return "unknown";
}

class StepListener : public OutputListener {
 public:
  explicit StepListener(const Step& step) : step_(step) {}

  bool on_output(std::string_view piece) override { return take(output, piece); }
  bool on_errors(std::string_view piece) override { return take(errors, piece); }
  bool on_tick() override { return !step_.on_tick || step_.on_tick(); }

  KeptStream output;
  KeptStream errors;

 private:
  bool take(KeptStream& stream, std::string_view piece) {
    stream.take(piece);
    if (step_.show_output) write_all(STDERR_FILENO, piece);
    return true;
  }

  const Step& step_;
};

// A folder of its own and something to read, for a program that asks for either.
class StepSetup final : public ChildSetup {
 public:
  explicit StepSetup(const Step& step)
      : folder_(step.folder.empty() ? nullptr : step.folder.c_str()),
        input_(step.input.empty() ? nullptr : step.input.c_str()) {}

  int clone_flags() const noexcept override { return 0; }
  const char* apply() const noexcept override {
    if (input_ != nullptr) {
      const int fd = ::open(input_, O_RDONLY | O_CLOEXEC);
      if (fd < 0 || ::dup2(fd, STDIN_FILENO) < 0) return "open its standard input";
      ::close(fd);
    }
    if (folder_ != nullptr && ::chdir(folder_) != 0) return "enter its folder";
    return nullptr;
  }

 private:
  const char* folder_;
  const char* input_;
};

struct ClaimedFolder {
  std::string path;
  UniqueFd lock;
};

// Folders whose lock is not held: their owner is gone. Creation is excluded meanwhile, since a new
// folder has no lock yet and would look abandoned.
std::vector<ClaimedFolder> claim_abandoned(const std::string& root) {
  std::vector<ClaimedFolder> claimed;
  const UniqueFd guard(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!guard.is_open() || ::flock(guard.get(), LOCK_EX | LOCK_NB) != 0) return claimed;
  for (const std::string& name : list_folder(root).value_or(std::vector<std::string>{})) {
    if (!name.starts_with(kUnfinished)) continue;
    std::string path = fmt::format("{}/{}", root, name);
    UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    // Its run may have ended meanwhile and given it its name.
    struct stat locked {};
    struct stat named {};
    const bool is_there = ::fstat(folder.get(), &locked) == 0 &&
                          ::stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino;
    if (!is_there) continue;
    claimed.push_back({std::move(path), std::move(folder)});
  }
  return claimed;
}

std::vector<Note> remove_abandoned(const std::string& root) {
  std::vector<Note> removed;
  std::error_code error;
  for (const ClaimedFolder& folder : claim_abandoned(root)) {
    fs::remove_all(folder.path, error);
    removed.push_back({NoteKind::kInfo, folder.path, "left by a run that was killed; removed", 1});
  }
  return removed;
}

// Everything in it on the disk before it gets its name; 0 or errno. A program may have left more
// there than regular files: a FIFO is not waited for.
int store_all(const std::string& path) {
  const UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (file.is_open() && ::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    for (const std::string& name : list_folder(path).value_or(std::vector<std::string>{})) {
      if (const int error = store_all(fmt::format("{}/{}", path, name)); error != 0) return error;
    }
  }
  // What is no file or folder has nothing to store.
  if (!file.is_open() || ::fsync(file.get()) == 0 || errno == EINVAL) return 0;
  return errno;
}

// False: errno says why, EEXIST where there is one of that name.
bool rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // Network file systems cannot do it in one step.
  if (errno != EINVAL) return false;
  struct stat status {};
  errno = ::lstat(to.c_str(), &status) == 0 ? EEXIST : 0;
  return errno == 0 && ::rename(from.c_str(), to.c_str()) == 0;
}

// The variables that change how a GPU program runs, without those whose values are secrets.
std::vector<std::pair<std::string, std::string>> own_environment() {
  std::string block;
  for (char** entry = environ; *entry != nullptr; ++entry) block.append(*entry).push_back('\0');
  auto variables = redact_environment(block);
  std::erase_if(variables, [](const auto& variable) { return variable.second == "<redacted>"; });
  return variables;
}

}  // namespace

Result<RunFolder> RunFolder::create(const std::string& root, std::string_view name) {
  auto run = create_below(root, name);
  if (run || root != kUsualRuns) return run;
  const std::string_view temporary = environment_variable("TMPDIR");
  std::string other =
      fmt::format("{}/proofline-XXXXXX", temporary.starts_with('/') ? temporary : "/tmp");
  if (::mkdtemp(other.data()) == nullptr) return run;
  auto elsewhere = create_below(other, name);
  if (!elsewhere) return run;
  elsewhere->notes_.push_back(
      {NoteKind::kInfo, "", fmt::format("{}; the run is kept in {}", run.error().message, other)});
  return elsewhere;
}

Result<RunFolder> RunFolder::create_below(const std::string& root, std::string_view name) {
  std::error_code error;
  make_folders(root, error);
  if (error) return cannot_store(root, error.value());
  RunFolder run;
  run.root_ = fs::absolute(root).lexically_normal().string();
  run.notes_ = remove_abandoned(run.root_);
  run.started_ = utc_text(std::time(nullptr));
  run.name_ = utc_text(std::time(nullptr), "%Y%m%dT%H%M%SZ-") + as_file_name(name);
  // Others hold this lock alone for as long as it takes to look for folders without a lock.
  const UniqueFd guard(::open(run.root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (guard.is_open()) ::flock(guard.get(), LOCK_SH);
  std::string pattern = fmt::format("{}/{}XXXXXX", run.root_, kUnfinished);
  if (::mkdtemp(pattern.data()) == nullptr) return cannot_store(pattern, errno);
  run.temporary_ = pattern;
  run.lock_ = UniqueFd(::open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!run.lock_.is_open() || ::flock(run.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return cannot_store(pattern, errno);
  }
  return run;
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : root_(std::move(other.root_)),
      name_(std::move(other.name_)),
      started_(std::move(other.started_)),
      temporary_(std::exchange(other.temporary_, {})),
      lock_(std::move(other.lock_)),
      steps_(std::move(other.steps_)),
      notes_(std::move(other.notes_)) {}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string RunFolder::path(std::string_view file) const {
  return fmt::format("{}/{}", temporary_, file);
}

Result<StepEnd> RunFolder::run(const Step& step) {
  StepListener listener(step);
  RETURN_IF_ERROR(listener.output.open(path(step.label + ".stdout")));
  RETURN_IF_ERROR(listener.errors.open(path(step.label + ".stderr")));
  RunFileStep& record = steps_.emplace_back();
  record.label = step.label;
  record.command = redact_command(shell_command(step.variables, step.argv));
  record.tool = step.argv.front();
  record.version = step.tool_version;
  record.started = utc_text(std::time(nullptr));
  const StepSetup setup(step);
  const auto end = run_program(
      {step.argv, environment_with(step.variables), step.time_limit, kGrace}, listener, &setup);
  record.ending = end ? to_string(end->ending) : std::string_view(end.error().message);
  if (end) {
    record.seconds = seconds_of(end->duration);
    record.exit_code = end->exit_code;
    record.signal = end->signal;
  }
  listener.output.close();
  listener.errors.close();
  record.stdout_bytes = listener.output.bytes();
  record.stderr_bytes = listener.errors.bytes();
  record.output_truncated = listener.output.is_cut() || listener.errors.is_cut();
  listener.output.report(step.label + ".stdout", notes_);
  listener.errors.report(step.label + ".stderr", notes_);
  RETURN_IF_ERROR(end);
  return StepEnd{*end, listener.output.tail(), listener.errors.tail()};
}

std::string RunFolder::run_file_text(std::string_view outcome,
                                     const std::string& final_path) const {
  std::error_code ignored;
  RunFile file{name_,
               started_,
               fs::current_path(ignored).string(),
               own_command_line(),
               std::string(outcome),
               own_environment(),
               steps_};
  for (RunFileStep& step : file.steps)
    step.command = replaced(step.command, temporary_, final_path);
  return json_text([&](JsonWriter& json) { write_record(file, json); }) + '\n';
}

Result<void> RunFolder::write_run_file(std::string_view outcome, const std::string& final_path) {
  const std::string record = path("run.json");
  const UniqueFd file(
      ::open(record.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.is_open()) return cannot_store(record, errno);
  if (const int error = write_stored(file.get(), run_file_text(outcome, final_path)); error != 0) {
    return cannot_store(record, error);
  }
  sync_folder(temporary_);
  return {};
}

void RunFolder::compress_output() const {
  for (const RunFileStep& step : steps_) {
    for (const char* stream : {".stdout", ".stderr"}) {
      const std::string file = path(step.label + stream);
      std::error_code error;
      // What cannot be compressed is kept as it is.
      if (fs::file_size(file, error) > kMostPlain && !error) compress_file(file);
    }
  }
}

Result<std::string> RunFolder::finish(std::string_view outcome) {
  // As any other folder that the user makes; there is no other way to read the mask.
  const mode_t mask = ::umask(077);
  ::umask(mask);
  ::chmod(temporary_.c_str(), 0777 & ~mask);
  compress_output();
  if (const int error = store_all(temporary_); error != 0) return cannot_store(temporary_, error);
  for (int n = 1;; ++n) {
    std::string final_path = fmt::format("{}/{}", root_, name_);
    if (n > 1) final_path += fmt::format("-{}", n);
    RETURN_IF_ERROR(write_run_file(outcome, final_path));
    if (rename_new(temporary_, final_path)) {
      temporary_.clear();
      lock_.reset();
      sync_folder(root_);
      return final_path;
    }
    if (errno != EEXIST) return cannot_store(final_path, errno);
  }
}

}  // namespace proofline
