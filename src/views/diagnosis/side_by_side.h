// SPDX-License-Identifier: Apache-2.0
//
// Several configurations of one program beside each other: for each kernel that they have in
// common what was changed, how long it takes, what binds it, and the numbers after that.
#pragma once

#include <span>
#include <string>

#include "model/diagnosis/diagnosis.h"
#include "views/document.h"

namespace proofline {

struct ConfigResult {
  std::string name;
  std::string arguments;
  const Diagnosis* diagnosis;
};

// Adds a table for each kernel that at least two of them have, with a column for each of them; and
// says which one is the fastest.
void add_side_by_side(std::span<const ConfigResult> configs, Document& document);

}  // namespace proofline
