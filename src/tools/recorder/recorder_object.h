// SPDX-License-Identifier: Apache-2.0
//
// The shared object of trace/ as this binary carries it (trace/embedded.cpp).
#pragma once

#include <string_view>

namespace proofline {

std::string_view recorder_object();

}  // namespace proofline
