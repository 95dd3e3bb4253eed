// SPDX-License-Identifier: Apache-2.0
//
// JSON syntax, numbers that read back exactly, and text that JSON can hold; then the view on top.

#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "base/record_json.h"
#include "model/profile/profile.h"
#include "views/view.h"

namespace proofline {
View json();
}  // namespace proofline

namespace proofline::json_writer_test {
namespace {

template <class Write>
std::string written(Write write) {
  std::string text;
  Output output(text);
  JsonWriter writer(output);
  write(writer);
  return text;
}

std::string number(double value) {
  return written([value](JsonWriter& json) { json.number(value); });
}

TEST(JsonWriter, KeepsTheOrderOfMembers) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.member("z", "text");
              json.member("a", std::uint64_t{7});
              json.member("m", 0.5);
              json.member("b", true);
              json.key("list");
              json.begin_array();
              json.null();
              json.boolean(false);
              json.begin_object();
              json.end_object();
              json.end_array();
              json.end_object();
            }),
            R"({"z":"text","a":7,"m":0.5,"b":true,"list":[null,false,{}]})");
}

TEST(JsonWriter, NumbersAreValidJson) {
  EXPECT_EQ(number(0.0), "0.0");
  EXPECT_EQ(number(3.0), "3.0");
  EXPECT_EQ(number(-2.5), "-2.5");
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1e300), "1e300");
  EXPECT_EQ(number(std::nan("")), "null");
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(
      written([](JsonWriter& json) { json.number(std::numeric_limits<std::uint64_t>::max()); }),
      "18446744073709551615");
}

TEST(JsonWriter, DoublesReadBackExactly) {
  std::uint64_t bits = 88172645463325252ULL;
  for (int i = 0; i < 20'000; ++i) {
    bits ^= bits << 13U;
    bits ^= bits >> 7U;
    bits ^= bits << 17U;
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(number(value).c_str(), nullptr), value);
  }
}

TEST(JsonWriter, TextIsEscapedAndValid) {
  const auto text = [](std::string_view value) {
    return written([value](JsonWriter& json) { json.text(value); });
  };
  EXPECT_EQ(text("a\"b\\c\n\x1b"), R"("a\"b\\c\n\u001B")");
  EXPECT_EQ(text("gr\u00fcn \xff"), "\"gr\u00fcn \ufffd\"");
  EXPECT_EQ(text(std::string_view("a\0b", 3)), R"("a\u0000b")");
  EXPECT_EQ(text(""), "\"\"");
}

TEST(JsonWriter, ValuesKeepTheirKind) {
  const auto value = [](const Value& v) {
    return written([&v](JsonWriter& json) { write_described(v, json); });
  };
  EXPECT_EQ(value({}), "null");
  EXPECT_EQ(value(1.5), "1.5");
  EXPECT_EQ(value(std::uint64_t{3}), "3");
  EXPECT_EQ(value(std::string("x")), "\"x\"");
}

TEST(JsonView, IsOneLine) {
  Presentation presentation;
  presentation.json = [](JsonWriter& writer) {
    writer.begin_object();
    writer.member("a", "b");
    writer.end_object();
  };
  std::string text;
  Output output(text);
  json().render(presentation, {}, output);
  EXPECT_EQ(text, "{\"a\":\"b\"}\n");
}

}  // namespace
}  // namespace proofline::json_writer_test
