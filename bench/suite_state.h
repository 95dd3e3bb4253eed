// SPDX-License-Identifier: Apache-2.0
//
// The implementation of Suite and Configuration.
#pragma once

#include <proofline/bench.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axes.h"
#include "base/whole_file.h"
#include "gpu.h"
#include "measure.h"
#include "model/measurement/benchmark.h"
#include "options.h"

namespace proofline::bench::detail {

struct SuiteState {
  std::string name;
  std::vector<std::string> arguments;  // argv
  std::vector<AxisGroup> groups;
  Options options;
  std::optional<int> exit_code;  // known before anything is measured
  std::vector<WholeFile> files;
  std::unique_ptr<Gpu> gpu;
  std::unique_ptr<Meter> meter;
  std::set<std::string> implementations;  // that the program has
  Benchmark benchmark;
  bool is_broken = false;  // CUDA's context is
};

struct ConfigurationState {
  SuiteState& suite;
  std::vector<Axis> axes;
  std::vector<CheckRequest> checks = {};
  std::vector<Inspection> inspections = {};
  std::optional<double> bytes = {};
  std::optional<double> flops = {};
  std::string flop_kind = {};
  std::optional<double> flop_roof = {};
  std::optional<std::size_t> sets = {};
  std::string skip_reason = {};
};

// Thrown through the program's function where no other measurement can succeed.
struct ContextBroken {};

// A measurement of this configuration, with what the program declares.
Measurement describe(const ConfigurationState& state, const std::string& implementation);

}  // namespace proofline::bench::detail
