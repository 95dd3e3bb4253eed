// SPDX-License-Identifier: Apache-2.0
//
// One command of this program, run as a process of its own for a client: what happens to it happens
// to nobody else, and it can be ended at any time with all that it started.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/process/process.h"

namespace proofline {

// What happens while a call runs.
struct CallEvents {
  std::function<void(std::string_view)> said;  // a line of its standard error
  std::function<bool()> tick;                  // at least ten times a second; false ends the call
};

struct CallEnd {
  ProgramEnd end;
  std::string output;
  std::string errors;     // the last few lines
  bool too_long = false;  // it was ended, since it printed more than kMostCallOutput
};

inline constexpr std::size_t kMostCallOutput = std::size_t{4} << 20;

// `program` is this one, as an absolute path.
Result<CallEnd> run_call(const std::string& program, const std::vector<std::string>& arguments,
                         const CallEvents& events);

}  // namespace proofline
