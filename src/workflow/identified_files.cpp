// SPDX-License-Identifier: Apache-2.0
#include "workflow/identified_files.h"

#include "base/propagate.h"

namespace proofline {
namespace {

Result<const Format*> identified_format(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return identify(input, {InputKind::kProfile, InputKind::kCode, InputKind::kBenchmark,
                          InputKind::kSanitizerLog, InputKind::kCeilings, InputKind::kRecording,
                          InputKind::kTimeline, InputKind::kPreflight});
}

}  // namespace

Result<IdentifiedFiles> identify_files(const std::vector<std::string>& paths,
                                       const InputLimits& limits) {
  IdentifiedFiles identified;
  for (const std::string& path : paths) {
    const auto format = identified_format(path, limits);
    if (!format && paths.size() == 1) return tl::make_unexpected(format.error());
    identified.files.push_back(
        {path, format ? *format : nullptr, format ? "" : format.error().message});
  }
  return identified;
}

}  // namespace proofline
