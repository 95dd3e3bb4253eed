// SPDX-License-Identifier: Apache-2.0
#include "workflow/journal/tried_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <optional>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "model/profile/kernel_name.h"
#include "workflow/journal/journal_reading.h"

namespace proofline {
namespace {

constexpr std::size_t kIdDigits = 8;
constexpr std::size_t kDateDigits = 10;  // of 2026-11-15T20:04:00Z

// An attempt that does not say what it was on means every kernel, and so does an unknown one.
bool is_on(const AttemptItem& item, std::string_view kernel, std::string_view cc) {
  const bool same_kernel = item.kernel.empty() || kernel.empty() ||
                           short_function_name(item.kernel) == short_function_name(kernel);
  return same_kernel && (item.cc.empty() || cc.empty() || item.cc == cc);
}

// "NAME" of "NAME/3"; "" of none.
std::string_view play_of(const AttemptItem& item) {
  return std::string_view(item.play).substr(0, item.play.find('/'));
}

std::string tried_text(const Attempt& attempt) {
  std::string text =
      fmt::format("tried {}, {}", attempt.opened.substr(0, kDateDigits), to_string(attempt.state));
  if (attempt.realised_gain) text += fmt::format(", {}", percent(*attempt.realised_gain, 1));
  return text + fmt::format(" ({})", attempt.id.substr(0, kIdDigits));
}

// Of "2026-11-15T20:04:00.123Z", since 1970; nothing: it is still open.
std::optional<double> epoch_seconds(const std::string& time) {
  std::tm parts{};
  if (::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
  return static_cast<double>(::timegm(&parts));
}

bool is_decided(AttemptState state) {
  return state == AttemptState::kKept || state == AttemptState::kReverted ||
         state == AttemptState::kNoDifference || state == AttemptState::kFailed;
}

}  // namespace

Result<TriedChanges> TriedChanges::read(const std::string& journal) {
  auto reading = read_journal(journal);
  if (!reading) {
    const bool absent = journal.empty() && reading.error().kind == ErrorKind::kInput;
    if (absent) return TriedChanges();
    return tl::make_unexpected(std::move(reading).error());
  }
  auto& attempts = reading->attempts;
  attempts.erase(std::remove_if(attempts.begin(), attempts.end(),
                                [](const Attempt& one) { return !one.item; }),
                 attempts.end());
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& a, const Attempt& b) { return a.opened < b.opened; });
  return TriedChanges(std::move(attempts));
}

std::optional<CheckOptions::Tried> TriedChanges::item(std::string_view playbook,
                                                      std::string_view id, std::string_view kernel,
                                                      std::string_view cc) const {
  const Attempt* latest = nullptr;
  // NOLINTNEXTLINE(modernize-loop-convert): backwards, and this clang does not compile <ranges>
  for (auto one = attempts_.rbegin(); one != attempts_.rend(); ++one) {
    const AttemptItem& item = *one->item;
    if (item.playbook != playbook || item.id != id || !is_decided(one->state)) continue;
    if (!is_on(item, kernel, cc)) continue;
    // Of a sweep, one play's attempts at one item, the setting that was kept.
    if (latest != nullptr && play_of(item) != play_of(*latest->item)) break;
    if (latest == nullptr || one->state == AttemptState::kKept) latest = &*one;
    if (latest->state == AttemptState::kKept || play_of(item).empty()) break;
  }
  if (latest == nullptr) return std::nullopt;
  return CheckOptions::Tried{latest->state == AttemptState::kKept, tried_text(*latest),
                             latest->state != AttemptState::kFailed, latest->realised_gain};
}

void TriedChanges::count(std::string_view kernel, std::string_view cc,
                         CheckOptions& options) const {
  if (!journal_) return;
  double attempts = 0;
  double seconds = 0;
  for (const Attempt& one : attempts_) {
    if (!is_on(*one.item, kernel, cc)) continue;
    ++attempts;
    const auto opened = epoch_seconds(one.opened);
    const auto closed = epoch_seconds(one.closed);
    if (opened && closed) seconds += std::max(0.0, *closed - *opened);
  }
  options.attempts = attempts;
  options.minutes = seconds / 60;
}

std::vector<std::string> TriedChanges::answers(std::string_view rule, std::string_view kernel,
                                               std::string_view cc) const {
  std::vector<std::string> texts;
  for (const Attempt& one : attempts_) {
    const auto& rules = one.item->answers;
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) continue;
    if (is_decided(one.state) && is_on(*one.item, kernel, cc)) texts.push_back(tried_text(one));
  }
  std::reverse(texts.begin(), texts.end());  // the newest first
  return texts;
}

}  // namespace proofline
