// SPDX-License-Identifier: Apache-2.0
//
// Many inputs at once: folders are the files in them that can be used, patterns the files they
// match, and a bad file does not keep the good ones from being read.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/note.h"
#include "readers/format.h"

namespace proofline {

struct InputFiles {
  std::vector<std::string> paths;
  std::vector<Note> notes;  // what was passed over in folders
};

// The arguments as they are, but for folders, of which the files of these kinds are taken, at any
// depth and sorted, and for patterns with *, ? or [ that no shell resolved. kInput where a folder
// or pattern gives nothing.
Result<InputFiles> find_inputs(const std::vector<std::string>& arguments,
                               std::initializer_list<InputKind> wanted, const InputLimits& limits);

// Reads each. A single file's error is the result; of several, those that fail are losses in the
// notes, unless all do.
Result<void> read_each(InputFiles& files,
                       const std::function<Result<void>(const std::string& path)>& read);

}  // namespace proofline
