// SPDX-License-Identifier: Apache-2.0
//
// Keeps secrets out of what we print: a report holds the command line and the whole environment of
// the person who recorded it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline {

// A command line with the values of words that look like secrets (--token=..., PASSWORD=...,
// https://user:word@host) replaced by "<redacted>".
std::string redact_command(std::string_view command);

// The variables of an environment block ("A=1\nB=2", separated by newlines, semicolons or NUL).
// Values are "<redacted>" except for the few that change how a GPU program runs.
std::vector<std::pair<std::string, std::string>> redact_environment(std::string_view block);

}  // namespace proofline
