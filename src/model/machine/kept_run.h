// SPDX-License-Identifier: Apache-2.0
//
// Runs that are kept on the disk, and what became of them when room was made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/note.h"

namespace proofline {

struct KeptRun {
  std::string name;     // of its folder: "20261117T101500Z-gemm"
  std::string folder;   // with its path
  std::string kind;     // the command that made it: "profile"; "" not told
  std::string command;  // what was typed, without secrets; of older ones, the last program started
  std::string started;  // "2026-11-17T10:15:00Z"
  std::string outcome;  // one word: "profiled", "time-limit"
  std::uint64_t bytes = 0;  // on the disk
  bool is_play = false;     // of `run`, with the runs of its phases in it
};

// As many as were asked for, the newest first.
struct KeptRunList {
  std::uint64_t total_runs = 0;
  std::uint64_t total_bytes = 0;
  std::vector<KeptRun> runs;
};
Record describe(const KeptRunList*);
// `limit` 0: all.
KeptRunList first_runs(std::vector<KeptRun> runs, std::size_t limit);

// A program that was started.
struct KeptRunStep {
  std::string label;
  std::string command;
  std::string ending;  // "exit code 0", "signal 11", "time-limit"
  double seconds = 0;
};

struct KeptRunFile {
  std::string path;  // from the run's folder on
  std::uint64_t bytes = 0;
  std::string what;      // "an Nsight Compute report"; "" not known
  std::string commands;  // that read it: "diagnose, show"; "" none
};

struct KeptRunDetails {
  KeptRun run;
  std::vector<KeptRunStep> steps;
  std::vector<KeptRunFile> files;
  std::vector<std::string> next;  // commands that show what is in it
};
Record describe(const KeptRunDetails*);

// One that ought to go by what was asked for, but stays.
struct SparedRun {
  KeptRun run;
  std::string reason;
};

struct PrunedRuns {
  bool is_dry = false;  // nothing was removed
  std::vector<KeptRun> removed;
  std::vector<SparedRun> spared;
  std::uint64_t freed = 0;  // bytes
  std::uint64_t kept_runs = 0;
  std::uint64_t kept_bytes = 0;
  std::vector<Note> notes;
};
Record describe(const PrunedRuns*);

}  // namespace proofline
