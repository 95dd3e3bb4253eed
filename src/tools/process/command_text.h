// SPDX-License-Identifier: Apache-2.0
//
// Commands as texts: those that we start, and the one that started us.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace proofline {

using Variables = std::vector<std::pair<std::string, std::string>>;

// A command that a shell would take: each word quoted where it must be.
std::string shell_command(const Variables& variables, const std::vector<std::string>& argv);

// What the user typed, without secrets and without our program's folder.
std::string own_command_line();

}  // namespace proofline
