// SPDX-License-Identifier: Apache-2.0
//
// The functions of a cubin: their instructions as encodings, without text; what they use of the
// GPU's resources; and the source lines they come from. All readers of binaries share this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "readers/code/read_code.h"

namespace proofline {

// Gives the functions to the sink in the order of their sections, and says how many there are: none
// is no error. The compiler becomes the listing's producer where that has none yet. Time and memory
// are linear in the cubin's size. `container` says which cubin of several this is.
Result<std::size_t> read_cubin_code(std::string_view bytes, const std::string& container,
                                    Listing& listing, const FunctionSink& sink);

}  // namespace proofline
