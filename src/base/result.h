// SPDX-License-Identifier: Apache-2.0
//
// How library code reports that it cannot continue: Result<T> holds a value or an Error. Loss that
// we survive is not an error but a Note (model/note.h); our own bugs are a CHECK (base/check.h).
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace proofline {

// What went wrong, by who can fix it. The command line maps each kind to one exit code.
enum class ErrorKind {
  kUsage,        // the request itself makes no sense
  kInput,        // a file is missing, unreadable, damaged or of no known format
  kStorage,      // an output could not be written
  kTool,         // an external program is missing or failed
  kTimeLimit,    // an external program ran past its time limit and was ended
  kPermission,   // the machine does not let this user read the GPU's counters
  kInterrupted,  // the user asked to stop
};

// One sentence with place, cause and next step; text from files is quoted and escaped in it.
struct Error {
  ErrorKind kind;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

}  // namespace proofline
