// SPDX-License-Identifier: Apache-2.0
//
// run.json in a run's folder: what was started there and how it ended. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace proofline {

struct Record;

// A program that was started.
struct RunFileStep {
  std::string label;
  std::string command;  // without secrets
  std::string tool;     // the program's path
  std::string version;
  std::string started;
  double seconds = 0;
  std::string ending;  // "exited", "signal", "time-limit", or why it could not be started
  int exit_code = 0;   // of "exited"
  int signal = 0;      // of "signal"
  std::uint64_t stdout_bytes = 0;
  std::uint64_t stderr_bytes = 0;
  bool output_truncated = false;  // one of them is kept in part
};

struct RunFile {
  std::string name;
  std::string started;
  std::string folder;      // where the command ran
  std::string invocation;  // what was typed, without secrets
  std::string outcome;     // one word
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<RunFileStep> steps;
};
Record describe(const RunFile*);

}  // namespace proofline
