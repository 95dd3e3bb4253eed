// SPDX-License-Identifier: Apache-2.0
//
// A table made to fit a terminal. In this order, as far as needed: dispensable columns are left
// out, elastic ones shortened in the middle, then other texts; and where even that is too wide, the
// table goes on below itself, each part with the first column.
//
//   softmax_block...56, 256]      names that stay different when shortened
//   smsp__...mio_throttle...ratio where they would look alike, what differs is kept
//   gemm<1...__half>)#712632ed    and where that is too long, a hash tells them apart
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "views/document.h"

namespace proofline {

struct FittedTable {
  std::vector<TableColumn> columns;
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> rows;  // escaped; the first one holds the titles
  std::vector<std::vector<Tone>> tones;        // of the rows' cells, as `rows`
};

// One part, or several that stand below each other. A width of 0 shortens names only, where they
// are longer than anyone reads.
std::vector<FittedTable> fit_table(const Table& table, std::size_t width);

// The space between two columns.
inline constexpr std::string_view kColumnGap = "  ";
// A longer cell sticks out instead of padding every other row: one hostile name of 10 MB must not
// make each row that long.
inline constexpr std::size_t kMaxPadding = 200;

}  // namespace proofline
