// SPDX-License-Identifier: Apache-2.0
//
// Facts about where in the code warps stall, by PC samples.
#pragma once

#include <cstddef>

#include "model/diagnosis/fact_info.h"

namespace proofline {

namespace facts {

inline constexpr FactInfo kHotSamples = {
    .name = "hot.samples",
    .meaning = "PC samples of this launch, each of which saw one warp in one state.",
};
inline constexpr FactFamily<std::size_t> kHotAddress = {{
    .name = "hot[<i>].address",
    .meaning = "Offset in its function of the instruction with the i-th most samples of stalled "
               "warps; the address itself where the file does not tell the function.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kHotFunction = {{
    .name = "hot[<i>].function",
    .meaning = "The function, mangled, that this instruction belongs to.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kHotShare = {{
    .name = "hot[<i>].share",
    .unit = kShare,
    .meaning = "Samples of warps stalled at this instruction, over all samples.",
}};
inline constexpr FactFamily<std::size_t> kHotReason = {{
    .name = "hot[<i>].reason",
    .meaning = "What most of the warps stalled at this instruction wait for.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kHotInstExecuted = {{
    .name = "hot[<i>].inst_executed",
    .unit = "inst",
    .meaning = "How often warps executed this instruction.",
}};
inline constexpr FactFamily<std::size_t> kHotLine = {{
    .name = "hot[<i>].line",
    .meaning = "Its source line; for code of the CUDA toolkit's headers, the line that calls it.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kHotInlinedAt = {{
    .name = "hot[<i>].inlined_at",
    .meaning = "The kernel's own line into which that line's function was inlined.",
    .text = true,
}};
inline constexpr FactInfo kHotLinesAvailable = {
    .name = "hot.lines.available",
    .meaning = "\"yes\", or why instructions cannot be traced to source lines.",
    .text = true,
};
inline constexpr FactFamily<std::size_t> kHotLinePlace = {{
    .name = "hot.line[<i>].place",
    .meaning = "The source line with the i-th most samples of stalled warps.",
    .text = true,
}};
inline constexpr FactFamily<std::size_t> kHotLineShare = {{
    .name = "hot.line[<i>].share",
    .unit = kShare,
    .meaning = "Samples of warps stalled at this line, over all samples.",
}};
inline constexpr FactFamily<std::size_t> kHotLineReason = {{
    .name = "hot.line[<i>].reason",
    .meaning = "What most of the warps stalled at this line wait for.",
    .text = true,
}};

}  // namespace facts

inline constexpr FactInfo kHotSpotsFacts[] = {
    facts::kHotSamples,        facts::kHotAddress.info,   facts::kHotFunction.info,
    facts::kHotShare.info,     facts::kHotReason.info,    facts::kHotInstExecuted.info,
    facts::kHotLine.info,      facts::kHotInlinedAt.info, facts::kHotLinesAvailable,
    facts::kHotLinePlace.info, facts::kHotLineShare.info, facts::kHotLineReason.info,
};

}  // namespace proofline
