// SPDX-License-Identifier: Apache-2.0
//
// Units as the versions of ncu spell them, and numbers as locales write them.
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace proofline::units_test {
namespace {

void expect_unit(std::string_view text, int exponent, std::string_view base) {
  const ScaledUnit unit = parse_unit(text);
  EXPECT_EQ(unit.exponent, exponent) << text;
  EXPECT_EQ(unit.base, base) << text;
}

TEST(Units, BaseUnitsStayAsTheyAre) {
  for (const std::string_view unit :
       {"", "%", "byte", "ns", "hz", "cycle", "SM", "inst/cycle", "register/thread", "byte/block",
        "%/register", "sectors", "something/new"}) {
    expect_unit(unit, 0, unit);
  }
}

TEST(Units, PrefixesAreDecimal) {
  expect_unit("Kbyte", 3, "byte");
  expect_unit("Mbyte/s", 6, "byte/s");
  expect_unit("Tbyte/s", 12, "byte/s");
  expect_unit("Kbyte/block", 3, "byte/block");
  expect_unit("Kbyte/cycle", 3, "byte/cycle");
  expect_unit("Khz", 3, "hz");
  expect_unit("Ghz", 9, "hz");
  expect_unit("Minst", 6, "inst");
}

TEST(Units, OneThatOnlyLooksPrefixed) {
  expect_unit("Mystery", 0, "Mystery");
  expect_unit("K", 0, "K");
  expect_unit("SM/Pod", 0, "SM/Pod");
}

TEST(Units, TimeIsInNanosecondsAboveAndInSecondsBelowTheStroke) {
  expect_unit("us", 3, "ns");
  expect_unit("ms", 6, "ns");
  expect_unit("s", 9, "ns");
  expect_unit("sector/s", 0, "sector/s");
  expect_unit("sector/ms", 3, "sector/s");
  expect_unit("sector/us", 6, "sector/s");
  expect_unit("sector/ns", 9, "sector/s");
}

TEST(Units, SpellingsOfOlderVersions) {
  expect_unit("nsecond", 0, "ns");
  expect_unit("usecond", 3, "ns");
  expect_unit("msecond", 6, "ns");
  expect_unit("second", 9, "ns");
  expect_unit("cycle/second", 0, "hz");
  expect_unit("cycle/usecond", 6, "hz");
  expect_unit("cycle/nsecond", 9, "hz");
  expect_unit("Gbyte/second", 9, "byte/s");
}

// ncu scales "%/byte" as if the byte stood above the stroke.
TEST(Units, PrefixBelowTheStrokeScalesTheSameWay) { expect_unit("%/Kbyte", 3, "%/byte"); }

TEST(Units, KnowsAUnitWhenItSeesOne) {
  for (const std::string_view unit :
       {"%", "Kbyte", "us", "Ghz", "register/thread", "SM", "cycle/nsecond"}) {
    EXPECT_TRUE(is_unit(unit)) << unit;
  }
  for (const std::string_view word : {"", "Limit", "Throughput", "12.5", "Cache/TEX"}) {
    EXPECT_FALSE(is_unit(word)) << word;
  }
}

std::uint64_t whole(const Number& number) {
  const auto* integer = std::get_if<std::uint64_t>(&number);
  EXPECT_NE(integer, nullptr);
  return integer == nullptr ? 0 : *integer;
}

double real(const Number& number) {
  const auto* value = std::get_if<double>(&number);
  EXPECT_NE(value, nullptr);
  return value == nullptr ? 0 : *value;
}

TEST(Numbers, WholeOnesStayWhole) {
  EXPECT_EQ(whole(parse_number("0")), 0U);
  EXPECT_EQ(whole(parse_number("1234567")), 1234567U);
  EXPECT_EQ(whole(parse_number("1,234,567")), 1234567U);
  EXPECT_EQ(whole(parse_number("18,446,744,073,709,551,615")), UINT64_MAX);
}

TEST(Numbers, OthersAreReal) {
  EXPECT_EQ(real(parse_number("1,234.50")), 1234.5);
  EXPECT_EQ(real(parse_number("12.")), 12.0);
  EXPECT_EQ(real(parse_number("-11,760")), -11760.0);
  EXPECT_EQ(real(parse_number("1.5e+09")), 1.5e9);
  EXPECT_EQ(real(parse_number("18,446,744,073,709,551,616")), 18446744073709551616.0);
}

TEST(Numbers, TheScaleLosesNoDigit) {
  EXPECT_EQ(real(parse_number("65.536000", 3)), 65536.0);
  EXPECT_EQ(real(parse_number("139.07", 3)), 139070.0);
  EXPECT_EQ(real(parse_number("3.2", 9)), 3.2e9);
  EXPECT_EQ(real(parse_number("7", 6)), 7e6);
}

TEST(Numbers, TextIsNone) {
  for (const std::string_view text : {"", "-", ".5", "1,23", "12,34,567", "1234,567", "1,234,56",
                                      "0x10", "1 2", "CachePreferNone", "(256, 1, 1)", "5%",
                                      "1.2.3", "1e", "1e5x", "e5", "--1", "1.5e99999999999"}) {
    EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_number(text))) << text;
  }
  const std::string long_digits(1000, '9');
  EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_number(long_digits)));
}

TEST(Numbers, NotFiniteIsSaid) {
  EXPECT_TRUE(std::isnan(real(parse_number("nan"))));
  EXPECT_TRUE(std::isnan(real(parse_number("-nan"))));
  EXPECT_TRUE(std::isinf(real(parse_number("inf"))));
  EXPECT_TRUE(std::isinf(real(parse_number("1e999"))));
}

TEST(Numbers, DecimalComma) {
  EXPECT_EQ(real(parse_number("1.234,50", 0, DecimalMark::kComma)), 1234.5);
  EXPECT_EQ(whole(parse_number("27.595.520", 0, DecimalMark::kComma)), 27595520U);
  EXPECT_EQ(whole(parse_number("117.344", 0, DecimalMark::kComma)), 117344U);
}

DecimalMark vote(std::initializer_list<std::string_view> numbers) {
  DecimalMarkVote marks;
  for (const std::string_view number : numbers) marks.see(number);
  return marks.result();
}

TEST(Numbers, TheFileTellsItsDecimalMark) {
  EXPECT_EQ(vote({}), DecimalMark::kPoint);
  EXPECT_EQ(vote({"1,234", "117.344"}), DecimalMark::kPoint);
  EXPECT_EQ(vote({"1,234,567", "2.75"}), DecimalMark::kPoint);
  EXPECT_EQ(vote({"117.344", "2,75"}), DecimalMark::kComma);
  EXPECT_EQ(vote({"27.595.520"}), DecimalMark::kComma);
  EXPECT_EQ(vote({"1.234,50"}), DecimalMark::kComma);
  EXPECT_EQ(vote({"2,75 words", "(2,75; 1)"}), DecimalMark::kPoint);
}

}  // namespace
}  // namespace proofline::units_test
