// SPDX-License-Identifier: Apache-2.0
//
// The journal is a list of entries that only grows: an attempt is opened before anything is done,
// each result is added as it comes, and the verdict closes it. An attempt's present state is the
// sum of its entries. Each entry carries the hash of the one before it, so that a changed, lost or
// inserted entry shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace proofline {

// What somebody wants to have written.
struct NewEntry {
  std::string id;       // 32 hex digits, chosen by the writer: written twice, it is stored once
  std::string attempt;  // the id of the entry that opened the attempt; "" for the others
  std::string kind;     // "open", "correctness", "benchmark", "profile", "decision", "close", ...
  std::string body;     // a JSON object, as text
};

struct JournalEntry {
  std::string chain;           // which journal wrote it: 32 hex digits
  std::uint64_t sequence = 0;  // in its chain; the first is 1
  std::string id;
  std::string attempt;
  std::string kind;
  std::string written;  // "2026-11-15T16:40:00.123Z"
  std::string body;
  std::string previous;  // hash of the entry before it in the chain; of the first: 64 zeros
  std::string hash;      // of all of the above
};

// A note that belongs to no attempt.
struct Remark {
  std::string written;
  std::string text;
};

// The last entry that a chain was given. Without it, nobody would miss entries at its end.
struct ChainHead {
  std::string chain;
  std::uint64_t sequence = 0;
  std::string hash;
};

// Where a chain is not what was written.
struct ChainBreak {
  std::string chain;
  std::uint64_t sequence = 0;
  std::string what;  // "its text is not what was hashed", "entry 7 is missing"
};

struct Verification {
  std::uint64_t entries = 0;
  std::uint64_t chains = 0;
  std::vector<ChainBreak> breaks;
};

}  // namespace proofline
