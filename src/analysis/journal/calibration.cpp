// SPDX-License-Identifier: Apache-2.0
#include "analysis/journal/calibration.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace proofline {
namespace {

constexpr std::string_view kOtherKinds = "other";

void count(const Attempt& attempt, Calibration& calibration) {
  // A single number means what rounds to it in whole per cent.
  constexpr double kHalfPerCent = 0.005;
  const GainRange& expected = *attempt.expected;
  const double slack = expected.low == expected.high ? kHalfPerCent : 0;
  const double gain = *attempt.realised_gain;
  const auto n = static_cast<double>(++calibration.attempts);
  if (gain < expected.low - slack) {
    ++calibration.below;
  } else if (gain > expected.high + slack) {
    ++calibration.above;
  } else {
    ++calibration.within;
  }
  calibration.expected_mean += ((expected.low + expected.high) / 2 - calibration.expected_mean) / n;
  calibration.realised_mean += (gain - calibration.realised_mean) / n;
}

// What was measured too badly to be judged says nothing on what was expected.
bool is_settled(AttemptState state) {
  return state != AttemptState::kInconclusive && state != AttemptState::kInvalid;
}

}  // namespace

std::vector<Calibration> calibrations_of(const std::vector<Attempt>& attempts) {
  std::vector<const Attempt*> counted;
  std::map<std::string_view, std::size_t> of_kind;
  for (const Attempt& attempt : attempts) {
    if (!attempt.expected || !attempt.realised_gain || !is_settled(attempt.state)) continue;
    counted.push_back(&attempt);
    ++of_kind[attempt.kind];
  }
  if (counted.empty()) return {};
  Calibration all;
  Calibration other;
  other.kind = kOtherKinds;
  std::map<std::string_view, Calibration> kinds;
  for (const Attempt* attempt : counted) {
    count(*attempt, all);
    const bool own_row = !attempt->kind.empty() && attempt->kind != kOtherKinds &&
                         of_kind[attempt->kind] >= kFewestOfAKind;
    count(*attempt, own_row ? kinds[attempt->kind] : other);
  }
  all.small_kinds =
      static_cast<std::size_t>(std::count_if(of_kind.begin(), of_kind.end(), [](const auto& one) {
        return !one.first.empty() && one.first != kOtherKinds && one.second < kFewestOfAKind;
      }));
  std::vector<Calibration> result{all};
  for (auto& [kind, calibration] : kinds) {
    calibration.kind = kind;
    result.push_back(calibration);
  }
  // Without a kind of its own it would say again what all of them say.
  if (other.attempts > 0 && !kinds.empty()) result.push_back(other);
  return result;
}

}  // namespace proofline
