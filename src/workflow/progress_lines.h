// SPDX-License-Identifier: Apache-2.0
//
// How a program that runs a command of ours asks to see its progress: as lines on standard error,
// which is no terminal there.
#pragma once

namespace proofline {

inline constexpr const char* kProgressVariable = "PROOFLINE_PROGRESS";
inline constexpr const char* kProgressLines = "lines";

}  // namespace proofline
