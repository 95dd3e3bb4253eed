// SPDX-License-Identifier: Apache-2.0
//
// The layouts and codes that the Hopper kernels (kernels/hopper, block_scaled, moe) rely on,
// checked for every element and every code. The kernels themselves need a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "../../kernels/block_scaled/codes.h"
#include "../../kernels/hopper/descriptor.h"
#include "../../kernels/hopper/fragment.h"
#include "../../kernels/moe/packing.h"

namespace proofline::hopper_layout_test {
namespace {

TEST(HopperLayout, ASwizzledTileHasEveryByteOnceAndKeepsRowsTogether) {
  constexpr std::uint32_t kRows = 64;
  std::set<std::uint32_t> places;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t column = 0; column < hopper::kRowBytes; ++column) {
      const std::uint32_t place = hopper::swizzled(row, column);
      EXPECT_EQ(place / hopper::kRowBytes, row);
      EXPECT_EQ(place % 16, column % 16);
      places.insert(place);
    }
  }
  EXPECT_EQ(places.size(), kRows * hopper::kRowBytes);
  EXPECT_EQ(*places.rbegin(), kRows * hopper::kRowBytes - 1);
}

TEST(HopperLayout, EightRowsOfOneColumnMeetEightBankGroups) {
  for (std::uint32_t chunk = 0; chunk < 8; ++chunk) {
    std::set<std::uint32_t> groups;
    for (std::uint32_t row = 0; row < 8; ++row) {
      groups.insert(hopper::swizzled(row, chunk * 16) % hopper::kRowBytes / 16);
    }
    EXPECT_EQ(groups.size(), 8U) << chunk;
  }
}

TEST(HopperLayout, EveryElementOfAnAccumulatorTileIsHeldOnce) {
  constexpr std::uint32_t kColumns = 96;
  std::set<std::pair<std::uint32_t, std::uint32_t>> elements;
  for (std::uint32_t thread = 0; thread < 128; ++thread) {
    for (std::uint32_t i = 0; i < kColumns / 2; ++i) {
      const std::uint32_t row = hopper::accumulator_row(thread, i);
      const std::uint32_t column = hopper::accumulator_column(thread, i);
      EXPECT_LT(row, 64U);
      EXPECT_EQ(row / 16, thread / 32);  // a warp has 16 rows
      EXPECT_LT(column, kColumns);
      elements.insert({row, column});
    }
  }
  EXPECT_EQ(elements.size(), 64U * kColumns);
  EXPECT_EQ(hopper::accumulator_row(31, 3), 15U);  // the last lane of the diagram's lower half
  EXPECT_EQ(hopper::accumulator_column(31, 7), 15U);
}

// EpilogueStore flips bits of one address instead of computing four.
TEST(HopperLayout, EvenChunksAreFlippedBitsOfTheFirst) {
  for (std::uint32_t row = 0; row < 16; ++row) {
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      for (std::uint32_t even = 0; even < 8; even += 2) {
        EXPECT_EQ(hopper::swizzled(row, (even + odd) * 16),
                  hopper::swizzled(row, odd * 16) ^ (even * 16));
      }
    }
  }
}

TEST(HopperLayout, ADescriptorHoldsAddressStepsAndSwizzle) {
  const std::uint64_t tile = hopper::k_major(0x8400);
  EXPECT_EQ(tile & 0x3fff, 0x840U);
  EXPECT_EQ(tile >> 32U & 0x3fff, 64U);  // 1024 bytes to the next eight rows
  EXPECT_EQ(tile >> 49U & 7U, 0U);
  EXPECT_EQ(tile >> 62U, 1U);
  EXPECT_EQ(hopper::advance(tile, 32) - tile, 2U);
  EXPECT_EQ(hopper::advance(tile, 64 * hopper::kRowBytes), hopper::k_major(0x8400 + 8192));
  EXPECT_EQ(hopper::descriptor(0, 2048, 1024, hopper::Swizzle::k64) >> 62U, 2U);
}

double value_of_e4m3(std::uint32_t code) {
  const int exponent = static_cast<int>(code >> 3U & 15U);
  const double fraction = (code & 7U) / 8.0;
  return exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
}

