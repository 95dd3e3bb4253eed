// SPDX-License-Identifier: Apache-2.0
//
// Facts of the roofline, by level of memory and by precision.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/diagnosis/fact_info.h"
#include "vocabulary/levels.h"

namespace proofline {

// The precisions of the vector pipes. Those of the tensor cores are what the report names.
enum class Precision : std::uint8_t { kFp64, kFp32, kFp16 };
constexpr std::string_view to_string(Precision value) {
  switch (value) {
    case Precision::kFp64: return "fp64";
    case Precision::kFp32: return "fp32";
    case Precision::kFp16: return "fp16";
  }
  return "";
}

namespace facts {

inline constexpr FactFamily<Precision> kRooflinePrecisionAchieved = {{
    .name = "roofline.<precision>.achieved",
    .unit = "FLOP/s",
    .meaning = "Operations a second: fp64, fp32, fp16 (vector pipes) and tensor-<type>.",
}};
inline constexpr FactFamily<Precision> kRooflinePrecisionPeak = {{
    .name = "roofline.<precision>.peak",
    .unit = "FLOP/s",
    .meaning = "The device's peak for them at its clocks.",
}};
inline constexpr FactInfo kRooflinePrecision = {
    .name = "roofline.precision",
    .meaning = "The precision with the most operations relative to its peak.",
    .text = true,
    .words = "precision: @",
};
inline constexpr FactInfo kRooflineAchieved = {
    .name = "roofline.achieved",
    .unit = "FLOP/s",
    .meaning = "Operations a second in that precision.",
    .words = "@",
};
inline constexpr FactInfo kRooflinePeak = {
    .name = "roofline.peak",
    .unit = "FLOP/s",
    .meaning = "The peak in that precision.",
    .words = "peak @",
};
inline constexpr FactFamily<Level> kRooflineLevelBandwidth = {{
    .name = "roofline.<level>.bandwidth",
    .unit = "byte/s",
    .meaning = "Bytes a second at that level: dram, l2, l1.",
}};
inline constexpr FactFamily<Level> kRooflineLevelPeakBandwidth = {{
    .name = "roofline.<level>.peak_bandwidth",
    .unit = "byte/s",
    .meaning = "Its peak at the clocks of the launch.",
}};
inline constexpr FactFamily<Level> kRooflineLevelIntensity = {{
    .name = "roofline.<level>.intensity",
    .unit = "FLOP/byte",
    .meaning = "Operations of the main precision a byte.",
}};
inline constexpr FactFamily<Level> kRooflineLevelRidge = {{
    .name = "roofline.<level>.ridge",
    .unit = "FLOP/byte",
    .meaning = "The intensity at which both roofs meet.",
}};
inline constexpr FactFamily<Level> kRooflineLevelRoof = {{
    .name = "roofline.<level>.roof",
    .unit = "FLOP/s",
    .meaning = "What the roofs allow at this intensity.",
}};
inline constexpr FactFamily<Level> kRooflineLevelFraction = {{
    .name = "roofline.<level>.fraction",
    .unit = kShare,
    .meaning = "Achieved operations over that roof.",
}};
inline constexpr FactFamily<Level> kRooflineLevelPosition = {{
    .name = "roofline.<level>.position",
    .meaning = "left (memory side: raise intensity or bandwidth), right (compute side: feed the "
               "pipe), on (at least 0.9 of the roof) or above (broken measurement).",
    .text = true,
}};
inline constexpr FactGrid<Level, std::string_view> kRooflinePointIntensity = {{
    .name = "roofline.<level>.<precision>.intensity",
    .unit = "FLOP/byte",
    .meaning = "The same for one precision.",
}};
inline constexpr FactGrid<Level, std::string_view> kRooflinePointRidge = {{
    .name = "roofline.<level>.<precision>.ridge",
    .unit = "FLOP/byte",
    .meaning = "The same for one precision.",
}};
inline constexpr FactGrid<Level, std::string_view> kRooflinePointRoof = {{
    .name = "roofline.<level>.<precision>.roof",
    .unit = "FLOP/s",
    .meaning = "The same for one precision.",
}};
inline constexpr FactGrid<Level, std::string_view> kRooflinePointFraction = {{
    .name = "roofline.<level>.<precision>.fraction",
    .unit = kShare,
    .meaning = "The same for one precision.",
}};
inline constexpr FactGrid<Level, std::string_view> kRooflinePointPosition = {{
    .name = "roofline.<level>.<precision>.position",
    .meaning = "The same for one precision.",
    .text = true,
}};

}  // namespace facts

inline constexpr FactInfo kRooflineFacts[] = {
    facts::kRooflinePrecisionAchieved.info,
    facts::kRooflinePrecisionPeak.info,
    facts::kRooflinePrecision,
    facts::kRooflineAchieved,
    facts::kRooflinePeak,
    facts::kRooflineLevelBandwidth.info,
    facts::kRooflineLevelPeakBandwidth.info,
    facts::kRooflineLevelIntensity.info,
    facts::kRooflineLevelRidge.info,
    facts::kRooflineLevelRoof.info,
    facts::kRooflineLevelFraction.info,
    facts::kRooflineLevelPosition.info,
    facts::kRooflinePointIntensity.info,
    facts::kRooflinePointRidge.info,
    facts::kRooflinePointRoof.info,
    facts::kRooflinePointFraction.info,
    facts::kRooflinePointPosition.info,
};

}  // namespace proofline
