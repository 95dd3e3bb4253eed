// SPDX-License-Identifier: Apache-2.0
//
// One file as it is, without a judgement: a profile's launches and metrics, a sanitizer's log,
// results of benchmarks, or a GPU's ceilings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/order_kernels.h"
#include "model/machine/sanitizer.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/ceilings.h"
#include "model/profile/profile.h"
#include "views/profile/selection.h"
#include "workflow/announcer.h"
#include "workflow/profile/extract.h"
#include "workflow/profile/select_launches.h"

namespace proofline {

struct ShowPlan {
  struct Extraction {
    ExtractKind kind = ExtractKind::kCubin;
    std::string folder;
  };

  std::string file;  // "-" is standard input
  LaunchFilter launches;
  LaunchOrder order = LaunchOrder::kLaunch;
  std::size_t top = 0;                // as many of that order; 0: all
  std::vector<std::string> metrics;   // patterns; none: all that ncu's raw page has
  std::optional<Extraction> extract;  // write embedded code to files instead
  bool instances = false;             // also read a metric's values by instruction, time or unit
  bool nvidia_rules = false;          // also read what NVIDIA's own rules say
};

struct ShownProfile {
  Profile profile;
  Selection selection;
};

struct ExtractedCode {
  std::vector<ExtractedFile> files;
  std::vector<Note> notes;  // what was lost while reading the report
};

using ShownFile =
    std::variant<ShownProfile, ExtractedCode, SanitizerRun, BenchmarkSeries, Ceilings>;

// Tells what is wrong with the name of a metric.
Result<ShownFile> show_file(const ShowPlan& plan, const InputLimits& limits, Announcer& announcer);

}  // namespace proofline
