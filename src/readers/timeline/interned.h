// SPDX-License-Identifier: Apache-2.0
//
// Numbers for keys, in the order in which they are first met: what millions of events name over and
// over is kept once. The few keys that come again at once are found without the hash table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <unordered_map>
#include <utility>
#include <vector>

namespace proofline {

template <class Key, class Hash = std::hash<Key>>
class Interned {
 public:
  std::uint32_t position(const Key& key) {
    if (last_ < keys_.size() && keys_[last_] == key) return last_;
    const std::size_t hash = Hash{}(key);
    std::uint32_t& recent = recent_[hash % kRecent];
    if (recent < keys_.size() && keys_[recent] == key) return last_ = recent;
    const auto [known, is_new] =
        positions_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return last_ = recent = known->second;
  }

  const std::vector<Key>& keys() const { return keys_; }
  std::vector<Key> take_keys() { return std::move(keys_); }

 private:
  static constexpr std::size_t kRecent = 4096;

  std::vector<Key> keys_;
  std::unordered_map<Key, std::uint32_t, Hash> positions_;
  std::array<std::uint32_t, kRecent> recent_{};
  std::uint32_t last_ = 0;
};

// For the hash of a key with several members.
inline std::size_t hash_of(std::initializer_list<std::uint64_t> members) {
  std::uint64_t hash = 0;
  for (const std::uint64_t member : members) {
    hash = (hash ^ member) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return static_cast<std::size_t>(hash);
}

}  // namespace proofline
