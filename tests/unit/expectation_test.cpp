// SPDX-License-Identifier: Apache-2.0
//
// What people type for the gain that they expect.
#include "workflow/expectation.h"

#include <gtest/gtest.h>

#include <string>

namespace proofline::expectation_test {
namespace {

void expect_range(const char* text, double low, double high) {
  const auto range = parse_expectation(text);
  ASSERT_TRUE(range) << range.error().message;
  EXPECT_NEAR(range->low, low, 1e-12) << text;
  EXPECT_NEAR(range->high, high, 1e-12) << text;
}

TEST(Expectation, PerCentOfTheTime) {
  expect_range("10-20%", 0.10, 0.20);
  expect_range("10%-20%", 0.10, 0.20);
  expect_range(" 10 % to 20 % ", 0.10, 0.20);
  expect_range("15%", 0.15, 0.15);
  expect_range("0.5-1.5%", 0.005, 0.015);
  expect_range("-5-10%", -0.05, 0.10);
}

TEST(Expectation, SpeedUp) {
  expect_range("1.25x", 0.2, 0.2);
  expect_range("1.25x-2x", 0.2, 0.5);
  expect_range("1.25-2x", 0.2, 0.5);
  expect_range("0.8x-1x", -0.25, 0.0);
}

TEST(Expectation, AnythingElseIsRefusedWithTheForms) {
  for (const std::string text :
       {"", "fast", "15", "10-20", "20-10%", "1.5x-1.2x", "10%-1.5x", "0x", "-1x", "100%",
        "10-20%%", "1e3x", "nan%", "inf x", "10-%", "%", "10--", "\x1b[2J"}) {
    const auto range = parse_expectation(text);
    ASSERT_FALSE(range) << text;
    EXPECT_EQ(range.error().kind, ErrorKind::kUsage);
    EXPECT_NE(range.error().message.find("1.2x-1.5x"), std::string::npos);
    EXPECT_EQ(range.error().message.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace proofline::expectation_test
