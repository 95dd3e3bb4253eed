// SPDX-License-Identifier: Apache-2.0
//
// What copies and messages are told apart by, in words: "HtoD", "pageable", "1 MiB and more".
#pragma once

#include <string_view>

#include "analysis/timeline/tables.h"
#include "model/timeline/timeline.h"

namespace proofline {

std::string_view direction_text(CopyDirection direction);
std::string_view memory_text(HostMemory memory);
std::string_view size_text(CopySize size);

}  // namespace proofline
