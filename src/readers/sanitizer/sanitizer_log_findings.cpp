// SPDX-License-Identifier: Apache-2.0
#include "readers/sanitizer/sanitizer_log_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "Leaked 256 bytes at 0x7feecc800000" -> "Leaked # bytes at #"
void append_without_numbers(std::string_view words, std::string& key) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < '0' || words[i] > '9') {
      key += words[i];
      continue;
    }
    key += '#';
    if (words.substr(i).starts_with("0x")) i += 2;
    while (i < words.size() && is_hex_digit(words[i])) ++i;
    --i;
  }
}

void append_place(const DevicePlace& place, std::string& key) {
  key += fmt::format("\n{}:{}:{}:", place.file, place.line, place.offset.value_or(0));
  key += place.function;
}

// What makes two messages one finding.
std::string key_of(const SanitizerFinding& message) {
  std::string key =
      fmt::format("{} {} {}", message.tool, to_string(message.kind), to_string(message.level));
  key.append("\n").append(message.kernel());
  append_place(message.at, key);
  for (const RaceSide& side : message.sides) append_place(side.at, key.append("\n" + side.access));
  key += '\n';
  append_without_numbers(message.words, key);
  if (!message.at.empty() || !message.sides.empty()) return key;
  // Leaks and failed calls have no place but where the host was.
  for (const HostStack& stack : message.stacks) {
    for (const std::string& frame : stack.frames) key.append("\n").append(frame);
  }
  return key;
}

std::size_t bytes_of(const SanitizerFinding& message) {
  constexpr std::size_t kString = sizeof(std::string);
  std::size_t bytes = sizeof(message) + message.words.size() + message.at.function.size();
  for (const DevicePlace& frame : message.device_frames)
    bytes += sizeof(frame) + frame.function.size();
  for (const RaceSide& side : message.sides) bytes += sizeof(side) + side.at.function.size();
  for (const HostStack& stack : message.stacks) {
    for (const std::string& frame : stack.frames) bytes += kString + frame.size();
  }
  for (const std::string& detail : message.details) bytes += kString + detail.size();
  return bytes;
}

void widen(std::optional<IndexRange>& range, const std::optional<IndexRange>& with) {
  if (!with) return;
  if (!range) range = with;
  for (std::size_t i = 0; i < range->first.size(); ++i) {
    range->first[i] = std::min(range->first[i], with->first[i]);
    range->last[i] = std::max(range->last[i], with->last[i]);
  }
}

void widen(std::optional<AddressRange>& range, const std::optional<AddressRange>& with) {
  if (!with) return;
  if (!range) range = with;
  range->first = std::min(range->first, with->first);
  range->last = std::max(range->last, with->last);
}

void merge(const SanitizerFinding& message, std::uint64_t times, SanitizerFinding& into) {
  into.count += times;
  into.total_size += message.size.value_or(0) * times;
  widen(into.threads, message.threads);
  widen(into.blocks, message.blocks);
  widen(into.address, message.address);
  for (std::size_t i = 0; i < std::min(into.sides.size(), message.sides.size()); ++i) {
    into.sides[i].hazards += message.sides[i].hazards * times;
  }
}

}  // namespace

void SanitizerFindings::add(SanitizerFinding&& message, std::uint64_t times) {
  std::string key = key_of(message);
  if (const auto known = positions_.find(key); known != positions_.end()) {
    return merge(message, times, findings_[known->second]);
  }
  const std::size_t bytes = key.size() + bytes_of(message);
  if (bytes_ + bytes > kMostBytes) {
    left_out_ += times;
    return;
  }
  bytes_ += bytes;
  message.count = times;
  message.total_size = message.size.value_or(0) * times;
  positions_.emplace(std::move(key), findings_.size());
  findings_.push_back(std::move(message));
}

}  // namespace proofline
