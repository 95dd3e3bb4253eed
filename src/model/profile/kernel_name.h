// SPDX-License-Identifier: Apache-2.0
//
// The short name of a kernel: what people call it when they talk about it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace proofline {

// "void ns::scale<float, 4>(float*, int)" -> "scale": without return type, namespaces, template
// arguments and parameters. Text that is no demangled C++ name (a mangled name, the label of a
// range) comes back whole. Linear time; never fails.
std::string short_function_name(std::string_view demangled);

// Where the first ABI tag of a name begins; npos if it has none. Numba writes the types and flags
// that it compiled a function for into such tags: "f[abi:v1][abi:cw51cXTL](int)", which NVIDIA's
// tools print as "f[abi:v1,cw51cXTL](int)" or "f[v1,cw51cXTL](int)".
std::size_t abi_tags(std::string_view demangled);

}  // namespace proofline
