// SPDX-License-Identifier: Apache-2.0
//
// What is asked of ncu, and the command line that asks it. Names have been checked before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ncu/ncu.h"

namespace proofline {

// Which launches. Nothing set: all of them.
struct NcuLaunches {
  // Kernels by their mangled names, exactly, and which launches of each, counted from 1; none: all.
  // ncu takes one such list, so every number counts for every name.
  std::vector<std::string> mangled;
  std::vector<std::uint64_t> invocations;
  // Or a part of the demangled name, as a regular expression.
  std::string pattern;
  std::vector<std::string> nvtx_include;  // expressions of ncu's NVTX filter
  // Of those that match.
  std::uint64_t skip = 0;
  std::optional<std::uint64_t> count;
};

struct NcuRequest {
  std::vector<std::string> sets;
  std::vector<std::string> sections;
  std::vector<std::string> metrics;
  std::string section_folder;  // with section files of ours; "" none
  bool import_source = false;
  NcuLaunches launches;
  std::string replay_mode = "kernel";
  // ncu's own default is base, which makes durations of different days comparable. We leave the
  // clocks alone: the diagnosis is about which roof binds at the clocks that the kernel really has,
  // locking them slows down everybody on the GPU, and they stay locked when ncu is killed.
  std::string clock_control = "none";
  std::string cache_control = "all";  // before each pass: "all" empties the caches, "none" does not
  std::string report;                 // its path, without .ncu-rep
  std::string log;
  std::vector<std::string> program;  // with its arguments; the first as an absolute path
};

std::vector<std::string> ncu_command(const Ncu& ncu, const NcuRequest& request);

}  // namespace proofline
