// SPDX-License-Identifier: Apache-2.0
//
// An entry's id and its hash. Every field goes into the hash after its length, so that no two
// different entries give the same bytes.
#include <sha2.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "store/journal_store.h"

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

}  // namespace

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

std::string new_entry_id() {
  std::array<unsigned char, 16> random{};
  CHECK(::getentropy(random.data(), random.size()) == 0, "the kernel has no random numbers");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  id.reserve(2 * random.size());
  for (const unsigned char byte : random) {
    id.push_back(kDigits[byte >> 4U]);
    id.push_back(kDigits[byte & 0xfU]);
  }
  return id;
}

}  // namespace proofline
