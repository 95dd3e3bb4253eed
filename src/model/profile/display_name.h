// SPDX-License-Identifier: Apache-2.0
//
// Kernel names as ncu prints them. Demangled names are long; ncu shortens them by what the whole
// report has in common:
//
//   void at::native::reduce_kernel<(int)512, (int)1, at::native::MeanOps<float>>(T3)
//   void native::reduce_kernel<512, 1, native::MeanOps<float>>(T3)
//
// Casts before numbers go. Of several namespaces before a name only one stays: the one that the
// fewest of the report's names have (the first of equals), and none that all of them have.
// Read off ncu 2025.3.1's output; it holds for all 78 names that were seen shortened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/profile/profile.h"

namespace proofline {

// The name of each launch, in order.
std::vector<std::string> display_names(const Profile& profile);

// "void native::reduce_kernel<512, 1>(T3)" -> "native::reduce_kernel<512, 1>", for narrow tables.
// ABI tags at the end go too: "add[abi:v1,cw51cXTL](int)" -> "add".
std::string_view without_signature(std::string_view display_name);

}  // namespace proofline
