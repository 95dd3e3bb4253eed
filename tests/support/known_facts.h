// SPDX-License-Identifier: Apache-2.0
//
// Every fact that some analysis publishes, by its exact name. The catalogue alone would not do:
// its "stall.<reason>.share" fits a misspelt reason too.
#pragma once

#include <functional>
#include <set>
#include <string>

namespace proofline {

const std::set<std::string, std::less<>>& known_facts();

}  // namespace proofline
