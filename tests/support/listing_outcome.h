// SPDX-License-Identifier: Apache-2.0
//
// What a reader of listings makes of a text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/code/read_code.h"
#include "readers/format.h"

namespace proofline {

struct ListingOutcome {
  Listing listing;
  std::string error;

  const CodeFunction& function(std::size_t index = 0) const { return listing.functions.at(index); }
  // "line 7: what (2)" of every note.
  std::string notes() const {
    std::string all;
    for (const Note& note : listing.notes) {
      EXPECT_EQ(note.kind, NoteKind::kLoss);
      all += fmt::format("{}: {} ({})\n", note.place, note.what, note.count);
    }
    return all;
  }
};

inline ListingOutcome read_listing(const Format& format, std::string_view text) {
  ListingOutcome outcome;
  auto input = Input::from_memory(text, "listing");
  std::vector<CodeFunction> functions;
  const auto keep = [&](CodeFunction&& function) { functions.push_back(std::move(function)); };
  if (const auto result = format.read_code(*input, outcome.listing, keep); !result) {
    outcome.error = result.error().message;
  }
  outcome.listing.functions = std::move(functions);
  return outcome;
}

// "0: NOP" of every instruction, with "-> 10" where it has a target.
inline std::string code(const CodeFunction& function) {
  std::string all;
  for (const Instruction& one : function.instructions) {
    all += fmt::format("{:x}: {}", one.address, function.text_of(one));
    if (one.target != Instruction::kNone) all += fmt::format(" -> {:x}", one.target);
    all += '\n';
  }
  return all;
}

}  // namespace proofline
