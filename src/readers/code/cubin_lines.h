// SPDX-License-Identifier: Apache-2.0
//
// The source lines of a cubin's instructions, from the table that nvcc -lineinfo and Triton leave
// in it. libdw reads such tables too, but not these well enough: it sorts the rows of all functions
// by address, and in a cubin every function begins at zero; it counts the rows of inlined calls
// from the table's start and not from the function's; and 1 MB of crafted names cost it 4 GB.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "model/code/line_table.h"
#include "model/profile/profile.h"

namespace proofline {

struct CubinLines {
  LineTable table;  // without rows it says why
  // Where the functions were loaded. Only reports of ncu before 2022.2 keep this in the cubin.
  std::vector<Symbol> functions;
  bool damaged = false;     // part of the table, or all of it, could not be read
  bool unreadable = false;  // it is no cubin, or one that is cut
};

// Never fails: what cannot be read is missing from the table. Time and memory are linear in the
// cubin's size, and the table has at most max_rows.
CubinLines read_cubin_lines(std::string_view cubin, std::size_t max_rows);

// Equal for cubins of which read_cubin_lines tells the same. Leaves out what says nothing about
// lines, code above all: it is nearly all of a library's cubin.
std::size_t hash_of_lines(std::string_view cubin);

}  // namespace proofline
