// SPDX-License-Identifier: Apache-2.0
//
// Any result as text: as the command line shows it ("terminal", "markdown"), as rows for programs
// that read tables ("csv"), or whole ("json", by the schemas that `proofline schema` prints).
//
//   std::cout << proofline::render(diagnosis, "markdown").value();
//   std::ofstream("diagnosis.json") << proofline::render(diagnosis, "json").value();
//
// An error of kind kUsage where no format has that name; `proofline list views` shows them. Text
// from files is escaped for the medium.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/diagnosis/comparison.h"
#include "model/diagnosis/diagnosis.h"
#include "model/machine/sanitizer.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"
#include "model/profile/profile.h"
#include "proofline/check.h"
#include "proofline/code.h"
#include "proofline/compare.h"
#include "proofline/timeline.h"

namespace proofline {

struct RenderOptions {
  bool verbose = false;   // all there is to say: every rule's answer, every fact, every metric
  std::size_t width = 0;  // columns to fit "terminal" into; 0: shorten nothing
};

Result<std::string> render(const Profile& profile, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const Diagnosis& diagnosis, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const ProfileComparison& comparison, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const Code& code, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const CodeChanges& changes, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const JudgedTimeline& timeline, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const Checked& checked, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const SanitizerRun& logs, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const BenchmarkSeries& series, std::string_view format,
                           const RenderOptions& options = {});
Result<std::string> render(const Decision& decision, std::string_view format,
                           const RenderOptions& options = {});

}  // namespace proofline
