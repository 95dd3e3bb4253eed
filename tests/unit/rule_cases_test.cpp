// SPDX-License-Identifier: Apache-2.0
//
// That each rule has its cases: tests/unit/rules/<stem>_test.cpp, in which it is found, silent and
// not evaluated at least once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "rules/rule.h"

namespace proofline::rule_cases_test {
namespace {

namespace fs = std::filesystem;

std::string file_of(std::string_view id) {
  std::string stem(id);
  std::replace(stem.begin(), stem.end(), '-', '_');
  return stem + "_test.cpp";
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of kernels and of timelines.
std::vector<Rule> all_rules() {
  std::vector<Rule> all(rules().begin(), rules().end());
  all.insert(all.end(), timeline_rules().begin(), timeline_rules().end());
  return all;
}

TEST(RuleCases, EachRuleHasItsFileAndEachFileItsRule) {
  std::set<std::string> wanted;
  for (const Rule& rule : all_rules()) wanted.insert(file_of(rule.id));
  std::set<std::string> present;
  for (const auto& entry : fs::directory_iterator(PROOFLINE_SOURCE_DIR "/tests/unit/rules")) {
    present.insert(entry.path().filename().string());
  }
  EXPECT_EQ(present, wanted);
}

TEST(RuleCases, EachRuleIsFoundSilentAndNotEvaluated) {
  const fs::path folder = PROOFLINE_SOURCE_DIR "/tests/unit/rules";
  for (const Rule& rule : all_rules()) {
    const std::string text = read_text(folder / file_of(rule.id));
    const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
    const bool both_sides = has("EXPECT_FOUND_FROM(") || has("EXPECT_FOUND_UP_TO(");
    EXPECT_TRUE(has("\"" + std::string(rule.id) + "\"")) << rule.id << " is not evaluated at all";
    EXPECT_TRUE(both_sides || has("EXPECT_FOUND(")) << rule.id << " is never found";
    EXPECT_TRUE(both_sides || has("EXPECT_SILENT(")) << rule.id << " is never silent";
    EXPECT_TRUE(has("EXPECT_NOT_EVALUATED(")) << rule.id << " never lacks a fact";
  }
}

}  // namespace
}  // namespace proofline::rule_cases_test
