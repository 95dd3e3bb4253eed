// SPDX-License-Identifier: Apache-2.0
//
// Decoding and searching a compiled-in table of names. The text is ours, so damage in it is a bug.
#include "vocabulary/name_table.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/characters.h"
#include "base/check.h"

namespace proofline {
namespace {

constexpr std::string_view kLegend = "@ ";

// The text before the separator, taken off the front of `rest` together with it.
std::size_t digit(char c) {
  CHECK(is_digit(c), "a row begins with two digits");
  return static_cast<std::size_t>(c - '0');
}

bool by_name(const NamedRow& row, std::string_view name) { return row.name < name; }

// Keeps names side by side: a table has thousands.
class NameKeeper {
 public:
  explicit NameKeeper(NameTable& table) : table_(table) {}

  std::string_view keep(std::string_view name) {
    if (name.size() > left_) {
      left_ = std::max(kBlock, name.size());
      next_ = table_.names.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
    }
    char* kept = next_;
    std::copy(name.begin(), name.end(), kept);
    next_ += name.size();
    left_ -= name.size();
    return {kept, name.size()};
  }

 private:
  static constexpr std::size_t kBlock = 65536;

  NameTable& table_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace

NameTable read_name_table(std::span<const std::string_view> chunks) {
  NameTable table;
  // Overestimates on purpose: reallocation costs more than untouched memory.
  constexpr std::size_t kShortestRow = 12;
  std::size_t bytes = 0;
  for (const std::string_view chunk : chunks) bytes += chunk.size();
  table.rows.reserve(bytes / kShortestRow);
  NameKeeper names(table);
  std::string above;
  for (std::string_view chunk : chunks) {
    while (!chunk.empty()) {
      std::string_view line = take_until('\n', chunk);
      if (line.starts_with(kLegend)) {
        line.remove_prefix(kLegend.size());
        while (!line.empty()) table.legend.push_back(take_until(' ', line));
        continue;
      }
      CHECK(line.size() > 2, "a row has a name");
      const std::size_t shared = digit(line[0]) * 10 + digit(line[1]);
      CHECK(shared <= above.size(), "a row shares at most all of the name above");
      line.remove_prefix(2);
      above.resize(shared);
      above += take_until(' ', line);
      table.rows.push_back({names.keep(above), line});
    }
  }
  return table;
}

const NamedRow* NameTable::find(std::string_view name) const {
  const auto row = std::lower_bound(rows.begin(), rows.end(), name, by_name);
  return row != rows.end() && row->name == name ? &*row : nullptr;
}

std::span<const NamedRow> NameTable::with_prefix(std::string_view prefix) const {
  const auto first = std::lower_bound(rows.begin(), rows.end(), prefix, by_name);
  const auto last = std::find_if_not(
      first, rows.end(), [&](const NamedRow& row) { return row.name.starts_with(prefix); });
  return {first, last};
}

}  // namespace proofline
