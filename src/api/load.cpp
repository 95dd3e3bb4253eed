// SPDX-License-Identifier: Apache-2.0
#include "proofline/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/input.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/diagnose.h"
#include "readers/benchmark/benchmark.h"
#include "readers/format.h"
#include "readers/read_profile.h"

namespace proofline {
namespace {

InputLimits limits_of(const LoadOptions& options) { return {options.max_bytes}; }

}  // namespace

Result<FileFormat> identify_file(const std::string& path) {
  ASSIGN_OR_RETURN(auto input, Input::open(path));
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  const Format* format = identify(prefix);
  if (format == nullptr) {
    return fail(ErrorKind::kInput, fmt::format("{} is of no known format", quote(path)));
  }
  FileFormat file{std::string(format->name), {}};
  for (const InputKind kind : kInputKinds) {
    if (format->offers(kind)) file.kinds.push_back(kind);
  }
  return file;
}

bool FileFormat::is(InputKind kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Result<Profile> load(const std::string& path, const LoadOptions& options) {
  ReadOptions read = diagnosis_read_options(options.code);
  read.instances = options.instances;
  read.nvidia_rules = options.nvidia_rules;
  return read_profile(path, read, limits_of(options));
}

Result<BenchmarkSeries> load_benchmark(const std::string& path, const LoadOptions& options) {
  return read_benchmark(path, limits_of(options));
}

}  // namespace proofline
