// SPDX-License-Identifier: Apache-2.0
//
// Numbers for keys, in the order in which they are first met: what millions of events name over and
// over is kept once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline {

// Anything that Hash takes and a Key compares with can be looked up, without making a Key of it.
template <class Key, class Hash = std::hash<Key>>
class Interned {
 public:
  template <class Like = Key>
  std::uint32_t position(const Like& key) {
    // Events of one kind mostly come in rows.
    if (last_ < keys_.size() && keys_[last_] == key) return last_;
    if (2 * keys_.size() >= slots_.size()) grow();
    const std::uint64_t hash = mixed(Hash{}(key));
    for (std::size_t at = place(hash);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.position == kFree) {
        slot = {check(hash), static_cast<std::uint32_t>(keys_.size())};
        keys_.emplace_back(key);
        return last_ = slot.position;
      }
      if (slot.check == check(hash) && keys_[slot.position] == key) return last_ = slot.position;
    }
  }

  std::size_t size() const { return keys_.size(); }
  const std::vector<Key>& keys() const { return keys_; }
  std::vector<Key> take_keys() { return std::move(keys_); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  struct Slot {
    std::uint32_t check = 0;
    std::uint32_t position = kFree;
  };

  // Hashes of numbers are the numbers themselves, of which only the high bits may differ.
  static std::uint64_t mixed(std::uint64_t hash) {
    hash *= 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 32U;
  }
  static std::uint32_t check(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }
  std::size_t place(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(slots_.empty() ? 256 : 2 * slots_.size(), {});
    for (std::uint32_t position = 0; position < keys_.size(); ++position) {
      const std::uint64_t hash = mixed(Hash{}(keys_[position]));
      std::size_t at = place(hash);
      while (slots_[at].position != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {check(hash), position};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Key> keys_;
  std::uint32_t last_ = 0;
};

using InternedTexts = Interned<std::string, std::hash<std::string_view>>;

}  // namespace proofline
