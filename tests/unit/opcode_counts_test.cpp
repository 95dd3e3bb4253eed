// SPDX-License-Identifier: Apache-2.0
//
// Facts and listings class instructions by the same table of mnemonics.
#include "analysis/launch/opcode_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/captures.h"

namespace proofline::opcode_counts_test {
namespace {

// A launch that executed each of these opcodes so often.
class Executed {
 public:
  explicit Executed(const std::vector<std::pair<std::string, double>>& counts) {
    Launch& launch = profile_.launches.emplace_back();
    std::vector<std::string> opcodes;
    std::vector<double> values;
    for (const auto& [opcode, count] : counts) {
      opcodes.push_back(opcode);
      values.push_back(count);
    }
    set_metric(profile_, launch, kOpcodeMetrics[0], 0.0);
    Metric& metric = launch.metrics.front();
    metric.has_instances = true;
    metric.instances =
        std::make_unique<Instances>(Instances{std::move(opcodes), std::move(values)});
  }

  Facts facts() const { return gather_facts(profile_, profile_.launches.front(), {}); }

 private:
  Profile profile_;
};

// What a fact's class is, said by the name that `sass` shows: "global-load" counts as "global".
std::string expected_class(InstructionClass kind) {
  if (kind == InstructionClass::kSpecialFunction) return "special-function";
  if (kind == InstructionClass::kBranch) return "control";
  std::string name(to_string(kind));
  if (name == "async-copy" || name == "bulk-copy" || name == "mbarrier") return "async";
  name = name.substr(0, std::min(name.find("-load"), name.find("-store")));
  return name == "generic" ? "global" : name;
}

TEST(OpcodeCounts, FactsClassEveryMnemonicAsListingsDo) {
  for (const Mnemonics& generation : mnemonics()) {
    for (const auto& [name, kind] : generation.added) {
      const Facts facts = Executed({{std::string(name), 3}, {"NEVERSEEN.X", 1}}).facts();
      EXPECT_EQ(facts.number("instructions." + expected_class(kind) + ".share"), 0.75) << name;
      EXPECT_EQ(facts.number("instructions.unknown.share"), 0.25) << name;
    }
  }
}

TEST(OpcodeCounts, ModifiersDecideWhereTheMnemonicDoesNot) {
  const Facts facts = Executed({{"HADD2.F32", 1}, {"HADD2", 3}}).facts();
  EXPECT_EQ(facts.number("instructions.conversion.share"), 0.25);
  EXPECT_EQ(facts.number("instructions.fp16.share"), 0.75);
}

TEST(OpcodeCounts, TheCatalogueNamesEveryClass) {
  std::string_view meaning;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& info : analysis.facts) {
      if (info.name == "instructions.<class>.share") meaning = info.meaning;
    }
  }
  std::set<std::string> listed;
  meaning.remove_prefix(meaning.find(": ") + 2);
  while (!meaning.empty()) {
    const std::string_view name = meaning.substr(0, meaning.find_first_of(",."));
    listed.emplace(name);
    meaning.remove_prefix(std::min(meaning.size(), name.size() + 2));
  }
  std::set<std::string> published;
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    published.emplace(fact_word(static_cast<InstructionClass>(i)));
  }
  EXPECT_EQ(listed, published);
}

TEST(OpcodeCounts, TextureFetchesDoNotCountIntoTheGlobalWidth) {
  const Facts facts = Executed({{"LDG.E.128.CONSTANT", 3},
                                {"STG.E.64", 1},
                                {"TEX.SCR.LL", 4},
                                {"SULD.D.2D.BA.STRONG.SM.64", 8}})
                          .facts();
  EXPECT_EQ(facts.number("memory.global.width"), (3 * 16 + 8) / 4.0);
  EXPECT_EQ(facts.number("memory.global.instructions.share"), 0.25);
  EXPECT_EQ(facts.number("instructions.texture.share"), 0.75);
}

TEST(OpcodeCounts, WidthsAreThoseOfListings) {
  for (const char* opcode :
       {"LDG.E.U8", "LDG.E.U16.CONSTANT", "LDG.E", "LD.E.64", "LDG.E.128", "STG.E.ENL2.256"}) {
    EXPECT_EQ(Executed({{opcode, 2}}).facts().number("memory.global.width"), access_width(opcode))
        << opcode;
  }
  for (const char* opcode : {"LDS", "LDS.U.128", "LDSM.16.M88.4"}) {
    EXPECT_EQ(Executed({{opcode, 2}}).facts().number("memory.shared.load.width"),
              access_width(opcode))
        << opcode;
  }
}

// Whatever a capture of ours executed is in the table.
TEST(OpcodeCounts, EveryExecutedOpcodeOfTheCapturesIsKnown) {
  for (const char* folder : {"tests/fixtures/ncu_rep", "tests/fixtures/zoo"}) {
    for (const Profile& profile : read_captures(folder)) {
      for (const Launch& launch : profile.launches) {
        for (const OpcodeCount& row : opcode_counts({profile, launch, {}}).rows) {
          EXPECT_NE(instruction_class(row.opcode), InstructionClass::kUnknown)
              << row.opcode << " in " << profile.path;
        }
      }
    }
  }
}

}  // namespace
}  // namespace proofline::opcode_counts_test
