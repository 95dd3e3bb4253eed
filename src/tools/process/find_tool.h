// SPDX-License-Identifier: Apache-2.0
//
// Finds the programs that we run of our own accord (NVIDIA's tools, git, dot, converters), and
// takes none that somebody else could have put there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/machine/machine.h"

namespace proofline {

// Where a tool may be: the entries of PATH, then the usual places of a CUDA toolkit.
std::vector<std::string> tool_folders();

// The first such program in these folders, with its absolute path without symbolic links: found,
// missing, or unsafe to run. It is not started.
MachineTool look_for_tool(std::string_view name, const std::vector<std::string>& folders);

// Its path. kTool where there is none, and where the first one is unsafe to run: an attack is not
// passed over in silence.
Result<std::string> find_tool(std::string_view name,
                              const std::vector<std::string>& folders = tool_folders());

// The user's own program, as a shell would find it: by PATH, or by the path that was given. Links
// stay, since some programs go by their name (a virtual environment's python). kInput where there
// is none that can be executed.
Result<std::string> find_program(const std::string& word);

// A program that is given by a relative path is meant in this folder; "" here. Others stay.
std::string path_in_folder(const std::string& word, const std::string& folder);

}  // namespace proofline
