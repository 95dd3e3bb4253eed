// SPDX-License-Identifier: Apache-2.0
//
// Values in words: the unit that a person would choose, and no digits that mean nothing.

#include "views/quantity.h"

#include <gtest/gtest.h>

namespace proofline::quantity_test {
namespace {

TEST(Quantity, SharesArePercentages) {
  EXPECT_EQ(quantity_text(0.861, "share"), "86.1 %");
  EXPECT_EQ(quantity_text(0.5, "share"), "50 %");
  EXPECT_EQ(quantity_text(0.0, "share"), "0 %");
  EXPECT_EQ(quantity_text(0.0004, "share"), "0.04 %");
  EXPECT_EQ(quantity_text(1.61, "share"), "161 %");
  EXPECT_EQ(quantity_text(93.44, "%"), "93.4 %");
}

TEST(Quantity, RatesAndSizesGetAPrefix) {
  EXPECT_EQ(quantity_text(4.134e12, "byte/s"), "4.13 TB/s");
  EXPECT_EQ(quantity_text(1980e6, "hz"), "1.98 GHz");
  EXPECT_EQ(quantity_text(6.69e13, "FLOP/s"), "66.9 TFLOP/s");
  EXPECT_EQ(quantity_text(49152.0, "byte"), "49.2 kB");
  EXPECT_EQ(quantity_text(999.7, "byte"), "1 kB");
  EXPECT_EQ(quantity_text(12.0, "byte"), "12 B");
  EXPECT_EQ(quantity_text(139100.0, "ns"), "139.10 us");
}

TEST(Quantity, OtherNumbersKeepTheirUnit) {
  EXPECT_EQ(quantity_text(255.0, "register/thread"), "255 register/thread");
  EXPECT_EQ(quantity_text(1234567.0, "inst"), "1,234,567 inst");
  EXPECT_EQ(quantity_text(-1234.6, ""), "-1,235");
  EXPECT_EQ(quantity_text(0.12345, ""), "0.1235");
  EXPECT_EQ(quantity_text(1e-9, ""), "1.000e-09");
  EXPECT_EQ(quantity_text(3e20, ""), "3.000e+20");
  EXPECT_EQ(quantity_text(std::string("registers"), ""), "registers");
}

}  // namespace
}  // namespace proofline::quantity_test
