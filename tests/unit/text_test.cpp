// SPDX-License-Identifier: Apache-2.0
//
// Strangers' text for each medium, and the small formatting helpers.

#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace proofline::text_test {
namespace {

TEST(EscapeTerminal, LeavesPlainTextAlone) {
  const std::string text = "void gemm<128>(float *) \\ \"gr\u00fc\u00df\" \u6838 \U0001f680";
  EXPECT_EQ(escape_terminal(text), text);
  EXPECT_EQ(escape_terminal(""), "");
}

TEST(EscapeTerminal, ShowsControls) {
  EXPECT_EQ(escape_terminal("\x1b[31m\x07"), "\\x1b[31m\\x07");
  EXPECT_EQ(escape_terminal("a\tb\nc\rd"), "a\\tb\\nc\\rd");
  EXPECT_EQ(escape_terminal(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(escape_terminal("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), "\\u0080\\u009b\\u009f\xc2\xa0");
}

TEST(EscapeTerminal, ShowsInvalidBytes) {
  EXPECT_EQ(escape_terminal("a\x9b\xff"), "a\\x9b\\xff");
  EXPECT_EQ(escape_terminal("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(escape_terminal("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(escape_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(escape_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(escape_terminal("\xe6\xa0"), "\\xe6\\xa0");                    // cut off
}

TEST(EscapeTerminal, ShowsInvisibleCharacters) {
  EXPECT_EQ(escape_terminal("\u202a\u202e"), "\\u202a\\u202e");
  EXPECT_EQ(escape_terminal("\u2066\u2069"), "\\u2066\\u2069");
  EXPECT_EQ(escape_terminal("\u200b\u200f\ufeff"), "\\u200b\\u200f\\ufeff");
  EXPECT_EQ(escape_terminal("\u2028\u2029"), "\\u2028\\u2029");
  EXPECT_EQ(escape_terminal("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(escape_terminal("\u200a\u2010\u2027\u202f"), "\u200a\u2010\u2027\u202f");
}

TEST(Quote, EscapesAndCuts) {
  EXPECT_EQ(quote("a b"), "\"a b\"");
  EXPECT_EQ(quote("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(quote("abcdef", 6), "\"abcdef\"");
  EXPECT_EQ(quote("abcdef", 5), "\"abcde...\"");
  EXPECT_EQ(quote("ab\u6838", 4), "\"ab...\"");
  EXPECT_EQ(quote(std::string(1'000'000, 'x')).size(), 120 + 5U);
}

TEST(CsvTextField, QuotesAndDefusesFormulas) {
  EXPECT_EQ(csv_text_field(""), "\"\"");
  EXPECT_EQ(csv_text_field("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(csv_text_field("=1+2"), "\"'=1+2\"");
  EXPECT_EQ(csv_text_field("@x"), "\"'@x\"");
  EXPECT_EQ(csv_text_field("+x"), "\"'+x\"");
  EXPECT_EQ(csv_text_field("-x"), "\"'-x\"");
  EXPECT_EQ(csv_text_field("a=b"), "\"a=b\"");
  EXPECT_EQ(csv_text_field("a tab\tand \u6838"), "\"a tab\tand \u6838\"");
  EXPECT_EQ(csv_text_field("two\n::error::lines"), "\"two\\n::error::lines\"");
  EXPECT_EQ(csv_text_field("a\u202eb\u200b"), "\"a\\u202eb\\u200b\"");
  EXPECT_EQ(csv_text_field("\x1b]0;x\x07"), "\"\\x1b]0;x\\x07\"");
}

TEST(Utf8, IsValidatedAndMended) {
  EXPECT_TRUE(is_valid_utf8("gr\u00fcn \U0001f680"));
  EXPECT_FALSE(is_valid_utf8("a\xff"));
  EXPECT_EQ(to_valid_utf8("gr\u00fcn"), "gr\u00fcn");
  EXPECT_EQ(to_valid_utf8("a\xff\xfe"
                          "b"),
            "a\ufffd\ufffdb");
  EXPECT_EQ(to_valid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("gr\u00fcn"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // combining accent
  EXPECT_EQ(display_width("\u6838\u5fc3"), 4U);
  EXPECT_EQ(display_width("\U0001f680"), 2U);
  EXPECT_EQ(display_width("\u2500"), 1U);
  EXPECT_EQ(display_width("a\xff"), 2U);
}

TEST(ElideMiddle, KeepsBothEnds) {
  EXPECT_EQ(elide_middle("0123456789", 10), "0123456789");
  EXPECT_EQ(elide_middle("0123456789", 9), "012...789");
  EXPECT_EQ(elide_middle("0123456789", 8), "012...89");
  EXPECT_EQ(elide_middle("0123456789", 3), "...");
  EXPECT_EQ(elide_middle("0123456789", 2), "..");
  EXPECT_EQ(elide_middle("0123456789", 0), "");
}

TEST(ElideMiddle, NeverSplitsACharacterOrExceedsTheWidth) {
  const std::string wide = "\u6838\u5fc3\u51fd\u6570\u540d\u79f0\u5f88\u957f";
  for (std::size_t width = 0; width <= 16; ++width) {
    const std::string elided = elide_middle(wide, width);
    EXPECT_TRUE(is_valid_utf8(elided)) << width;
    EXPECT_LE(display_width(elided), width);
  }
}

TEST(ShortHash, IsFnv1a) {
  EXPECT_EQ(short_hash(""), "811c9dc5");
  EXPECT_EQ(short_hash("a"), "e40c292c");
  EXPECT_EQ(short_hash("foobar"), "bf9cf968");
}

TEST(GroupDigits, InThrees) {
  EXPECT_EQ(group_digits(0), "0");
  EXPECT_EQ(group_digits(999), "999");
  EXPECT_EQ(group_digits(1000), "1,000");
  EXPECT_EQ(group_digits(1234567), "1,234,567");
  EXPECT_EQ(group_digits(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(Plural, AddsAnSOrTakesTheWordThatIsGiven) {
  EXPECT_EQ(plural(0, "loop"), "0 loops");
  EXPECT_EQ(plural(1, "loop"), "1 loop");
  EXPECT_EQ(plural(1234, "loop"), "1,234 loops");
  EXPECT_EQ(plural(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(plural(2, "entry", "entries"), "2 entries");
}

TEST(Percent, OfAShare) {
  EXPECT_EQ(percent(0.414), "41 %");
  EXPECT_EQ(percent(0.4142, 1), "41.4 %");
  EXPECT_EQ(percent(-0.005, 1), "-0.5 %");
  EXPECT_EQ(share_text(0.861), "86.1 %");
  EXPECT_EQ(share_text(0.5), "50 %");
  EXPECT_EQ(share_text(0.0086), "0.86 %");
  EXPECT_EQ(share_text(0), "0 %");
}

TEST(Trim, TakesSpaceFromBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace proofline::text_test
