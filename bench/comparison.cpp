// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

namespace proofline::bench {
namespace {

std::string number_text(double number) {
  return std::isnan(number) ? "NaN" : fmt::format("{}", number);
}

std::optional<double> larger(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

}  // namespace

Comparison::Comparison(double absolute, double relative, std::string reference)
    : absolute_(absolute), relative_(relative) {
  result_.reference = std::move(reference);
  result_.abs_tolerance = absolute;
  result_.rel_tolerance = relative;
}

bool Comparison::is_right(double actual, double expected, double error) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  result_.max_abs_error = std::max(result_.max_abs_error.value_or(0), error);
  // Nothing is relative to zero.
  if (expected != 0) {
    result_.max_rel_error = std::max(result_.max_rel_error.value_or(0), error / std::abs(expected));
  }
  return error <= absolute_ || error <= relative_ * std::abs(expected);
}

void Comparison::add(double actual, double expected, double error) {
  const std::uint64_t index = result_.checked++;
  if (!is_right(actual, expected, error)) {
    if (std::isnan(actual)) ++result_.nans;
    if (std::isinf(actual)) ++result_.infinities;
    if (result_.wrong++ == 0) {
      first_wrong_ = index;
      first_actual_ = actual;
      first_expected_ = expected;
      first_error_ = error;
    }
  }
  result_.state = result_.wrong == 0 ? CheckState::kPassed : CheckState::kFailed;
}

std::string Comparison::complaint() const {
  if (result_.wrong == 0) return "";
  std::string text = fmt::format("{} of {} elements are wrong", group_digits(result_.wrong),
                                 group_digits(result_.checked));
  if (result_.nans > 0) text += fmt::format(", {} of them NaN", group_digits(result_.nans));
  if (result_.infinities > 0) {
    text += fmt::format(", {} of them infinite", group_digits(result_.infinities));
  }
  text += fmt::format("; element {} is {}, expected {}", first_wrong_, number_text(first_actual_),
                      number_text(first_expected_));
  if (first_actual_ == first_expected_) text += fmt::format(" (off by {})", first_error_);
  return text;
}

void merge(Correctness& all, const Correctness& more) {
  if (all.state == CheckState::kNotChecked) {
    all = more;
    return;
  }
  if (more.state == CheckState::kFailed) all.state = CheckState::kFailed;
  all.max_abs_error = larger(all.max_abs_error, more.max_abs_error);
  all.max_rel_error = larger(all.max_rel_error, more.max_rel_error);
  all.abs_tolerance = larger(all.abs_tolerance, more.abs_tolerance);
  all.rel_tolerance = larger(all.rel_tolerance, more.rel_tolerance);
  all.nans += more.nans;
  all.infinities += more.infinities;
  all.wrong += more.wrong;
  all.checked += more.checked;
}

}  // namespace proofline::bench
