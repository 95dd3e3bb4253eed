// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` says of a machine as a whole. For each check a machine where it speaks and one
// where it does not.
#include "diagnosis/preflight/preflight.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/preflight_machine.h"

namespace proofline::preflight_test {
namespace {

TEST(Preflight, TheGoodMachineIsReadyWithNotesOnly) {
  const Preflight preflight = judge_machine(good_machine());
  EXPECT_EQ(preflight.readiness, Readiness::kReady);
  EXPECT_EQ(preflight.headline, "ready to profile on NVIDIA H200 (sm_90)");
  std::vector<std::string> notes;
  for (const PreflightCheck& check : preflight.checks) {
    if (check.status == CheckStatus::kOk) continue;
    EXPECT_EQ(check.status, CheckStatus::kNote) << check.id << ": " << check.statement;
    notes.push_back(check.id);
  }
  EXPECT_EQ(notes, (std::vector<std::string>{"nsys", "clocks"}));
}

TEST(Preflight, NoGpuIsSaidPlainlyAndOnce) {
  const Preflight preflight = judge_machine(bare_machine());
  EXPECT_EQ(preflight.readiness, Readiness::kNotReady);
  EXPECT_NE(preflight.headline.find("no GPU"), std::string::npos);
  const auto bad = std::count_if(
      preflight.checks.begin(), preflight.checks.end(), [](const PreflightCheck& check) {
        return check.status == CheckStatus::kMissing || check.status == CheckStatus::kProblem;
      });
  EXPECT_EQ(bad, 1);
  expect_next(check_of(preflight, "gpu"), "diagnose");
}

TEST(Preflight, OnlyThePermissionMissing) {
  Machine machine = good_machine();
  machine.counters_for_admin_only = true;
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kNoPermission);
  machine.tools.front() = missing("ncu");
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kNotReady);
}

TEST(Preflight, EveryCheckHasOneId) {
  Machine machine = good_machine();
  machine.gpus.push_back(idle_h200(1));
  std::vector<std::string> ids;
  for (const PreflightCheck& check : judge_machine(machine).checks) ids.push_back(check.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

}  // namespace
}  // namespace proofline::preflight_test
