// SPDX-License-Identifier: Apache-2.0
//
// One table of levels: what is published, what can be the roof and what the screen shows come from
// it.
#include "vocabulary/levels.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analysis/analysis.h"
#include "analysis/launch/throughput_facts.h"
#include "support/captures.h"
#include "support/diagnosis_builder.h"
#include "views/diagnosis/diagnosis_document.h"

namespace proofline::levels_test {
namespace {

std::string_view first_metric(const LevelInfo& level) {
  return level.is_whole() ? level.aggregate.front() : level.paths.front();
}

TEST(Levels, EachHasANameWordsAndPathsAndAPlaceOfItsOwnAmongTheRoofs) {
  std::set<std::string_view> names;
  std::set<int> places;
  for (const LevelInfo& level : levels()) {
    EXPECT_TRUE(names.insert(level.name).second) << level.name;
    EXPECT_EQ(find_level(level.name), &level);
    EXPECT_FALSE(level.label.empty()) << level.name;
    EXPECT_FALSE(level.what.empty()) << level.name;
    EXPECT_FALSE(level.paths.empty() && level.aggregate.empty()) << level.name;
    EXPECT_EQ(level.bytes.empty(), level.clock.empty()) << level.name;
    if (!level.can_be_roof()) continue;
    EXPECT_TRUE(places.insert(level.binds).second) << level.name;
  }
  EXPECT_EQ(find_level("l3"), nullptr);
}

TEST(Levels, EachIsPublishedFromItsFirstPathAndIsTheRoofWhereItMayBe) {
  for (const LevelInfo& level : levels()) {
    Profile profile;
    Launch& launch = profile.launches.emplace_back();
    set_metric(profile, launch, first_metric(level), 90.0);
    const Facts facts = gather_facts(profile, launch, {});
    EXPECT_EQ(facts.number(facts::kThroughputShare[level.level]), 0.9) << level.name;
    EXPECT_EQ(facts.text("roof.level").value_or(""), level.can_be_roof() ? level.name : "");
  }
}

TEST(Levels, TheFirstToBindIsTheRoofAmongEquals) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  for (const LevelInfo& level : levels()) set_metric(profile, launch, first_metric(level), 90.0);
  EXPECT_EQ(gather_facts(profile, launch, {}).text("roof.level"), "tensor");
}

TEST(Levels, TheCatalogueNamesEach) {
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& info : analysis.facts) {
      if (info.name != facts::kThroughputShare.info.name) continue;
      for (const LevelInfo& level : levels()) {
        EXPECT_NE(info.meaning.find(level.name), std::string_view::npos) << level.name;
      }
    }
  }
}

TEST(Levels, EachThatCanBeTheRoofHasABarOnTheScreen) {
  for (const LevelInfo& level : levels()) {
    test_support::DiagnosisBuilder builder;
    builder.kernel("kernel", 1000).facts.add(facts::kThroughputShare[level.level], 0.9);
    const Document document = compose_diagnosis(builder.diagnosis, {});
    std::vector<std::string> shown;
    for (const Block& block : document.blocks) {
      const auto* bars = std::get_if<Bars>(&block);
      if (bars == nullptr) continue;
      for (const Bar& bar : bars->groups.front().bars) shown.push_back(bar.label);
    }
    const std::vector<std::string> expected(level.can_be_roof() ? 1 : 0, std::string(level.name));
    EXPECT_EQ(shown, expected);
  }
}

}  // namespace
}  // namespace proofline::levels_test
