// SPDX-License-Identifier: Apache-2.0
//
// A run folder: one attempt of the user's (profile, sanitize, ...) with all that it left, in
// .proofline/runs/<time>-<name>/. While it is running it has a hidden name; it gets its own name
// when everything is written, run.json included, so it is complete or absent. Every program that
// was started is a step in run.json with path, version, exact command and how it ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/machine/run_file.h"
#include "model/note.h"
#include "tools/process/command_text.h"
#include "tools/process/process.h"

namespace proofline {

// Where runs are kept unless the user says where.
inline constexpr const char* kUsualRuns = ".proofline/runs";

// One program to run for the user.
struct Step {
  std::string label;                       // "ncu", "memcheck": also names the files of its output
  std::vector<std::string> argv;           // the first as an absolute path
  std::string tool_version;                // "" where it is the user's own program
  Variables variables;                     // added to the user's environment
  std::string folder;                      // where it runs; "" here
  std::string input;                       // a file for its standard input; "" nothing to read
  std::chrono::milliseconds time_limit{};  // 0: none
  bool show_output = false;                // also on our standard error, as it comes
  std::function<bool()> on_tick;           // for progress; false ends it; may be empty
};

struct StepEnd {
  ProgramEnd end;
  std::string output_tail;  // the last 64 KiB of each
  std::string errors_tail;
};

class RunFolder {
 public:
  // Below `root`, which is made where it is missing. Where the usual one cannot be written, as in a
  // folder that may only be read, the run is kept below TMPDIR, and a note says so. kStorage.
  static Result<RunFolder> create(const std::string& root, std::string_view name);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  // Gone with all in it, unless it was finished.
  ~RunFolder();

  // The path of a file of this run while it is running.
  std::string path(std::string_view file) const;

  // Runs it with the user's environment; what it prints goes to <label>.stdout and <label>.stderr,
  // as far as KeptStream keeps it; finish() makes large ones <label>.stdout.zst.
  Result<StepEnd> run(const Step& step);

  // Writes run.json and gives the folder its name, which it returns. `outcome`: one word
  // ("profiled", "findings", "time-limit"). kStorage.
  Result<std::string> finish(std::string_view outcome);

  // On runs that were killed before they finished, whose folders have been removed, and on output
  // of steps that could not be kept.
  const std::vector<Note>& notes() const { return notes_; }

 private:
  RunFolder() = default;
  static Result<RunFolder> create_below(const std::string& root, std::string_view name);
  // Commands name the folder as it is called in the end.
  std::string run_file_text(std::string_view outcome, const std::string& final_path) const;
  void compress_output() const;
  Result<void> write_run_file(std::string_view outcome, const std::string& final_path);

  std::string root_;
  std::string name_;
  std::string started_;
  std::string temporary_;  // "" when finished or moved from
  UniqueFd lock_;          // held while we live: others see that the folder is not abandoned
  std::vector<RunFileStep> steps_;
  std::vector<Note> notes_;
};

}  // namespace proofline
