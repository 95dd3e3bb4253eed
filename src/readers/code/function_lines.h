// SPDX-License-Identifier: Apache-2.0
//
// From the rows of a cubin's line table to the source lines of one function's instructions, each
// line and file once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "model/code/line_table.h"
#include "model/code/listing.h"

namespace proofline {

class FunctionLines {
 public:
  FunctionLines(const LineTable& table, CodeFunction& function, std::size_t& path_bytes_left)
      : table_(table), function_(function), path_bytes_left_(path_bytes_left) {}

  // kNone where the names of files have used up what is left for them, which is then nothing.
  std::uint32_t line(const LineTable::Row& row);

 private:
  std::uint32_t add(const LineTable::Row& row, std::uint32_t inlined_at);
  std::uint32_t file(std::uint32_t index);

  const LineTable& table_;
  CodeFunction& function_;
  std::size_t& path_bytes_left_;
  std::unordered_map<const LineTable::Row*, std::uint32_t> rows_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> lines_;
  std::unordered_map<std::uint32_t, std::uint32_t> files_;
};

}  // namespace proofline
