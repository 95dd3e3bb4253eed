// SPDX-License-Identifier: Apache-2.0
//
// The names of an Nsight Systems export. Its events name things by numbers that a table of strings
// explains, which holds far more than the events need and is read after them. So events get numbers
// of ours first, and those of the timeline's names in the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/interned.h"

namespace proofline {

class NsysNames {
 public:
  // A kernel by the numbers of its full and of its short name: trimmed exports lack one of them.
  std::uint32_t kernel(std::int64_t full, std::int64_t brief) {
    return of({Use::kKernel, full, brief});
  }
  // By the number of a string.
  std::uint32_t string(std::int64_t string) { return of({Use::kAsItIs, string, 0}); }
  std::uint32_t call(std::int64_t string) { return of({Use::kCall, string, 0}); }
  // An NVTX range; domain is what `domain` gave, 0 for the usual one.
  std::uint32_t range(std::int64_t string, std::uint32_t domain) {
    return of({Use::kRange, string, domain});
  }
  std::uint32_t range(std::string_view text, std::uint32_t domain);
  std::uint32_t graph(std::int64_t graph) { return of({Use::kGraph, graph, 0}); }
  std::uint32_t overhead(std::int64_t type) { return of({Use::kOverhead, type, 0}); }
  // Numbers as nsys has them: of the kind of copy, and of the memory on both sides, -1 where
  // unknown.
  std::uint32_t copy(std::int64_t kind, std::int64_t from, std::int64_t to);
  std::uint32_t set(std::int64_t memory) { return of({Use::kSet, memory, 0}); }

  // A domain of ranges, and later its name.
  std::uint32_t domain(std::uint64_t process, std::int64_t id);
  void name_domain(std::uint32_t domain, std::string_view text) { domain_names_[domain] = text; }
  void name_domain(std::uint32_t domain, std::int64_t string) { domain_strings_[domain] = string; }

  // What the table of strings has to be asked for, and what it answers.
  void want_strings();
  void answer(std::int64_t string, std::string_view text);

  // By the numbers given out above, the positions of the final names among those of the timeline.
  struct Resolved {
    std::vector<std::uint32_t> positions;
    std::vector<bool> is_operator;  // by the same numbers: a range that PyTorch made for one
    std::uint64_t missing = 0;      // strings that the table does not have
  };
  Resolved resolve(InternedTexts& names) const;

 private:
  enum class Use : std::uint8_t {
    kAsItIs,
    kKernel,
    kCall,
    kRange,
    kRangeText,
    kGraph,
    kOverhead,
    kCopy,
    kSet
  };
  struct Key {
    Use use = Use::kAsItIs;
    std::int64_t id = 0;     // of a string, or another key
    std::int64_t other = 0;  // the domain of a range, the other name of a kernel

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>(
          hash_of({static_cast<std::uint64_t>(key.use), static_cast<std::uint64_t>(key.id),
                   static_cast<std::uint64_t>(key.other)}));
    }
  };
  struct Domain {
    std::uint64_t process = 0;
    std::int64_t id = 0;

    friend bool operator==(const Domain&, const Domain&) = default;
  };
  struct DomainHash {
    std::size_t operator()(const Domain& domain) const {
      return static_cast<std::size_t>(
          hash_of({domain.process, static_cast<std::uint64_t>(domain.id)}));
    }
  };
  struct Text {
    std::string text;
    bool is_operator = false;
  };

  std::uint32_t of(const Key& key) { return keys_.position(key); }
  const std::string* find(std::int64_t string) const;
  std::string in_domain(std::int64_t domain, std::string_view text) const;
  Text text_of(const Key& key, std::uint64_t& missing) const;

  Interned<Key, KeyHash> keys_;
  InternedTexts range_texts_;  // of ranges that carry their text themselves
  std::string marked_;         // the last of them: there are millions, and one buffer does
  Interned<Domain, DomainHash> domains_;
  std::unordered_map<std::int64_t, std::string> domain_names_;
  std::unordered_map<std::int64_t, std::int64_t> domain_strings_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::unordered_set<std::int64_t> answered_;
};

}  // namespace proofline
