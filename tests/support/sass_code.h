// SPDX-License-Identifier: Apache-2.0
//
// Small functions for tests of analyses: given as lines of SASS, printed as cuobjdump would, and
// read by the real reader.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sass/flow.h"
#include "analysis/sass/operands.h"
#include "readers/code/read_code.h"

namespace proofline::test_support {

struct SassLine {
  std::string text;
  Control control = {};
  std::uint64_t low = 0;  // of the encoding
};

// The result of an instruction goes to this scoreboard.
inline Control sets(std::uint8_t scoreboard) {
  Control control;
  control.write_barrier = scoreboard;
  return control;
}

// This scoreboard tells when an instruction has read its operands.
inline Control frees(std::uint8_t scoreboard) {
  Control control;
  control.read_barrier = scoreboard;
  return control;
}

inline Control awaits(std::uint8_t mask, Control control = {}) {
  control.wait_mask = mask;
  return control;
}

struct SassCode {
  Listing listing;
  Flow flow;

  CodeFunction& function() { return listing.functions.at(0); }
  const CodeFunction& function() const { return listing.functions.at(0); }
  const OpcodeNames& opcodes() const { return listing.opcodes; }
};

// Instructions are 16 bytes apart, from address 0; branches name addresses.
inline SassCode sass_code(const std::vector<SassLine>& lines, bool with_encodings = true) {
  std::string text = "\tcode for sm_90a\n\t\tFunction : kernel\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("        /*{:04x}*/  {} ;", i * 16, lines[i].text);
    if (with_encodings) {
      const Control& control = lines[i].control;
      const std::uint64_t high = std::uint64_t{control.write_barrier} << 46U |
                                 std::uint64_t{control.read_barrier} << 49U |
                                 std::uint64_t{control.wait_mask} << 52U;
      text += fmt::format("  /* {:#018x} */\n  /* {:#018x} */", lines[i].low, high);
    }
    text += "\n";
  }
  text += "\t\t..........\n";
  SassCode code;
  auto input = Input::from_memory(text, "test");
  EXPECT_TRUE(input);
  auto listing = read_code(*input);
  EXPECT_TRUE(listing);
  code.listing = std::move(*listing);
  EXPECT_EQ(code.function().instructions.size(), lines.size());
  CodeCompleter(code.listing.opcodes).complete(code.function());
  code.flow = build_flow(code.function(), code.opcodes());
  return code;
}

}  // namespace proofline::test_support
