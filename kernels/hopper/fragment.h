// SPDX-License-Identifier: Apache-2.0
//
// Which thread holds which element of a wgmma accumulator: D is 64 x N fp32 values in the registers
// of 128 threads, N / 2 per thread, float d[N / 2].
//
// Warp w of the warpgroup has rows 16w to 16w + 15. Within these sixteen rows, the lane that holds
// each element (columns 0 to 15; the pattern goes on every 8 columns):
//
//   column    0   1    2   3    4   5    6   7     8   9   10  11   12  13   14  15
//           +--------+--------+--------+--------+--------+--------+--------+--------+
//   row 0   |   T0   |   T1   |   T2   |   T3   |   T0   |   T1   |   T2   |   T3   |
//   row 1   |   T4   |   T5   |   T6   |   T7   |   T4   |   T5   |   T6   |   T7   |
//    ...    |        d[0], d[1] of each         |        d[4], d[5] of each         |
//   row 7   |   T28  |   T29  |   T30  |   T31  |   T28  |   T29  |   T30  |   T31  |
//           +--------+--------+--------+--------+--------+--------+--------+--------+
//   row 8   |   T0   |   T1   |   T2   |   T3   |   T0   |   T1   |   T2   |   T3   |
//    ...    |        d[2], d[3] of each         |        d[6], d[7] of each         |
//   row 15  |   T28  |   T29  |   T30  |   T31  |   T28  |   T29  |   T30  |   T31  |
//           +--------+--------+--------+--------+--------+--------+--------+--------+
//
// So lane l = 4r + q holds, of every 8 columns i, columns 8i + 2q and 8i + 2q + 1: of row r in
// d[4i], d[4i + 1] (the "upper" row) and of row r + 8 in d[4i + 2], d[4i + 3] (the "lower" row).
//
// The A operand from registers (m64k16, bf16) has the layout of 16 such columns with two values per
// register: a[0] row r, k 2q and 2q + 1; a[1] row r + 8; a[2] and a[3] the same at k + 8. The four
// 8 x 8 matrices of ldmatrix.x4 and stmatrix.x4 are its quarters, in this order. mma.sync m16n8k16
// has the same layouts for its 16 rows.
//
// Host code too: tests/unit/hopper_layout_test.cpp enumerates every element.
#pragma once

#include <cstdint>

#include "descriptor.h"

namespace hopper {

// Row and column of d[i] in the 64 x N tile; `thread` is 0 to 127.
HOPPER_BOTH constexpr std::uint32_t accumulator_row(std::uint32_t thread, std::uint32_t i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
HOPPER_BOTH constexpr std::uint32_t accumulator_column(std::uint32_t thread, std::uint32_t i) {
  return i / 4 * 8 + thread % 4 * 2 + i % 2;
}

}  // namespace hopper
