// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/show_file.h"

#include <algorithm>
#include <utility>

#include "base/propagate.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/ceilings.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "workflow/profile/select_metrics.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
namespace {

Result<ShownFile> show_profile(Input& input, const ShowPlan& plan, Announcer& announcer) {
  ReadOptions options;
  options.instances = plan.instances;
  options.code = plan.extract.has_value();
  options.nvidia_rules = plan.nvidia_rules;
  ASSIGN_OR_RETURN(auto profile, read_profile(input, options));
  if (plan.extract) {
    ASSIGN_OR_RETURN(auto files, extract(profile, plan.extract->kind, plan.extract->folder));
    return ExtractedCode{std::move(files), std::move(profile.notes)};
  }
  ASSIGN_OR_RETURN(auto chosen, select_launches({&profile, 1}, plan.launches));
  std::vector<std::size_t>& launches = chosen.front();
  order_launches(profile, plan.order, launches);
  if (plan.top != 0) launches.resize(std::min(plan.top, launches.size()));
  ASSIGN_OR_RETURN(auto metrics, select_metrics(profile, plan.metrics, announcer));
  return ShownProfile{std::move(profile), {std::move(launches), std::move(metrics)}};
}

}  // namespace

Result<ShownFile> show_file(const ShowPlan& plan, const InputLimits& limits, Announcer& announcer) {
  ASSIGN_OR_RETURN(auto input, Input::open(plan.file, limits));
  ASSIGN_OR_RETURN(const Format* format,
                   identify(input, {InputKind::kProfile, InputKind::kBenchmark,
                                    InputKind::kSanitizerLog, InputKind::kCeilings}));
  if (format->offers(InputKind::kSanitizerLog)) {
    return read_sanitizer_logs(std::move(input), {}, limits);
  }
  if (format->offers(InputKind::kBenchmark)) {
    // Files beside a benchmark's result belong to it; standard input has no folder, and cannot be
    // opened again.
    return plan.file == "-" ? read_benchmark(input) : read_benchmark(plan.file, limits);
  }
  if (format->offers(InputKind::kCeilings)) return read_ceilings(input);
  return show_profile(input, plan, announcer);
}

}  // namespace proofline
