// SPDX-License-Identifier: Apache-2.0
//
// Functions for tests of analyses, as lines of SASS with labels: "loop:" names the next
// instruction, and "BRA loop" goes there.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/sass/values.h"
#include "support/sass_code.h"

namespace proofline::test_support {

struct SassProgram {
  explicit SassProgram(const std::vector<std::string>& lines) {
    std::vector<SassLine> instructions;
    for (const std::string& line : lines) {
      if (line.ends_with(':')) {
        labels[line.substr(0, line.size() - 1)] = static_cast<std::uint32_t>(instructions.size());
      } else {
        instructions.push_back({line});
      }
    }
    for (SassLine& line : instructions) {
      const std::size_t last = line.text.rfind(' ');
      if (last == std::string::npos) continue;
      const auto label = labels.find(line.text.substr(last + 1));
      if (label != labels.end()) {
        line.text.replace(last + 1, std::string::npos, fmt::format("{:#x}", label->second * 16));
      }
    }
    code = sass_code(instructions, false);
    analyse();
  }
  SassProgram(const SassProgram&) = delete;  // the values point into the code
  SassProgram& operator=(const SassProgram&) = delete;

  // Anew, where a test has changed the function.
  void analyse() {
    code.flow = build_flow(code.function(), code.opcodes());
    values = std::make_unique<Values>(code.function(), code.flow, code.opcodes());
  }

  // The block that begins at a label.
  std::uint32_t block(const std::string& label) const {
    return code.flow.block_of[labels.at(label)];
  }

  SassCode code;
  std::map<std::string, std::uint32_t> labels;  // instructions
  std::unique_ptr<Values> values;
};

inline SassProgram sass_program(const std::vector<std::string>& lines) {
  return SassProgram(lines);
}

}  // namespace proofline::test_support
