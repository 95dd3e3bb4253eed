// SPDX-License-Identifier: Apache-2.0
//
// What a disassembler's text says of an instruction besides the names of its registers and labels:
// "FADD R5, -R4, 1.5" is "FADDR#,-R#,1.5". Operands keep less: no fractions, no |R4|, no SR_TID.X.
#pragma once

#include <string>

#include "model/code/listing.h"

namespace proofline {

// Writes it to `skeleton`. Where a branch goes is left out if it is in the function.
void write_skeleton(const CodeFunction& function, const Instruction& instruction,
                    std::string& skeleton);

}  // namespace proofline
