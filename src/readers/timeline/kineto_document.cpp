// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/kineto_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/characters.h"
#include "base/text.h"
#include "readers/timeline/json_scan.h"

namespace proofline {
namespace {

// More warnings than this say nothing new.
constexpr std::size_t kMostWarnings = 20;

std::string plain_text(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"') raw = raw.substr(1, raw.size() - 2);
  std::string text;
  return unescape_json(raw, text) ? text : std::string(raw);
}

std::uint32_t small_number(std::string_view raw) {
  std::uint64_t number = 0;
  if (!parse_whole(raw, number)) return 0;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

bool read_device(JsonScan& scan, Timeline& timeline) {
  TimelineDevice device;
  std::string_view major;
  std::string_view minor;
  std::string_view key;
  std::string_view raw;
  while (scan.take_key(key)) {
    if (!scan.take_value(raw)) return false;
    if (key == "id") device.id = small_number(raw);
    if (key == "name") device.name = plain_text(raw);
    if (key == "computeMajor") major = raw;
    if (key == "computeMinor") minor = raw;
    if (key == "numSms") device.multiprocessors = small_number(raw);
  }
  if (scan.failed()) return false;
  // AMD's numbers are no compute capability of NVIDIA's.
  if (!major.empty() && !minor.empty() && device.name.find("AMD") == std::string::npos) {
    device.compute_capability = fmt::format("{}.{}", major, minor);
  }
  timeline.devices.push_back(std::move(device));
  return true;
}

bool read_devices(JsonScan& scan, Timeline& timeline) {
  if (!scan.take('[')) return scan.skip_value();
  while (!scan.take(']')) {
    scan.take(',');
    if (!scan.take('{') || !read_device(scan, timeline)) return false;
  }
  return true;
}

bool read_distributed(JsonScan& scan, Timeline& timeline) {
  if (!scan.take('{')) return scan.skip_value();
  std::string_view key;
  std::string_view raw;
  while (scan.take_key(key)) {
    if (!scan.take_value(raw)) return false;
    std::uint64_t rank = 0;
    if (key == "rank" && parse_whole(raw, rank)) timeline.rank = small_number(raw);
  }
  return !scan.failed();
}

bool read_warnings(JsonScan& scan, Timeline& timeline) {
  if (!scan.take('[')) return scan.skip_value();
  std::string_view raw;
  std::size_t count = 0;
  while (!scan.take(']')) {
    scan.take(',');
    if (!scan.take_value(raw)) return false;
    if (++count > kMostWarnings) continue;
    timeline.notes.push_back(
        {NoteKind::kInfo, "", fmt::format("the profiler said {}", quote(plain_text(raw), 240))});
  }
  return true;
}

bool read_member(std::string_view key, JsonScan& scan, Timeline& timeline) {
  if (key == "deviceProperties") return read_devices(scan, timeline);
  if (key == "distributedInfo") return read_distributed(scan, timeline);
  if (key == "WARNING" || key == "ERROR") return read_warnings(scan, timeline);
  std::string_view raw;
  if (!scan.take_value(raw)) return false;
  std::uint64_t base = 0;
  if (key == "baseTimeNanoseconds" && parse_whole(raw, base) &&
      base < static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    timeline.unix_ns = static_cast<std::int64_t>(base);
  }
  return true;
}

}  // namespace

KinetoMembers read_kineto_members(std::string_view text, std::size_t& at, Timeline& timeline) {
  JsonScan scan(text, at);
  std::string_view key;
  while (scan.take_key(key)) {
    at = scan.at();
    if (key == "traceEvents" && scan.take('[')) {
      at = scan.at();
      return KinetoMembers::kEvents;
    }
    if (!read_member(key, scan, timeline)) {
      return scan.at_end() ? KinetoMembers::kBrokenOff : KinetoMembers::kMalformed;
    }
  }
  at = scan.at();
  if (!scan.failed()) return KinetoMembers::kEnd;
  return scan.at_end() ? KinetoMembers::kBrokenOff : KinetoMembers::kMalformed;
}

std::optional<std::uint32_t> rank_in_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view word : {"rank", "worker"}) {
    for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
      std::size_t begin = at + word.size();
      if (begin < name.size() && (name[begin] == '-' || name[begin] == '_')) ++begin;
      std::size_t end = begin;
      while (end < name.size() && is_digit(name[end])) ++end;
      std::uint64_t rank = 0;
      if (end > begin && parse_whole(name.substr(begin, end - begin), rank)) {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(rank, std::numeric_limits<std::uint32_t>::max()));
      }
    }
  }
  return std::nullopt;
}

}  // namespace proofline
