// SPDX-License-Identifier: Apache-2.0
//
// What is this file, and what is in it? Files are told by their bytes, never by their names, and
// gzip and zstd are undone on the way.
//
//   const auto profile = proofline::load("report.ncu-rep");
//   if (!profile) return complain(profile.error().message);
//   for (const proofline::Launch& launch : profile->launches) std::cout << launch.name << '\n';
//
// A profile is plain data (model/profile/profile.h). What could not be read of a damaged file is
// among its notes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/input_kind.h"
#include "model/measurement/benchmark.h"
#include "model/profile/profile.h"

namespace proofline {

// What a file is. A report of Nsight Compute is a profile (load) and holds code (load_code).
struct FileFormat {
  std::string name;              // "ncu-rep", "cubin", "nvbench"
  std::vector<InputKind> kinds;  // what it can be read as

  bool is(InputKind kind) const;
};

// An error where the file cannot be opened, or is of no format that we know.
Result<FileFormat> identify_file(const std::string& path);

struct LoadOptions {
  bool instances = false;     // values by instruction, time and unit: most of a full report's bytes
  bool code = false;          // the bytes of embedded cubins, PTX and source files
  bool nvidia_rules = false;  // what NVIDIA's own rules say
  // The most bytes that the file may have after decompression; without it 8 GiB.
  std::optional<std::uint64_t> max_bytes;
};

// What Nsight Compute recorded (a report) or printed (CSV, text). "-" is standard input. Whatever
// diagnosing and comparing need is read in any case.
Result<Profile> load(const std::string& path, const LoadOptions& options = {});

// What a benchmark measured: of proofline, nvbench or Google Benchmark.
Result<BenchmarkSeries> load_benchmark(const std::string& path, const LoadOptions& options = {});

}  // namespace proofline
