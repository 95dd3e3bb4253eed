// SPDX-License-Identifier: Apache-2.0
//
// Texts by number: each is kept once, in the order in which they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline {

// Text is std::string, or std::string_view where what it points to lives long enough.
template <class Text>
class Interner {
 public:
  std::uint32_t add(std::string_view text) {
    if (2 * texts_.size() >= slots_.size()) grow();
    const std::size_t hash = std::hash<std::string_view>()(text);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      Slot& slot = slots_[at];
      if (slot.number == kFree) {
        slot = {static_cast<std::uint32_t>(hash >> 32U), static_cast<std::uint32_t>(texts_.size())};
        texts_.emplace_back(text);
        return slot.number;
      }
      if (slot.check == static_cast<std::uint32_t>(hash >> 32U) && texts_[slot.number] == text) {
        return slot.number;
      }
    }
  }

  const std::vector<Text>& texts() const { return texts_; }
  std::vector<Text> take_texts() { return std::move(texts_); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  struct Slot {
    std::uint32_t check = 0;
    std::uint32_t number = kFree;
  };

  void grow() {
    std::vector<Slot> larger(slots_.empty() ? 256 : 2 * slots_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::uint32_t number = 0; number < texts_.size(); ++number) {
      const std::size_t hash = std::hash<std::string_view>()(texts_[number]);
      std::size_t at = hash & mask;
      while (larger[at].number != kFree) at = (at + 1) & mask;
      larger[at] = {static_cast<std::uint32_t>(hash >> 32U), number};
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::vector<Text> texts_;
};

}  // namespace proofline
