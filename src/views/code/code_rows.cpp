// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_rows.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "arch/mnemonics.h"

namespace proofline {

Document compose_code_rows(const CodeReport& report) {
  Table table{{{"Function"}, {"Arch"}, {"Container"}, {"Opcode"}, {"Class"}, {"Bytes"}, {"Count"}},
              {}};
  for (const FunctionReport& function : report.functions) {
    for (const auto& row : function.stats.opcodes) {
      const std::uint32_t width = access_width(row.opcode);
      table.rows.push_back({{function.shown},
                            {function.arch},
                            {function.container},
                            {std::string(row.opcode)},
                            {std::string(to_string(instruction_class(row.opcode)))},
                            width > 0 ? Cell{std::to_string(width), true} : Cell{},
                            {std::to_string(row.count), true}});
    }
  }
  return Document{{std::move(table)}};
}

Document compose_listing_rows(const CodeReport& report) {
  Table table{{{"Function"},
               {"Address"},
               {"Instruction"},
               {"Class"},
               {"Bytes"},
               {"Live"},
               {"Line"},
               {"Samples"},
               {"Stalled"},
               {"Executed"}},
              {}};
  for (const FunctionReport& function : report.functions) {
    for (const InstructionRow& row : function.rows) {
      table.rows.push_back(
          {{function.shown},
           {fmt::format("{:#06x}", row.address)},
           {row.text},
           {std::string(to_string(instruction_class(row.opcode)))},
           {std::to_string(access_width(row.opcode)), true},
           row.live ? Cell{std::to_string(*row.live), true} : Cell{},
           {row.line},
           {std::to_string(row.samples.samples), true},
           {std::to_string(row.samples.stalled), true},
           row.samples.executed ? Cell{std::to_string(*row.samples.executed), true} : Cell{}});
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline
