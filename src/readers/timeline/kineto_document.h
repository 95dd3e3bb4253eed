// SPDX-License-Identifier: Apache-2.0
//
// The members around the events of PyTorch's Chrome trace: devices, rank, base time, warnings. They
// may come before or after the events.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/timeline/timeline.h"

namespace proofline {

enum class KinetoMembers {
  kEvents,     // the bracket that opens the events has been taken
  kEnd,        // the object's end has been taken
  kBrokenOff,  // the text ends before either
  kMalformed,
};

// Reads members of the document's object into the timeline, from `at` on, which is moved. The text
// is followed by kScanPadding zero bytes.
KinetoMembers read_kineto_members(std::string_view text, std::size_t& at, Timeline& timeline);

// "rank-34.Jul_15.pt.trace.json.gz", "worker0.pt.trace.json": the rank by the file's name, for
// traces that do not say it.
std::optional<std::uint32_t> rank_in_name(std::string_view path);

}  // namespace proofline
