// SPDX-License-Identifier: Apache-2.0
#include "store/entries/entry_identity.h"

#include <fmt/format.h>
#include <sha2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string_view>

#include "base/check.h"
#include "base/text.h"

namespace proofline {
namespace {

void add_number(SHA2_CTX& hash, std::uint64_t number) {
  std::array<std::uint8_t, 8> little_endian{};
  for (std::uint8_t& byte : little_endian) {
    byte = static_cast<std::uint8_t>(number & 0xffU);
    number >>= 8U;
  }
  SHA256Update(&hash, little_endian.data(), little_endian.size());
}

void add_text(SHA2_CTX& hash, std::string_view text) {
  add_number(hash, text.size());
  SHA256Update(&hash, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

// A result with 100,000 samples takes a few MiB; what is larger belongs in a file.
constexpr std::size_t kMaxBodyBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxKindBytes = 64;
constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kHashDigits = 64;

bool consists_of(std::string_view text, std::string_view letters) {
  return text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && consists_of(text, "0123456789abcdef");
}

bool is_kind(std::string_view text) {
  return !text.empty() && text.size() <= kMaxKindBytes &&
         consists_of(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.");
}

bool is_time(std::string_view text) {
  return text.size() == std::string_view("2026-11-15T16:40:00.123Z").size() &&
         consists_of(text, "0123456789-:.TZ");
}

// What is wrong with the names in it, or "".
std::string bad_name(const std::string& id, const std::string& attempt, const std::string& kind) {
  if (!is_hex(id, kIdDigits)) return fmt::format("its id {} is not 32 hex digits", quote(id));
  if (!attempt.empty() && !is_hex(attempt, kIdDigits)) {
    return fmt::format("its attempt {} is not 32 hex digits", quote(attempt));
  }
  if (!is_kind(kind)) {
    return fmt::format("its kind {} is not made of a-z, 0-9, '-', '_' and '.'", quote(kind));
  }
  return "";
}

std::string too_large(const std::string& body) {
  return body.size() <= kMaxBodyBytes
             ? ""
             : fmt::format(
                   "its text has {} bytes, and one entry may have {}: keep it in a file "
                   "and write the file's name into the journal",
                   group_digits(body.size()), group_digits(kMaxBodyBytes));
}

std::string unfit(const JournalEntry& entry) {
  if (std::string bad = bad_name(entry.id, entry.attempt, entry.kind); !bad.empty()) {
    return bad;
  }
  if (!is_hex(entry.chain, kIdDigits)) return "its chain is not 32 hex digits";
  if (!is_hex(entry.previous, kHashDigits)) return "its link is not 64 hex digits";
  if (!is_time(entry.written)) return "its time is none";
  if (entry.sequence == 0 || entry.sequence > std::numeric_limits<std::int64_t>::max()) {
    return "its sequence number is out of range";
  }
  if (entry.hash != entry_hash(entry)) return "its text is not what was hashed";
  return too_large(entry.body);
}

}  // namespace

std::string new_entry_id() {
  std::array<unsigned char, kEntryIdDigits / 2> random{};
  CHECK(::getentropy(random.data(), random.size()) == 0, "the kernel has no random numbers");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  id.reserve(kEntryIdDigits);
  for (const unsigned char byte : random) {
    id.push_back(kDigits[byte >> 4U]);
    id.push_back(kDigits[byte & 0xfU]);
  }
  return id;
}

std::string utc_now_ms() { return utc_ms(std::chrono::system_clock::now()); }

std::string utc_ms(std::chrono::system_clock::time_point time) {
  // Rounded down before 1970 too, where a clock that was never set may be.
  const auto now = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const std::time_t seconds = second.time_since_epoch().count();
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     (now - second).count());
}

std::string entry_hash(const JournalEntry& entry) {
  SHA2_CTX hash;
  SHA256Init(&hash);
  add_text(hash, "proofline journal entry, version 1");
  add_text(hash, entry.chain);
  add_number(hash, entry.sequence);
  add_text(hash, entry.id);
  add_text(hash, entry.attempt);
  add_text(hash, entry.kind);
  add_text(hash, entry.written);
  add_text(hash, entry.body);
  add_text(hash, entry.previous);
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256End(&hash, hex.data());
  return hex.data();
}

Result<void> check_new_entry(const NewEntry& entry) {
  if (const std::string bad = bad_name(entry.id, entry.attempt, entry.kind); !bad.empty()) {
    return fail(ErrorKind::kUsage, "the entry cannot be stored: " + bad);
  }
  if (!entry.written.empty() && !is_time(entry.written)) {
    return fail(ErrorKind::kUsage, "the entry cannot be stored: its time is none");
  }
  if (const std::string large = too_large(entry.body); !large.empty()) {
    return fail(ErrorKind::kStorage, "the entry cannot be stored: " + large);
  }
  return {};
}

Result<void> check_adopted_entry(const JournalEntry& entry) {
  const std::string why = unfit(entry);
  if (why.empty()) return {};
  return fail(ErrorKind::kInput, fmt::format("entry {} of chain {} cannot be taken over: {}",
                                             entry.sequence, quote(entry.chain), why));
}

}  // namespace proofline
