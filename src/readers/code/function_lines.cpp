// SPDX-License-Identifier: Apache-2.0
#include "readers/code/function_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace proofline {

std::uint32_t FunctionLines::line(const LineTable::Row& row) {
  // From this row out to the outermost caller, or to one that is known already; then back.
  std::vector<const LineTable::Row*> chain;
  std::uint32_t line = Instruction::kNone;
  for (const LineTable::Row* at = &row;;) {
    if (const auto known = rows_.find(at); known != rows_.end()) {
      line = known->second;
      break;
    }
    chain.push_back(at);
    if (at->call == LineTable::kNone) break;
    at = &table_.rows[at->call];
  }
  std::reverse(chain.begin(), chain.end());
  for (const LineTable::Row* at : chain) {
    const bool has_place = at->file != LineTable::kNone && at->line != 0;
    if (has_place) line = add(*at, line);
    rows_.emplace(at, line);
  }
  return line;
}

std::uint32_t FunctionLines::add(const LineTable::Row& row, std::uint32_t inlined_at) {
  const std::uint32_t file_index = file(row.file);
  if (file_index == Instruction::kNone) return Instruction::kNone;
  const auto next = static_cast<std::uint32_t>(function_.lines.size());
  const auto [known, is_new] = lines_.try_emplace({file_index, row.line, inlined_at}, next);
  if (is_new) function_.lines.push_back({file_index, row.line, inlined_at});
  return known->second;
}

std::uint32_t FunctionLines::file(std::uint32_t index) {
  const auto next = static_cast<std::uint32_t>(function_.files.size());
  const auto [known, is_new] = files_.try_emplace(index, next);
  if (!is_new) return known->second;
  const LineTable::File& file = table_.files[index];
  const std::string_view folder = file.folder != LineTable::kNone && !file.name.starts_with('/')
                                      ? table_.folders[file.folder]
                                      : std::string_view{};
  const std::size_t bytes = folder.size() + 1 + file.name.size();
  if (bytes > path_bytes_left_) {
    path_bytes_left_ = 0;
    return known->second = Instruction::kNone;
  }
  path_bytes_left_ -= bytes;
  function_.files.push_back(folder.empty() ? file.name : fmt::format("{}/{}", folder, file.name));
  return next;
}

}  // namespace proofline
