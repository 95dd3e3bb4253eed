// SPDX-License-Identifier: Apache-2.0
//
// Who keeps an SQLite file locked, for the message to those who wait.
#pragma once

#include <string>

namespace proofline {

// "process 1234 (proofline)"; "another process" where the kernel does not tell.
std::string lock_holder(const std::string& path);

}  // namespace proofline
