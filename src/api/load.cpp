// SPDX-License-Identifier: Apache-2.0
#include "proofline/load.h"

#include <fmt/format.h>

#include "base/input.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/diagnose.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/ceilings.h"
#include "readers/code/code_reader.h"
#include "readers/reader.h"
#include "readers/sanitizer/sanitizer_log.h"

namespace proofline {
namespace {

InputLimits limits_of(const LoadOptions& options) { return {options.max_bytes}; }

}  // namespace

Result<FileFormat> identify_file(const std::string& path) {
  ASSIGN_OR_RETURN(auto input, Input::open(path));
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  FileFormat format;
  for (const Reader& reader : readers()) {
    if (!reader.sniff(prefix)) continue;
    format.name = reader.name;
    format.profile = true;
  }
  for (const CodeReader& reader : code_readers()) {
    if (!reader.sniff(prefix)) continue;
    if (!format.profile) format.name = reader.name;  // a report's code is named after the report
    format.code = true;
  }
  if (looks_like_benchmark(prefix)) {
    format.name = "benchmark";
    format.benchmark = true;
  } else if (looks_like_ceilings(prefix)) {
    format.name = "ceilings";
  } else if (is_sanitizer_log(prefix)) {
    format.name = "sanitizer-log";
  }
  if (!format.name.empty()) return format;
  return fail(ErrorKind::kInput, fmt::format("{} is of no known format", quote(path)));
}

Result<Profile> load(const std::string& path, const LoadOptions& options) {
  ReadOptions read = diagnosis_read_options();
  read.instances = options.instances;
  read.code = options.code;
  read.nvidia_rules = options.nvidia_rules;
  return read_profile(path, read, limits_of(options));
}

Result<BenchmarkSeries> load_benchmark(const std::string& path, const LoadOptions& options) {
  return read_benchmark(path, limits_of(options));
}

}  // namespace proofline
