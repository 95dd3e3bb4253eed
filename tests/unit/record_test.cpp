// SPDX-License-Identifier: Apache-2.0
//
// One description writes, reads and gives the schema: what goes out comes back, damage is told and
// kept out, and the schema says what the members are.
#include "base/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/json_object.h"
#include "base/record_json.h"
#include "base/record_reader.h"
#include "base/record_schema.h"

namespace proofline {
namespace record_test {

enum class Colour { kRed, kGreen };
std::string_view to_string(Colour colour) {
  switch (colour) {
    case Colour::kRed: return "red";
    case Colour::kGreen: return "green";
  }
  return "";
}

enum class Size { kUnknown, kLarge };
std::string_view to_string(Size size) { return size == Size::kLarge ? "large" : "unknown"; }

struct Point {
  double x = 0;
  double y = 0;
};

Record describe(const Point* /*type*/) {
  return {
      about("point"),
      member<&Point::x>("x").required(),
      member<&Point::y>("y").required(),
  };
}

struct Shop {
  std::string name;
  Colour colour = Colour::kRed;
  bool open = false;
  std::optional<std::uint32_t> number;
  std::optional<Point> at;
  std::vector<Point> corners;
  std::vector<std::string> commands;
  std::int64_t delay_ns = 0;
  double share = 0;
  std::variant<double, std::string> value;
  std::array<std::uint64_t, 3> grid{1, 2, 3};
  std::string owner;
  Point centre;
  std::vector<Shop> branches;
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;
};

Record describe(const Shop* /*type*/) {
  return {
      about("shop", "Where things are sold."),
      constant("result", "shop"),
      position("rank", 1),
      member<&Shop::name>("name").not_empty().required(),
      member<&Shop::colour>("colour"),
      member<&Shop::open>("open"),
      member<&Shop::number>("number"),
      member<&Shop::at>("at").if_there(),
      member<&Shop::corners>("corners"),
      member<&Shop::commands>("commands").redacted(),
      member<&Shop::delay_ns>("delay_ns"),
      member<&Shop::share>("share", "of all shops").share(),
      member<&Shop::value>("value"),
      member<&Shop::grid>("grid"),
      group("people", {member<&Shop::owner>("owner").none_is_null()})
          .null_unless([](const Shop& shop) { return shop.owner != "nobody"; }),
      inlined<&Shop::centre>(),
      member<&Shop::branches>("branches").on_request(),
      member<&Shop::counts>("counts").if_there(),
      derived("corner_count", [](const Shop& shop) { return shop.corners.size(); }),
      derived("closed", [](const Shop& shop) { return !shop.open; }).when([](const Shop& shop) {
        return !shop.open;
      }),
  };
}

struct Mixed {
  Point point;
};

Record describe(const Mixed* /*type*/) { return {about("mixed"), member<&Point::x>("x")}; }

std::string written(const Shop& shop, const WriteOptions& options = {}) {
  return json_text([&](JsonWriter& json) { write_record(shop, json, options); });
}

struct ReadBack {
  Shop shop;
  RecordReading reading;
};

ReadBack read_back(const std::string& text) {
  ReadBack result;
  result.reading = read_record(parse_json_object(text), result.shop);
  return result;
}

Shop example() {
  Shop shop;
  shop.name = "corner";
  shop.colour = Colour::kGreen;
  shop.number = 7;
  shop.at = Point{1, 2};
  shop.corners = {{0, 0}, {0.5, 1}};
  shop.commands = {"./run --token=secret"};
  shop.delay_ns = -5;
  shop.share = 0.25;
  shop.value = "text";
  shop.counts = {{"LDG", 2}};
  return shop;
}

TEST(Record, WritesMembersInTheirOrder) {
  EXPECT_EQ(written(example()),
            "{\"result\":\"shop\",\"rank\":1,\"name\":\"corner\",\"colour\":\"green\","
            "\"open\":false,\"number\":7,\"at\":{\"x\":1.0,\"y\":2.0},"
            "\"corners\":[{\"x\":0.0,\"y\":0.0},{\"x\":0.5,\"y\":1.0}],"
            "\"commands\":[\"./run --token=<redacted>\"],\"delay_ns\":-5,\"share\":0.25,"
            "\"value\":\"text\",\"grid\":[1,2,3],\"people\":{\"owner\":null},\"x\":0.0,\"y\":0.0,"
            "\"counts\":{\"LDG\":2},\"corner_count\":2,\"closed\":true}");
}

TEST(Record, AbsentIsNullOrLeftOut) {
  Shop shop;
  shop.owner = "nobody";
  shop.share = std::numeric_limits<double>::quiet_NaN();
  const std::string text = written(shop);
  EXPECT_NE(text.find("\"number\":null"), std::string::npos);
  EXPECT_NE(text.find("\"people\":null"), std::string::npos);
  EXPECT_NE(text.find("\"share\":null"), std::string::npos);
  EXPECT_EQ(text.find("\"at\""), std::string::npos);
  EXPECT_EQ(text.find("\"branches\""), std::string::npos);
  EXPECT_EQ(text.find("\"counts\""), std::string::npos);
}

TEST(Record, PositionsCountInTheirList) {
  Shop shop;
  shop.branches.resize(2);
  const std::string text = written(shop, {.requested = {"branches"}});
  EXPECT_NE(text.find("\"branches\":[{\"result\":\"shop\",\"rank\":1,"), std::string::npos);
  EXPECT_NE(text.find("},{\"result\":\"shop\",\"rank\":2,"), std::string::npos);
}

TEST(Record, ComesBackAsItWasWritten) {
  Shop shop = example();
  shop.commands = {"./run"};
  shop.owner = "Ada";
  shop.centre = {3, 4};
  shop.branches = {example()};
  shop.counts = {};  // maps are not read back
  shop.branches.front().counts = {};
  const WriteOptions all{.requested = {"branches"}};
  const auto [again, reading] = read_back(written(shop, all));
  EXPECT_TRUE(reading.is_record);
  EXPECT_EQ(reading.first_wrong(), "");
  EXPECT_EQ(written(again, all), written(shop, all));
}

TEST(Record, DamageIsToldAndKeptOut) {
  const auto [shop, reading] = read_back(
      "{\"result\":\"shop\",\"name\":\"x\",\"colour\":\"blue\",\"open\":1,"
      "\"corners\":[{\"x\":1,\"y\":2},{\"x\":1},7],\"share\":1.5}");
  EXPECT_TRUE(reading.is_record);
  EXPECT_EQ(reading.first_wrong(), "colour");
  EXPECT_EQ(shop.colour, Colour::kRed);
  EXPECT_FALSE(shop.open);
  EXPECT_EQ(shop.corners.size(), 1U);
  EXPECT_EQ(shop.share, 0);
  ASSERT_EQ(reading.flaws.size(), 6U);
  EXPECT_EQ(reading.flaws[0].what, "\"colour\" is not a word that this version knows");
  EXPECT_EQ(reading.flaws[1].what, "\"open\" is not true or false");
  EXPECT_EQ(reading.flaws[2].what, "\"y\" is missing");
  EXPECT_EQ(reading.flaws[3].what, "entries that are not objects");
  EXPECT_EQ(reading.first_absent, "number");
}

TEST(Record, TheFirstOfTwoMembersOfANameIsTaken) {
  const auto [shop, reading] = read_back("{\"name\":\"a\",\"name\":\"b\"}");
  EXPECT_EQ(shop.name, "a");
  EXPECT_EQ(reading.flaws.front().what, "\"name\" stands twice; the first is taken");
}

struct Beside {
  std::vector<double> ns;
  std::vector<std::optional<double>> mhz;
  Point point;
};

Record describe(const Beside* /*type*/) {
  return {
      about("beside"),
      member<&Beside::ns>("ns").above(0),
      member<&Beside::mhz>("mhz").above(0),
      member<&Beside::point>("point").only({"y"}),
  };
}

TEST(Record, NumbersThatCannotBeReadKeepTheirPlace) {
  Beside lists;
  const auto reading =
      read_record(parse_json_object("{\"ns\":[1,0,\"x\",4],\"mhz\":[1,null,-1,4]}"), lists);
  ASSERT_EQ(lists.ns.size(), 4U);
  EXPECT_TRUE(std::isnan(lists.ns[1]));
  EXPECT_EQ(lists.ns[3], 4);
  ASSERT_EQ(lists.mhz.size(), 4U);
  EXPECT_FALSE(lists.mhz[2]);
  ASSERT_EQ(reading.flaws.size(), 2U);
  EXPECT_EQ(reading.flaws[0].what, "\"ns\" has an entry that is not a number above zero");
  EXPECT_EQ(reading.flaws[0].place, "ns[1]");
  EXPECT_EQ(reading.flaws[0].count, 2U);
}

TEST(Record, SomeMembersOfARecordAlone) {
  EXPECT_EQ(json_text([](JsonWriter& json) { write_record(Beside{}, json); }),
            "{\"ns\":[],\"mhz\":[],\"point\":{\"y\":0.0}}");
  const ResultSchema schema{"beside", "", {record_of<Beside>}};
  const std::string text = json_text([&](JsonWriter& json) { write_schema(schema, json); });
  EXPECT_NE(text.find("\"point\":{\"type\":\"object\",\"required\":[\"y\"],\"properties\":{\"y\":"),
            std::string::npos)
      << text;
}

TEST(Record, NamesThePlaceOfWhatIsWrong) {
  const auto wrong = [](const std::string& text) { return read_back(text).reading.first_wrong(); };
  const std::string start = "{\"result\":\"shop\",\"name\":\"x\",\"colour\":\"red\",\"open\":true,";
  EXPECT_EQ(wrong("[]"), ".");
  EXPECT_EQ(wrong("{\"result\":\"inn\"}"), "result");
  EXPECT_EQ(wrong(start + "\"number\":-1}"), "number");
  EXPECT_EQ(wrong(start + "\"number\":4294967296}"), "number");
  EXPECT_EQ(wrong(start + "\"number\":null,\"corners\":[{\"x\":1,\"y\":\"2\"}]}"), "corners[0].y");
}

TEST(Record, WithoutWhatIsRequiredIsNone) {
  EXPECT_FALSE(read_back("{\"name\":\"\"}").reading.is_record);
  EXPECT_FALSE(read_back("{}").reading.is_record);
  EXPECT_TRUE(read_back("{\"name\":\"x\"}").reading.is_record);
  EXPECT_FALSE(read_back("{\"name\":\"x\",\"at\":{\"x\":1}}").shop.at);
}

TEST(Record, NestingIsBounded) {
  std::string text = "{\"name\":\"x\"}";
  for (int i = 0; i < 1000; ++i) text = "{\"name\":\"x\",\"branches\":[" + text + "]}";
  const ReadBack result = read_back(text);
  EXPECT_TRUE(result.reading.is_record);
  std::size_t depth = 0;
  for (const Shop* shop = &result.shop; !shop->branches.empty(); shop = &shop->branches.front()) {
    ++depth;
  }
  EXPECT_LT(depth, 100U);
}

TEST(Record, NamesEndWhereToStringSaysNothingNew) {
  const std::vector<std::string_view> colours = {"red", "green"};
  const std::vector<std::string_view> sizes = {"unknown", "large"};
  EXPECT_EQ(names_of(kShapeOf<Colour>), colours);
  EXPECT_EQ(names_of(kShapeOf<Size>), sizes);
  EXPECT_FALSE(shapes::as_name(std::string_view("small"), kShapeOf<Size>.name));
}

TEST(Record, MembersOfAnotherStructAreRefused) { EXPECT_THROW(record_of<Mixed>(), CheckFailed); }

TEST(Record, SchemaSaysWhatTheMembersAre) {
  const ResultSchema schema{"shop", "A shop", {record_of<Shop>}};
  const std::string text = json_text([&](JsonWriter& json) { write_schema(schema, json); });
  for (const char* part : {
           "\"$id\":\"urn:proofline:shop:1\"",
           "\"required\":[\"result\",\"rank\",\"name\",",
           "\"result\":{\"const\":\"shop\"}",
           "\"rank\":{\"type\":\"integer\",\"minimum\":1}",
           "\"name\":{\"type\":\"string\",\"minLength\":1}",
           "\"colour\":{\"enum\":[\"red\",\"green\"]}",
           "\"number\":{\"type\":[\"integer\",\"null\"],\"minimum\":0}",
           "\"at\":{\"anyOf\":[{\"$ref\":\"#/$defs/point\"},{\"type\":\"null\"}]}",
           "\"delay_ns\":{\"type\":\"integer\"}",
           "\"share\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,"
           "\"description\":\"of all shops\"}",
           "\"value\":{\"type\":[\"number\",\"string\"]}",
           "\"grid\":{\"type\":\"array\",\"minItems\":3,\"maxItems\":3,"
           "\"items\":{\"type\":\"integer\",\"minimum\":0}}",
           "\"x\":{\"type\":\"number\"}",
           "\"counts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"",
           "\"$defs\":{\"point\":{\"type\":\"object\",\"required\":[\"x\",\"y\"]",
           "\"branches\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/shop\"}}",
       }) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(
      text.find("\"required\":[\"result\",\"rank\",\"name\",\"colour\",\"open\",\"number\",\"at\""),
      std::string::npos);
}

}  // namespace record_test
}  // namespace proofline
