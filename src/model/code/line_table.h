// SPDX-License-Identifier: Apache-2.0
//
// Which source line each instruction of a module comes from. nvcc writes such a table with
// -lineinfo. Code of an inlined function has a row for the function's own line, which names the row
// of the line that called it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

struct LineTable {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Folder and name apart: joined, a few long folders would make a large table of a small file.
  struct File {
    std::uint32_t folder = kNone;  // index in folders
    std::string name;
  };
  // Holds from its offset to that of the next row.
  struct Row {
    std::uint32_t offset = 0;    // in the function's .text section
    std::uint32_t file = kNone;  // index in files
    std::uint32_t line = 0;      // 0: no source line
    std::uint32_t call = kNone;  // index of the row that called this inlined code: an earlier one
  };
  // Rows in the order of their offsets; the last one only marks the end.
  struct Stretch {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  struct Function {
    std::string name;        // mangled
    std::uint64_t size = 0;  // of its code, in bytes
    std::vector<Stretch> stretches;
  };

  const Function* function(std::string_view name) const;
  // Null where no row covers the offset. Of several rows at one offset it is the last, which is the
  // innermost of inlined functions.
  const Row* row(const Function& function, std::uint64_t offset) const;

  std::vector<std::string> folders;
  std::vector<File> files;
  std::vector<Function> functions;  // all of the module, sorted by name
  std::vector<Row> rows;
  std::string missing;  // why there are no rows
};

}  // namespace proofline
