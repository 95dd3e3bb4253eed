// SPDX-License-Identifier: Apache-2.0
//
// The kinds of phases: each that measures is done by one phase, which can be described and run.
#include <gtest/gtest.h>

#include <set>

#include "playbook/phase_kind.h"
#include "workflow/run/phase.h"

namespace proofline {
namespace phases_test {

TEST(Phases, EachKindThatMeasuresHasOne) {
  std::set<PhaseKind> kinds;
  for (const Phase& phase : phases()) {
    EXPECT_TRUE(info_of(phase.kind).measures) << to_string(phase.kind);
    EXPECT_TRUE(kinds.insert(phase.kind).second) << to_string(phase.kind) << " has two";
    EXPECT_NE(phase.describe, nullptr) << to_string(phase.kind);
    EXPECT_NE(phase.run, nullptr) << to_string(phase.kind);
    EXPECT_EQ(&phase_of(phase.kind), &phase);
  }
  EXPECT_EQ(kinds.size(), kMeasuringPhases);
}

TEST(Phases, AreFoundByTheirNames) {
  for (const PhaseKindInfo& info : kPhaseKinds) {
    EXPECT_EQ(find_phase_kind(info.name), &info);
    EXPECT_EQ(to_string(info.kind), info.name);
    EXPECT_FALSE(info.help.empty()) << info.name;
  }
  EXPECT_EQ(find_phase_kind("tune"), nullptr);
  EXPECT_EQ(find_phase_kind(""), nullptr);
}

}  // namespace phases_test
}  // namespace proofline
