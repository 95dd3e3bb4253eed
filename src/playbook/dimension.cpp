// SPDX-License-Identifier: Apache-2.0
#include "playbook/dimension.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "base/characters.h"
#include "base/units.h"
#include "model/diagnosis/facts.h"

namespace proofline {
namespace {

constexpr double kNanosecond = 1e-9;

constexpr UnitScale kTime = {{1, 0}, 1, false};
constexpr UnitScale kBytes = {{0, 1}, 1, false};
constexpr UnitScale kRate = {{-1, 1}, 1, false};
constexpr UnitScale kPerSecond = {{-1, 0}, 1, false};
constexpr UnitScale kCount = {{0, 0}, 1, false};

constexpr UnitScale times(UnitScale scale, double factor) {
  scale.factor *= factor;
  return scale;
}

// Longer spellings come before those that they begin with.
constexpr WrittenUnit kWritten[] = {
    {"%", {{0, 0}, 0.01, true}},
    {"ns", times(kTime, 1e-9)},
    {"us", times(kTime, 1e-6)},
    {"ms", times(kTime, 1e-3)},
    {"min", times(kTime, 60)},
    {"s", kTime},
    {"B/s", kRate},
    {"KB/s", times(kRate, 1e3)},
    {"MB/s", times(kRate, 1e6)},
    {"GB/s", times(kRate, 1e9)},
    {"TB/s", times(kRate, 1e12)},
    {"KiB/s", times(kRate, 1024.0)},
    {"MiB/s", times(kRate, 1048576.0)},
    {"GiB/s", times(kRate, 1073741824.0)},
    {"byte", kBytes},
    {"B", kBytes},
    {"KB", times(kBytes, 1e3)},
    {"MB", times(kBytes, 1e6)},
    {"GB", times(kBytes, 1e9)},
    {"TB", times(kBytes, 1e12)},
    {"KiB", times(kBytes, 1024.0)},
    {"MiB", times(kBytes, 1048576.0)},
    {"GiB", times(kBytes, 1073741824.0)},
    {"Hz", kPerSecond},
    {"kHz", times(kPerSecond, 1e3)},
    {"MHz", times(kPerSecond, 1e6)},
    {"GHz", times(kPerSecond, 1e9)},
    {"FLOP/s", kPerSecond},
    {"GFLOP/s", times(kPerSecond, 1e9)},
    {"TFLOP/s", times(kPerSecond, 1e12)},
    {"PFLOP/s", times(kPerSecond, 1e15)},
    {"GFLOP", times(kCount, 1e9)},
    {"TFLOP", times(kCount, 1e12)},
};

UnitScale scale_of_word(std::string_view word) {
  const ScaledUnit unit = parse_unit(word);
  UnitScale scale;
  scale.factor = std::pow(10.0, unit.exponent);
  if (unit.base == "ns") {
    scale.dimension.time = 1;
    scale.factor *= kNanosecond;
  } else if (unit.base == "s") {
    scale.dimension.time = 1;
  } else if (unit.base == "byte" || unit.base == "B") {
    scale.dimension.bytes = 1;
  } else if (unit.base == "hz") {
    scale.dimension.time = -1;
  }
  return scale;
}

}  // namespace

std::string to_text(const Dimension& dimension) {
  if (dimension == Dimension{}) return "a plain number";
  if (dimension == Dimension{1, 0}) return "a time";
  if (dimension == Dimension{0, 1}) return "bytes";
  if (dimension == Dimension{-1, 1}) return "bytes per second";
  if (dimension == Dimension{-1, 0}) return "a rate";
  return fmt::format("time^{} byte^{}", dimension.time, dimension.bytes);
}

UnitScale scale_of_unit(std::string_view unit) {
  if (unit == kShare) return {{}, 1, true};
  if (unit == "%") return {{}, 0.01, true};
  const std::string_view above = take_until('/', unit);
  UnitScale scale = scale_of_word(above);
  while (!unit.empty()) {
    const std::string_view below = take_until('/', unit);
    // parse_unit would take a lone s for what ncu prints times in.
    const UnitScale divisor = below == "s" ? UnitScale{{1, 0}, 1, false} : scale_of_word(below);
    scale.dimension.time -= divisor.dimension.time;
    scale.dimension.bytes -= divisor.dimension.bytes;
    scale.factor /= divisor.factor;
  }
  return scale;
}

std::optional<WrittenUnit> unit_at(std::string_view text) {
  std::optional<WrittenUnit> longest;
  for (const WrittenUnit& unit : kWritten) {
    if (!text.starts_with(unit.text)) continue;
    const std::size_t end = unit.text.size();
    const bool ends =
        unit.text == "%" || end == text.size() || (!is_alphanumeric(text[end]) && text[end] != '_');
    if (ends && (!longest || longest->text.size() < end)) longest = unit;
  }
  return longest;
}

std::string unit_for(const Dimension& dimension, bool share) {
  if (share) return std::string(kShare);
  if (dimension == Dimension{1, 0}) return "ns";
  if (dimension == Dimension{0, 1}) return "byte";
  if (dimension == Dimension{-1, 1}) return "byte/s";
  if (dimension == Dimension{-1, 0}) return "1/s";
  return "";
}

}  // namespace proofline
