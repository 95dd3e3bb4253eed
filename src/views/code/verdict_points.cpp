// SPDX-License-Identifier: Apache-2.0
#include "views/code/verdict_points.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "base/option.h"
#include "base/text.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

constexpr std::size_t kMostVerdicts = 20;

Tone tone_of(ExpectationVerdict verdict) {
  switch (verdict) {
    case ExpectationVerdict::kPass: return Tone::kGood;
    case ExpectationVerdict::kFail: return Tone::kBad;
    case ExpectationVerdict::kUnknown: return Tone::kWarning;
  }
  return Tone::kNone;
}

Point point_of(const ExpectationReport& one, std::string text) {
  return {std::string(to_string(one.result.verdict)),
          fmt::format("{} {}", one.forbidden ? "forbid" : "expect", one.pattern),
          "",
          {{"", std::move(text)}},
          tone_of(one.result.verdict)};
}

}  // namespace

void add_verdicts(const FunctionReport& function, Document& document) {
  Points points;
  for (const ExpectationReport& one : function.expectations) {
    points.points.push_back(point_of(one, one.result.text));
  }
  if (!points.points.empty()) document.blocks.emplace_back(std::move(points));
}

void add_failed_verdicts(const CodeReport& report, Document& document) {
  Points points;
  std::size_t left_out = 0;
  for (const ExpectationVerdict verdict :
       {ExpectationVerdict::kFail, ExpectationVerdict::kUnknown}) {
    for (const FunctionReport& function : report.functions) {
      for (const ExpectationReport& one : function.expectations) {
        if (one.result.verdict != verdict) continue;
        if (points.points.size() == kMostVerdicts) {
          ++left_out;
          continue;
        }
        points.points.push_back(point_of(
            one, fmt::format("{}: {}", without_signature(function.shown), one.result.text)));
      }
    }
  }
  if (!points.points.empty()) document.blocks.emplace_back(std::move(points));
  if (left_out > 0) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("and {} more that did not pass; {} json has all",
                              group_digits(left_out), option("format"))});
  }
}

}  // namespace proofline
