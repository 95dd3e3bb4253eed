// SPDX-License-Identifier: Apache-2.0
//
// Small functions for tests of patterns, as lines of a listing, and what patterns say of them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sass/expectations.h"
#include "analysis/sass/flow.h"
#include "base/input.h"
#include "readers/code/read_code.h"

namespace proofline::test_support {

// A line of a small program: an instruction, how often it is repeated, and its name for branches,
// which write it in braces: {"BRA {loop}"}.
struct CodeLineText {
  std::string text;
  int times = 1;
  std::string label = {};
};

inline std::string listing_of(const std::vector<CodeLineText>& lines) {
  std::map<std::string, int> labels;
  int address = 0;
  for (const CodeLineText& line : lines) {
    if (!line.label.empty()) labels[line.label] = address;
    address += 16 * line.times;
  }
  std::string listing = "\t\tFunction : kernel\n";
  address = 0;
  for (CodeLineText line : lines) {
    for (const auto& [label, target] : labels) {
      const std::size_t at = line.text.find("{" + label + "}");
      if (at != line.text.npos) {
        line.text.replace(at, label.size() + 2, fmt::format("0x{:x}", target));
      }
    }
    for (int i = 0; i < line.times; ++i, address += 16) {
      listing += fmt::format("        /*{:04x}*/  {} ;\n", address, line.text);
    }
  }
  return listing + "\t\t..........\n";
}

class ExpectedCode {
 public:
  explicit ExpectedCode(const std::vector<CodeLineText>& lines) {
    const std::string text = listing_of(lines);
    auto input = Input::from_memory(text, "listing", {});
    EXPECT_TRUE(input);
    auto listing = read_code(*input);
    EXPECT_TRUE(listing) << (listing ? "" : listing.error().message);
    if (!listing || listing->functions.size() != 1) return;
    function = std::move(listing->functions[0]);
    opcodes = std::move(listing->opcodes);
    scope.hot_loop = 0;
  }

  Expectation expect(std::string_view text) const { return check(text, false); }
  Expectation forbid(std::string_view text) const { return check(text, true); }

  CodeFunction function;
  OpcodeNames opcodes;
  PatternScope scope;

 private:
  Expectation check(std::string_view text, bool forbid) const {
    const auto pattern = parse_pattern(text);
    EXPECT_TRUE(pattern) << (pattern ? "" : pattern.error().message);
    if (!pattern) return {};
    return evaluate(*pattern, forbid, function, build_flow(function, opcodes), opcodes, scope);
  }
};

// Whatever the verdict, it says why.
inline std::string_view verdict(const Expectation& expectation) {
  EXPECT_FALSE(expectation.text.empty());
  return to_string(expectation.verdict);
}

}  // namespace proofline::test_support
