// SPDX-License-Identifier: Apache-2.0
//
// PTX instructions and spellings that look like SASS, with the SASS that they become: a search of
// machine code for "wgmma" finds nothing. Checked by compiling each with ptxas 13.0 for sm_90a and
// sm_100a and looking at the opcodes.
#pragma once

#include <span>
#include <string_view>

namespace proofline {

struct PtxName {
  std::string_view ptx;   // whole parts of a name, in lower case: "st.shared.v4"
  std::string_view sass;  // alternatives with |, * for any letters; "" no instruction of its own
  std::string_view why;   // one or two sentences, or ""
};

std::span<const PtxName> ptx_names();

// The longest row that what was typed begins with, so that "st.shared.v4.b32" leads to st.shared.v4
// and "wgmma.*" to wgmma. Upper and lower case are the same. Null for what is on no row, and for
// SASS that is only spelled like PTX: BAR.SYNC.
const PtxName* find_ptx_name(std::string_view typed);

}  // namespace proofline
