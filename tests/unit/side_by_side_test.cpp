// SPDX-License-Identifier: Apache-2.0
//
// That configurations of one program stand side by side, kernel by kernel, with what was changed.
#include "views/diagnosis/side_by_side.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "diagnosis/diagnose.h"
#include "support/captures.h"

namespace proofline::side_by_side_test {
namespace {

const Profile& capture(const std::string& name) {
  static std::vector<std::pair<std::string, Profile>> read;
  for (const auto& [known, profile] : read) {
    if (known == name) return profile;
  }
  read.reserve(8);
  return read
      .emplace_back(name, read_capture("tests/fixtures/ncu_rep/h200-" + name + ".ncu-rep.gz"))
      .second;
}

template <class Block>
std::vector<Block> blocks(const Document& document) {
  std::vector<Block> found;
  for (const auto& block : document.blocks) {
    if (const auto* one = std::get_if<Block>(&block)) found.push_back(*one);
  }
  return found;
}

std::string cell(const Table& table, const std::string& row, std::size_t column) {
  for (const auto& cells : table.rows) {
    if (cells.front().text == row) return cells.at(column).text;
  }
  return "no such row";
}

TEST(SideBySide, HasAColumnForEachConfiguration) {
  const Diagnosis diagnosis = diagnose({&capture("memory"), 1});
  const std::vector<ConfigResult> configs{{"n128", "--n 128", &diagnosis},
                                          {"n256", "--n 256", &diagnosis}};
  Document document;
  add_side_by_side(configs, document);
  const auto tables = blocks<Table>(document);
  ASSERT_FALSE(tables.empty());
  const Table& first = tables.front();
  ASSERT_EQ(first.columns.size(), 3U);
  EXPECT_EQ(first.columns[1].title, "n128");
  EXPECT_EQ(first.columns[2].title, "n256");
  EXPECT_EQ(cell(first, "arguments", 1), "--n 128");
  EXPECT_EQ(cell(first, "arguments", 2), "--n 256");
  for (const char* row : {"duration", "bound", "dram", "occupancy", "registers/thread"}) {
    EXPECT_NE(cell(first, row, 1), "no such row") << row;
    EXPECT_EQ(cell(first, row, 1), cell(first, row, 2)) << row;
  }
  EXPECT_NE(blocks<Paragraph>(document).front().text.find("the same time"), std::string::npos);
}

TEST(SideBySide, SaysThatThereIsNothingInCommon) {
  const Diagnosis a = diagnose({&capture("memory"), 1});
  const Diagnosis b = diagnose({&capture("triton"), 1});
  const std::vector<ConfigResult> configs{{"a", "", &a}, {"b", "", &b}};
  Document document;
  add_side_by_side(configs, document);
  EXPECT_TRUE(blocks<Table>(document).empty());
  EXPECT_EQ(blocks<Callout>(document).size(), 1U);
}

}  // namespace
}  // namespace proofline::side_by_side_test