TEST(BlockScaledCodes, EveryMagnitudeTimesEveryPowerOfTwoIsExactInE4m3) {
  constexpr double kMagnitudes[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (int r = block_scaled::kLeast; r <= block_scaled::kMost; ++r) {
    const block_scaled::Codes codes = block_scaled::e4m3_codes(r);
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t code = block_scaled::e4m3_code(i, r);
      EXPECT_EQ(value_of_e4m3(code), std::ldexp(kMagnitudes[i], r)) << i << " " << r;
      EXPECT_LT(code, 0x7fU) << "that would be no number";
      EXPECT_EQ((i < 4 ? codes.low >> (8 * i) : codes.high >> (8 * (i - 4))) & 0xffU, code);
    }
  }
}

TEST(BlockScaledCodes, ScalesOf128RowsAndFourGroupsAreOneBlock) {
  constexpr std::uint32_t kGroups = 64;
  std::set<std::uint64_t> places;
  for (std::uint32_t row = 0; row < 256; ++row) {
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      const std::uint64_t place = block_scaled::scale_index(row, group, kGroups);
      EXPECT_EQ(place / 512, row / 128 * (kGroups / 4) + group / 4);
      places.insert(place);
    }
  }
  EXPECT_EQ(places.size(), 256U * kGroups);
  EXPECT_EQ(block_scaled::scale_index(33, 2, kGroups), 16U + 4 + 2);
}

TEST(MoePacking, EveryBitOfARecordBelongsToOneValue) {
  std::vector<std::uint32_t> words(moe::kCodeBytes / 4);
  for (std::uint32_t row = 0; row < moe::kTileRows; ++row) {
    for (std::uint32_t k = 0; k < moe::kBlockK; ++k) {
      const moe::Position position = moe::position_of(row, k);
      const std::uint32_t bits = moe::spread(15, position.place);
      ASSERT_LT(position.word, words.size());
      ASSERT_EQ(words[position.word] & bits, 0U) << row << " " << k;
      words[position.word] |= bits;
    }
  }
  for (const std::uint32_t word : words) EXPECT_EQ(word, 0xffffffffU);
}

TEST(MoePacking, EveryByteOfTheScalesBelongsToOneRowAndHalf) {
  std::set<std::uint32_t> places;
  for (std::uint32_t row = 0; row < moe::kTileRows; ++row) {
    for (std::uint32_t half = 0; half < 2; ++half) {
      places.insert(moe::scale_position(row, half));
    }
  }
  EXPECT_EQ(places.size(), 2 * moe::kTileRows);
  EXPECT_EQ(*places.begin(), moe::kCodeBytes);
  EXPECT_EQ(*places.rbegin(), moe::kRecordBytes - 1);
}

// The kernel's shifts and masks, as moe.cuh has them: the numbers must be e2m1's, 2^126 times too
// small.
TEST(MoePacking, ShiftsAndMasksMakeBf16Numbers) {
  const auto decoded = [](std::uint32_t word, std::uint32_t pair) -> std::uint32_t {
    switch (pair) {
      case 0: return word & 0x81C081C0U;
      case 1: return word << 3U & 0x81C081C0U;
      case 2: return word << 6U & 0x81C081C0U;
      default:
        return (word >> 5U & 0x01400140U) | (word >> 3U & 0x00800080U) | (word << 1U & 0x80008000U);
    }
  };
  for (std::uint32_t pair = 0; pair < 4; ++pair) {
    for (std::uint32_t code = 0; code < 16; ++code) {
      // Sign, then exponent and fraction as the lowest bits of bf16's exponent and the highest of
      // its fraction.
      const std::uint32_t expected = (code & 8U) << 12U | (code & 7U) << 6U;
      EXPECT_EQ(decoded(moe::spread(code, {pair, false}), pair), expected);
      EXPECT_EQ(decoded(moe::spread(code, {pair, true}), pair), expected << 16U);
    }
  }
}

}  // namespace
}  // namespace proofline::hopper_layout_test
