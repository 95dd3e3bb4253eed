// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/journal_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "base/characters.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "model/journal/attempt_states.h"
#include "views/journal/entry_lines.h"

namespace proofline {
namespace {

// The start of a time as the journal writes it, so that the order of texts is that of times.
bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  constexpr std::size_t kDay = 10;
  if (text.size() < kDay || text.size() > kForm.size()) return false;
  const bool has_form = std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
    return form == '0' ? is_digit(c) : c == form;
  });
  if (!has_form) return false;
  const std::string whole = std::string(text).append(kForm.substr(text.size()));
  const auto number = [&](std::size_t at, std::size_t digits) {
    return static_cast<unsigned>(std::stoul(whole.substr(at, digits)));
  };
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number(0, 4))),
                                        std::chrono::month(number(5, 2)),
                                        std::chrono::day(number(8, 2)));
  return day.ok() && number(11, 2) < 24 && number(14, 2) < 60 && number(17, 2) < 60;
}

bool says(const Attempt& attempt, std::string_view lower_text) {
  for (const JournalEntry& entry : attempt.entries) {
    for (const Point::Line& line : entry_lines(entry)) {
      if (lower_case(line.text).find(lower_text) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

Result<AttemptState> parse_attempt_state(const std::string& name) {
  for (const AttemptState state : kAttemptStates) {
    if (to_string(state) == name) return state;
  }
  return fail(ErrorKind::kUsage,
              fmt::format("{} {}: no such state; there are open, kept, no-difference, reverted, "
                          "inconclusive, invalid, failed and abandoned",
                          option("state"), quote(name)));
}

Result<JournalFilter> JournalFilter::make(const JournalChoice& choice) {
  JournalFilter filter;
  for (const std::string& name : choice.states) {
    ASSIGN_OR_RETURN(const auto state, parse_attempt_state(name));
    filter.states_.push_back(state);
  }
  if (!choice.since.empty() && !is_date(choice.since)) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: write a day or a time, such as 2026-11-01 or 2026-11-01T12:30",
                            option("since"), quote(choice.since)));
  }
  filter.kind_ = choice.kind;
  filter.since_ = choice.since;
  filter.text_ = lower_case(choice.grep);
  filter.limit_ = choice.limit;
  return filter;
}

bool JournalFilter::wants(const Attempt& attempt) const {
  if (!states_.empty() &&
      std::find(states_.begin(), states_.end(), attempt.state) == states_.end()) {
    return false;
  }
  if (!kind_.empty() && attempt.kind != kind_) return false;
  if (attempt.opened < since_) return false;
  return text_.empty() || says(attempt, text_);
}

bool JournalFilter::wants(const Remark& remark) const {
  if (!states_.empty() || !kind_.empty() || remark.written < since_) return false;
  return lower_case(remark.text).find(text_) != std::string::npos;
}

void JournalFilter::apply(JournalReading& reading) const {
  const auto keep_wanted = [&](auto& items) {
    const auto unwanted = [&](const auto& item) { return !wants(item); };
    items.erase(std::remove_if(items.begin(), items.end(), unwanted), items.end());
    if (limit_ == 0 || items.size() <= limit_) return;
    items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(limit_));
  };
  keep_wanted(reading.attempts);
  keep_wanted(reading.remarks);
}

}  // namespace proofline
