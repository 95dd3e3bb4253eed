// SPDX-License-Identifier: Apache-2.0
//
// A fact that is asked for by a name that no analysis publishes would read as absent for ever, and
// nobody would notice. So the sources name a declared fact by its constant, which does not compile
// where it is misspelt, and what else looks like a fact's name has to be one.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "playbook/fact_catalogue.h"
#include "support/known_facts.h"

namespace proofline::fact_names_test {
namespace {

namespace fs = std::filesystem;

struct Literal {
  std::string text;
  std::string file;
};

// What comes after the rules; before them nobody reads facts.
bool comes_after_rules(const std::string& folder) {
  static const std::set<std::string_view> kUpToRules = {"base", "vocabulary", "model", "readers",
                                                        "arch", "analysis",   "rules"};
  return !kUpToRules.contains(folder);
}

// Literals that are a dotted name as a whole, or one end of such a name.
std::vector<Literal> dotted_literals(const std::string& folder) {
  static const RE2 kDotted(
      R"re("((?:[a-z]\w*)?(?:\[[^\]"]*\])?(?:\.[\w{}|-]+(?:\[[^\]"]*\])?)*\.?)")re");
  std::vector<Literal> found;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(PROOFLINE_SOURCE_DIR) / "src" / folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
      if (line.starts_with("#include") || line.substr(start).starts_with("//")) continue;
      re2::StringPiece rest(line);
      for (std::string text; RE2::FindAndConsume(&rest, kDotted, &text);) {
        // A word with a full stop is the end of a sentence, one with "__" a metric of ncu's.
        const std::size_t dot = text.find('.');
        if (dot == text.npos || dot + 1 == text.size() || text.find("__") != text.npos) continue;
        found.push_back({text, entry.path().filename().string()});
      }
    }
  }
  return found;
}

// "throughput.{}.share" means any level, "stall." and ".share" for what is put before or
// after them.
std::string pattern_of(const std::string& literal) {
  std::string pattern = RE2::QuoteMeta(literal);
  RE2::GlobalReplace(&pattern, R"(\\\{[^}]*\\\})", R"([^.]+)");
  if (literal.ends_with('.')) pattern += ".+";
  if (literal.starts_with('.')) pattern = ".+" + pattern;
  return pattern;
}

bool is_fact(const std::string& literal) {
  const auto& known = known_facts();
  if (known.contains(literal)) return true;
  const RE2 pattern(pattern_of(literal));
  return std::any_of(known.begin(), known.end(),
                     [&](const std::string& name) { return RE2::FullMatch(name, pattern); });
}

// By its pattern, or as one that a pattern covers.
bool is_listed(const std::string& literal) {
  const auto catalogue = fact_catalogue();
  return find_catalogue_fact(literal) != nullptr ||
         std::any_of(catalogue.begin(), catalogue.end(),
                     [&](const CatalogueFact& fact) { return fact.name == literal; });
}

std::string first_part(std::string_view name) {
  return std::string(name.substr(0, name.find_first_of(".[")));
}

TEST(FactNames, SourcesNameADeclaredFactByItsConstant) {
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(PROOFLINE_SOURCE_DIR "/src")) {
    if (!entry.is_directory()) continue;
    for (const Literal& literal : dotted_literals(entry.path().filename().string())) {
      ++seen;
      if (literal.file.ends_with("_facts.h") || literal.file == "idle_classes.h") continue;
      EXPECT_FALSE(known_facts().contains(literal.text))
          << literal.file << ": " << literal.text << " has a constant";
    }
  }
  EXPECT_GT(seen, 100U);
}

TEST(FactNames, WhatStartsLikeAFactIsOneInTheFoldersAfterTheRules) {
  std::set<std::string> first_parts;
  for (const std::string& name : known_facts()) first_parts.insert(first_part(name));
  for (const auto& entry : fs::directory_iterator(PROOFLINE_SOURCE_DIR "/src")) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || !comes_after_rules(folder)) continue;
    for (const Literal& literal : dotted_literals(folder)) {
      if (!first_parts.contains(first_part(literal.text))) continue;
      EXPECT_TRUE(is_fact(literal.text) || is_listed(literal.text))
          << literal.file << ": nothing publishes " << literal.text;
    }
  }
}

TEST(FactNames, AMisspeltNameIsNoFact) {
  EXPECT_TRUE(is_fact("stall.barrier.share"));
  EXPECT_TRUE(is_fact("instructions.fence.share"));
  EXPECT_TRUE(is_fact("throughput.{}.share"));
  EXPECT_TRUE(is_fact("hot.line[{}].place"));
  EXPECT_TRUE(is_fact("stall.group."));
  EXPECT_TRUE(is_fact(".share"));
  EXPECT_FALSE(is_fact("stall.barier.share"));
  EXPECT_FALSE(is_fact("stall.barrier.shares"));
  EXPECT_FALSE(is_fact("throughput.{}.shares"));
  EXPECT_FALSE(is_fact("stalls."));
}

}  // namespace
}  // namespace proofline::fact_names_test
