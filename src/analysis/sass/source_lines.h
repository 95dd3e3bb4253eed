// SPDX-License-Identifier: Apache-2.0
//
// Which line of the user's source an instruction comes from.
#pragma once

#include <string>
#include <string_view>

#include "model/code/listing.h"

namespace proofline {

// Inlined calls within each other; deeper nesting is not of this world.
inline constexpr int kMostFrames = 256;

// The source line of an instruction; for code of the CUDA toolkit's headers, the line that calls
// it. Null where the function has no line for it.
const CodeLine* source_line(const CodeFunction& function, const Instruction& instruction);

// The same as text, "attention.cu:88"; "" where there is none.
std::string line_text(const CodeFunction& function, const Instruction& instruction);

// Whether a source file or its folder belongs to the CUDA toolkit or to the system.
bool in_toolkit(std::string_view path);

}  // namespace proofline
