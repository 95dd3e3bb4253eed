// SPDX-License-Identifier: Apache-2.0
//
// What a project keeps, here or, as git does it, in the nearest folder above.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proofline {

// The path of the nearest `name` (".proofline/journal.sqlite") from this folder up to the home
// folder or the root; "" where there is none. One of another user is not taken by accident: what is
// read there would be their word, what is written theirs to read. `instead`, "--journal", is what
// takes it nevertheless. kStorage.
Result<std::string> find_above(std::string_view name, std::string_view instead);

}  // namespace proofline
