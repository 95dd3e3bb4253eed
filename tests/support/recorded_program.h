// SPDX-License-Identifier: Apache-2.0
//
// A test that runs fake_cuda_program under the recorder, with fake_cupti for NVIDIA's library: none
// of it needs a GPU.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_dir.h"
#include "tools/recorder/recorder.h"

namespace proofline {

class RecordedProgramTest : public testing::Test {
 protected:
  void SetUp() override { set("PROOFLINE_CUPTI", PROOFLINE_FAKE_CUPTI); }
  void TearDown() override {
    for (const auto& name : set_) ::unsetenv(name.c_str());
  }

  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  // Runs the program under the recorder, whose folder it has for itself, and keeps its end.
  Recording record(const std::vector<std::string>& arguments) {
    auto recorder = Recorder::prepare(dir_.path(""));
    EXPECT_TRUE(recorder) << recorder.error().message;
    if (!recorder) return {};
    run(arguments, recorder->variables());
    auto recording = recorder->read();
    EXPECT_TRUE(recording) << recording.error().message;
    return recording ? *std::move(recording) : Recording{};
  }

  // The same with the whole timeline.
  Timeline trace(const std::vector<std::string>& arguments, RecorderTask task = {}) {
    task.timeline = true;
    auto recorder = Recorder::prepare(dir_.path(""), task);
    EXPECT_TRUE(recorder) << recorder.error().message;
    if (!recorder) return {};
    run(arguments, recorder->variables());
    auto timeline = recorder->read_timeline();
    EXPECT_TRUE(timeline) << timeline.error().message;
    return timeline ? *std::move(timeline) : Timeline{};
  }

  void run(const std::vector<std::string>& arguments,
           const std::vector<std::pair<std::string, std::string>>& variables) {
    std::string program = PROOFLINE_FAKE_CUDA_PROGRAM;
    std::vector<std::string> words = arguments;
    std::vector<char*> argv{program.data()};
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string output = dir_.path("output");
    const pid_t child = ::fork();
    if (child == 0) {
      const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(file, 1);
      ::dup2(file, 2);
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(program.c_str(), argv.data());
      ::_exit(127);
    }
    ::waitpid(child, &status_, 0);
    std::ifstream file(output);
    output_.assign(std::istreambuf_iterator<char>(file), {});
  }

  int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

  TempDir dir_;
  int status_ = 0;
  std::string output_;  // standard output and standard error

 private:
  std::vector<std::string> set_;
};

}  // namespace proofline
