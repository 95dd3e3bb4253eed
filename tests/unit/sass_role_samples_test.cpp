// SPDX-License-Identifier: Apache-2.0
//
// Samples by warp role: who waits for whom, and how long.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/sass/hot_loop.h"
#include "analysis/sass/role_samples.h"
#include "support/sass_program.h"
#include "views/code/code_document.h"
#include "workflow/code/analysed_code.h"

namespace proofline::sass_role_samples_test {
namespace {

using test_support::sass_program;
using test_support::SassProgram;

// Warp 8 loads and waits until a stage is free; the others multiply and wait until one is full.
SassProgram load_and_multiply() {
  return sass_program({
      "S2R R23, SR_TID.X",                                   // 0
      "SHF.R.U32.HI R0, RZ, 0x5, R23",                       // 1
      "SHFL.IDX PT, R0, R0, RZ, 0x1f",                       // 2
      "UMOV UR9, 0x400",                                     // 3
      "ISETP.NE.AND P0, PT, R0, 0x8, PT",                    // 4
      "@!P0 BRA load",                                       // 5
      "multiply:",                                           //
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], R4",        // 6: full
      "@!P1 BRA multiply",                                   // 7
      "work:",                                               //
      "HGMMA.64x32x16.F32.BF16 R24, gdesc[UR4], R24, gsb0",  // 8
      "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR9+0x8], RZ",         // 9: empty
      "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",                // 10
      "@!P0 BRA multiply",                                   // 11
      "EXIT",                                                // 12
      "load:",                                               //
      "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9+0x8], R4",    // 13: empty
      "@!P1 BRA load",                                       // 14
      "SYNCS.ARRIVE.TRANS64 RZ, [UR9], R5",                  // 15: full
      "LDGSTS.E.128 [R8], [R2.64]",                          // 16
      "ISETP.LE.U32.AND P0, PT, R4, UR8, PT",                // 17
      "@!P0 BRA load",                                       // 18
      "EXIT",                                                // 19
  });
}

CodeSamples no_samples(const SassProgram& program) {
  CodeSamples samples;
  samples.reasons = {"long_scoreboard", "selected", "gmma"};
  samples.rows.resize(program.values->function().instructions.size());
  return samples;
}

void sample(CodeSamples& samples, std::size_t at, std::size_t reason, std::uint64_t count) {
  CodeSamples::Row& row = samples.rows[at];
  row.by_reason.resize(samples.reasons.size());
  row.by_reason[reason] += count;
  row.samples += count;
  if (reason != 1) row.stalled += count;
  samples.total += count;
}

void add_samples(const SassProgram& program, const CodeSamples& samples, Roles& roles,
                 Mbarriers& mbarriers) {
  const CodeFunction& function = program.values->function();
  const Flow& flow = program.values->flow();
  const OpcodeNames& opcodes = program.values->opcodes();
  const ExecutionCounts executed = execution_counts(samples);
  add_role_samples({function, flow, opcodes, samples, executed},
                   find_polling_loops(function, flow, opcodes), roles, mbarriers);
}

TEST(RoleSamples, TellWhoWaitsForWhom) {
  const SassProgram program = load_and_multiply();
  const Flow& flow = program.values->flow();
  const Roles found = find_roles(*program.values);
  Roles roles = found;
  ASSERT_EQ(roles.roles.size(), 2U);
  Mbarriers mbarriers = find_mbarriers(*program.values, roles);
  ASSERT_EQ(mbarriers.barriers.size(), 2U);
  const std::uint32_t mma = roles.role_of[flow.block_of[8]];
  const std::uint32_t load = roles.role_of[flow.block_of[16]];

  CodeSamples samples = no_samples(program);
  sample(samples, 0, 1, 5);    // before the roles
  sample(samples, 14, 0, 60);  // the loader waits for a free stage
  sample(samples, 16, 1, 40);
  sample(samples, 8, 1, 70);
  sample(samples, 10, 2, 30);  // for its own tensor instruction
  samples.rows[16].executed = 10;
  samples.rows[16].threads_executed = 160;
  add_samples(program, samples, roles, mbarriers);
  const RoleTime loading = roles.roles[load].sampled.value();
  const RoleTime multiplying = roles.roles[mma].sampled.value();
  EXPECT_EQ(loading.samples, 100U);
  EXPECT_EQ(loading.waiting, 60U);
  EXPECT_DOUBLE_EQ(loading.lanes().value_or(0), 16);
  EXPECT_EQ(multiplying.samples, 100U);
  EXPECT_EQ(multiplying.waiting, 0U) << "a tensor instruction is no other role";
  ASSERT_EQ(roles.waits.size(), 2U);
  for (const RoleWait& wait : roles.waits) {
    EXPECT_EQ(wait.for_role, wait.role == load ? mma : load);
    EXPECT_EQ(wait.samples, wait.role == load ? 60U : 0U);
  }
  EXPECT_EQ(
      mbarriers.barriers[0].waiting_samples.value() + mbarriers.barriers[1].waiting_samples.value(),
      60U);
  EXPECT_DOUBLE_EQ(roles.balance.value_or(0), 0.4);

  samples.missing = "none";
  roles = found;
  add_samples(program, samples, roles, mbarriers);
  EXPECT_FALSE(roles.roles[load].sampled.has_value());
}

// The rows of a function's screen that bear the name.
std::vector<std::string> rows(const FunctionReport& function, const std::string& name) {
  CodeReport report;
  report.functions.push_back(function);
  std::vector<std::string> found;
  for (const auto& block : compose_code(report, {}).blocks) {
    const auto* properties = std::get_if<Properties>(&block);
    if (properties == nullptr) continue;
    for (const auto& [row, text] : properties->rows) {
      if (row == name) found.push_back(text);
    }
  }
  return found;
}

// kernels/basics/warp_roles.cu on an H200: one role of each kernel is slow, and the others must
// wait for it, at once or by way of the role between.
TEST(RoleSamples, TellWhoIsSlowInARecordedKernel) {
  const auto side = analyse_code(
      PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/h200-roles.ncu-rep.gz",
      {.function = "", .disassembler = "native", .source_folder = ""}, {.functions = true}, {});
  ASSERT_TRUE(side) << side.error().message;
  ASSERT_EQ(side->report.functions.size(), 3U);
  for (const FunctionReport& function : side->report.functions) {
    const bool load = function.name.find("Slow0E") != std::string::npos;
    const bool multiply = function.name.find("Slow1E") != std::string::npos;
    const RoleKind slow = load ? RoleKind::kLoad : multiply ? RoleKind::kMma : RoleKind::kEpilogue;
    ASSERT_EQ(function.roles.roles.size(), 3U) << function.name;
    for (std::size_t i = 0; i < 3; ++i) {
      const double waiting = function.roles.roles[i].sampled.value().waiting_share();
      if (function.roles.roles[i].kind == slow) {
        EXPECT_LT(waiting, 0.05) << function.name << " " << i;
      } else {
        EXPECT_GT(waiting, 0.9) << function.name << " " << i;
      }
    }
    ASSERT_EQ(function.mbarriers.barriers.size(), 4U) << function.name;
    for (const Mbarrier& barrier : function.mbarriers.barriers) {
      EXPECT_EQ(barrier.slots, 2U) << function.name << " " << barrier.place;
      EXPECT_TRUE(barrier.paired) << function.name << " " << barrier.place;
    }
  }
}

TEST(RoleSamples, AreSaidInWords) {
  FunctionReport function;
  function.roles.verdict = RoleVerdict::kSeparate;
  function.roles.roles.resize(2);
  function.roles.roles[0].kind = RoleKind::kEpilogue;
  function.roles.roles[1].kind = RoleKind::kMma;
  function.mbarriers.barriers = {
      {"0x400",
       true,
       {{0, 0x10, MbarrierUse::kArrive, "", 1}, {1, 0x20, MbarrierUse::kWait, "", 0}},
       true}};
  EXPECT_EQ(
      rows(function, "  mbarrier"),
      (std::vector<std::string>{"0x400 (ring): mma -> epilogue; arrive 0x0010; wait 0x0020"}));
  function.hot.emplace();
  function.hot->samples = 200;
  function.roles.roles[0].sampled = {100, 50, 17, 10, 320};
  function.roles.roles[1].sampled = {100, 50, 0, {}, {}};
  function.roles.waits = {{0, 1, 17}, {1, 0, 0}};
  function.mbarriers.barriers[0].waiting_samples = 17;
  EXPECT_EQ(rows(function, "  waits"),
            (std::vector<std::string>{"epilogue waits for mma 17 % of its time",
                                      "mma never waits for epilogue"}));
  EXPECT_EQ(rows(function, "  mbarrier"),
            (std::vector<std::string>{"0x400 (ring): mma -> epilogue; arrive 0x0010; wait 0x0020; "
                                      "8.5 % of the samples wait there"}));
  EXPECT_EQ(rows(function, "  bubble"),
            (std::vector<std::string>{"0 % of mma's time goes to waiting for other roles"}));
}

}  // namespace
}  // namespace proofline::sass_role_samples_test
