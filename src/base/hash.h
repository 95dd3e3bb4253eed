// SPDX-License-Identifier: Apache-2.0
//
// A hash of numbers and texts, added one after the other; the same in every run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace proofline {

class Hash {
 public:
  void add(std::uint64_t value) {
    // FNV-1a by words, with the high bits folded in.
    state_ = (state_ ^ value) * 0x100000001b3ULL;
    state_ ^= state_ >> 29U;
  }
  void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(text.size());
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// Of a key with several members.
inline std::uint64_t hash_of(std::initializer_list<std::uint64_t> members) {
  Hash hash;
  for (const std::uint64_t member : members) hash.add(member);
  return hash.value();
}

}  // namespace proofline
