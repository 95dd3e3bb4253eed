// SPDX-License-Identifier: Apache-2.0
//
// Facts that come from the machine code in a report: what they are of known kernels, and why they
// are absent where the code, a part of it or the samples are not there.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/input.h"
#include "diagnosis/diagnose.h"
#include "support/captures.h"

namespace proofline::machine_code_facts_test {
namespace {

const std::string kTree = std::string(PROOFLINE_SOURCE_DIR) + "/";

const Profile& example(bool code) {
  const auto read = [](bool with_code) {
    auto profile =
        read_profile(kTree + "examples/h200-kernels.ncu-rep.gz", diagnosis_read_options(with_code));
    EXPECT_TRUE(profile);
    return profile ? std::move(*profile) : Profile{};
  };
  static const Profile kWithCode = read(true);
  static const Profile kWithout = read(false);
  return code ? kWithCode : kWithout;
}

Facts facts_of_kernel(const Profile& profile, std::string_view function) {
  for (const Launch& launch : profile.launches) {
    if (launch.function == function) return gather_facts(profile, launch, {});
  }
  ADD_FAILURE() << function << " is not there";
  return {};
}

constexpr std::uint64_t kStart = 0x7f0000001000;

// One launch of a kernel of a cubin in the fixtures.
Profile profile_of(const std::string& cubin, const std::string& kernel) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  launch.mangled = kernel;
  launch.modules = {0};
  Module& module = profile.modules.emplace_back();
  module.functions = {{kernel, kStart}};
  auto input = Input::open(kTree + "tests/fixtures/" + cubin);
  EXPECT_TRUE(input);
  if (!input) return profile;
  const auto bytes = input->take_rest();
  EXPECT_TRUE(bytes);
  if (bytes) module.cubin = *bytes;
  module.cubin_bytes = module.cubin.size();
  return profile;
}

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // at which address

void count(Profile& profile, const std::string& name, const Counts& counts) {
  Metric& metric = profile.launches[0].metrics.emplace_back();
  metric.id = profile.metric_names.intern(name, "");
  metric.has_instances = true;
  metric.instances = std::make_unique<Instances>();
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint64_t> values;
  for (const auto& [address, count] : counts) {
    addresses.push_back(kStart + address);
    values.push_back(count);
  }
  metric.instances->correlation = std::move(addresses);
  metric.instances->values = std::move(values);
}

void sample(Profile& profile, const std::string& state, const Counts& counts) {
  count(profile, "smsp__pcsamp_warps_issue_stalled_" + state, counts);
}

std::string why_absent(const Facts& facts, std::string_view name) {
  EXPECT_FALSE(facts.find(name)) << name;
  return facts.absence(name).reason;
}

TEST(MachineCodeFacts, TellSpillsFromAKernelThatFits) {
  const Facts spills = facts_of_kernel(example(true), "mix_with_spills");
  EXPECT_EQ(spills.number("sass.registers"), 32);
  EXPECT_GT(spills.number("sass.spill.bytes"), 0);
  EXPECT_EQ(spills.text("sass.lines"), "yes");
  const Facts fits = facts_of_kernel(example(true), "mix_in_registers");
  EXPECT_EQ(fits.number("sass.registers"), 54);
  EXPECT_EQ(fits.number("sass.spill.bytes"), 0);
  EXPECT_EQ(fits.number("sass.stack.bytes"), 0);
  EXPECT_EQ(fits.number("sass.roles"), 0);
  EXPECT_EQ(fits.text("sass.roles.verdict"), "none");
  EXPECT_EQ(why_absent(fits, "sass.tensor.n"), "the kernel has no tensor instructions");
  EXPECT_EQ(why_absent(fits, "sass.role[mma].waiting.share"), "the kernel has no mma role");
  EXPECT_TRUE(fits.absence("sass.role[mma].waiting.share").metrics.empty()) << "none would help";
}

TEST(MachineCodeFacts, TellHowTheCodeWasMadeAndWhetherItAllocates) {
  const auto facts = [](const std::string& cubin, const std::string& kernel) {
    const Profile profile = profile_of(cubin, kernel);
    return gather_facts(profile, profile.launches[0], {});
  };
  const Facts plain = facts("cubin/allocation.sm_90a.cubin.gz", "allocates");
  EXPECT_EQ(plain.text("sass.optimised"), "yes");
  EXPECT_EQ(plain.text("sass.allocates"), "yes");
  EXPECT_EQ(why_absent(plain, "sass.loop.overhead.share"), "the kernel has no loop that works");
  const Facts sums = facts("cubin/allocation.sm_90a.cubin.gz", "sums");
  EXPECT_NE(why_absent(sums, "sass.allocates").find("does not tell"), std::string::npos);
  const auto overhead = sums.number("sass.loop.overhead.share");
  ASSERT_TRUE(overhead);
  EXPECT_GT(*overhead, 0.05);
  EXPECT_LT(*overhead, 0.8);
  EXPECT_EQ(facts("cubin/unoptimised.sm_90a.cubin.gz", "arrives").text("sass.optimised"), "no");
}

TEST(MachineCodeFacts, CountTheWarpsOfARole) {
  Profile profile = profile_of("sass/roles.sm_90a.cubin.gz", "roles_mbarrier");
  const auto warps = [&](std::string_view role) {
    const Facts facts = gather_facts(profile, profile.launches[0], {});
    return facts.number("sass.role[" + std::string(role) + "].warps");
  };
  EXPECT_EQ(warps("load"), std::nullopt);  // of how many, nobody said
  profile.launches[0].block = Dim3{288, 1, 1};
  EXPECT_EQ(warps("load"), 1);
  EXPECT_EQ(warps("mma"), 4);
  EXPECT_EQ(warps("epilogue"), 4);
}

TEST(MachineCodeFacts, NameWhatToCaptureWhereTheReportHasNoCode) {
  const Profile profile;
  const Facts nothing = gather_facts(profile, Launch{}, {});
  for (const char* name : {"sass.spill.bytes", "sass.optimised", "sass.roles.verdict",
                           "sass.role[mma].waiting.share", "lanes.line[0].place"}) {
    EXPECT_FALSE(nothing.absence(name).metrics.empty()) << name;
  }
}

TEST(MachineCodeFacts, TellTheShapeOfTensorInstructions) {
  const Facts warp = facts_of_kernel(example(true), "gemm_wmma");
  EXPECT_EQ(warp.number("sass.tensor.m"), 16);
  EXPECT_EQ(warp.number("sass.tensor.n"), 8);
  EXPECT_EQ(warp.number("sass.tensor.k"), 16);
  const Profile group = profile_of("sass/roles.sm_90a.cubin.gz", "roles_mbarrier");
  const Facts wide = gather_facts(group, group.launches[0], {});
  EXPECT_EQ(wide.number("sass.tensor.m"), 64);
  EXPECT_EQ(wide.number("sass.tensor.n"), 32);
  EXPECT_EQ(wide.number("sass.tensor.k"), 16);
  const Profile unit = profile_of("sass/tcgen05.sm_100a.cubin.gz", "tcgen05_direct");
  EXPECT_NE(why_absent(gather_facts(unit, unit.launches[0], {}), "sass.tensor.n")
                .find("UTCHMMA does not tell its shape"),
            std::string::npos);
}

TEST(MachineCodeFacts, SayWhichRoleWaitsForWhich) {
  Profile profile = profile_of("sass/roles.sm_90a.cubin.gz", "roles_mbarrier");
  // The mma role polls for the load role and for the epilogue; each role also works.
  sample(profile, "long_scoreboard", {{0xd00, 30}, {0xd30, 10}});
  sample(profile, "selected", {{0x720, 60}, {0xc70, 50}, {0x520, 50}});
  const Facts facts = gather_facts(profile, profile.launches[0], {});
  EXPECT_EQ(facts.number("sass.roles"), 3);
  EXPECT_EQ(facts.text("sass.roles.verdict"), "separate");
  EXPECT_EQ(facts.number("sass.barriers.shared"), 0);
  EXPECT_EQ(facts.number("sass.role[mma].instructions"), 86);
  EXPECT_EQ(facts.number("sass.role[load].instructions"), 42);
  EXPECT_EQ(facts.number("sass.role[mma].samples.share"), 0.5);
  EXPECT_EQ(facts.number("sass.role[mma].waiting.share"), 0.4);
  EXPECT_EQ(facts.number("sass.role[epilogue].waiting.share"), 0);
  EXPECT_EQ(facts.number("pipeline.bubble.share"), 0.4);
  EXPECT_EQ(facts.number("pipeline.bubble[load].share"), 0.3);
  EXPECT_EQ(facts.number("pipeline.bubble[epilogue].share"), 0.1);
  EXPECT_EQ(facts.number("memory.tma.wait.share"), 0.15);
  EXPECT_TRUE(facts.number("sass.roles.balance.share"));
}

TEST(MachineCodeFacts, CountBarriersThatRolesShareInLoops) {
  const Profile profile = profile_of("sass/roles.sm_90a.cubin.gz", "roles_named");
  EXPECT_EQ(gather_facts(profile, profile.launches[0], {}).number("sass.barriers.shared"), 4);
}

TEST(MachineCodeFacts, AreAbsentWithoutSamples) {
  const Profile profile = profile_of("sass/roles.sm_90a.cubin.gz", "roles_mbarrier");
  const Facts facts = gather_facts(profile, profile.launches[0], {});
  EXPECT_EQ(facts.number("sass.role[mma].instructions"), 86);
  for (const char* name : {"sass.role[mma].waiting.share", "pipeline.bubble.share",
                           "pipeline.bubble[load].share", "memory.tma.wait.share"}) {
    EXPECT_EQ(why_absent(facts, name), "the report has no PC samples of this kernel");
    EXPECT_FALSE(facts.absence(name).metrics.empty()) << name;
  }
}

TEST(MachineCodeFacts, AreAbsentWhereTheCodeWasNotReadOrIsNotThere) {
  const Facts unread = facts_of_kernel(example(false), "mix_with_spills");
  EXPECT_EQ(why_absent(unread, "sass.spill.bytes"),
            "the code was not read (proofline diagnose --facts does)");
  Profile nothing;
  nothing.launches.emplace_back();
  const Facts none = gather_facts(nothing, nothing.launches[0], {});
  EXPECT_EQ(why_absent(none, "sass.registers"), "the file does not hold the code that ran");
  EXPECT_EQ(why_absent(none, "lanes.line[0].place"), "the file does not hold the code that ran");
}

// Notes of the file stand; nothing is said of instructions that nobody could read.
TEST(MachineCodeFacts, AreAbsentWhereTheCodeCannotBeDecoded) {
  const Profile profile = profile_of("cubin/undecoded.3.sm_70.cubin.gz", "hidden");
  const Facts facts = gather_facts(profile, profile.launches[0], {});
  EXPECT_TRUE(facts.number("sass.registers"));
  for (const char* name : {"sass.spill.bytes", "sass.roles", "sass.roles.verdict", "sass.live",
                           "sass.tensor.n", "sass.barriers.shared"}) {
    EXPECT_NE(why_absent(facts, name).find("instructions could not be decoded"), std::string::npos)
        << name;
  }
}

// 0x0080 is in the loop of counted_loop, 0x0150 in the padding after it.
TEST(MachineCodeFacts, AreAbsentWhereABranchIsReadWrongly) {
  Profile profile = profile_of("sass/loops.sm_90a.cubin.gz", "counted_loop");
  sample(profile, "wait", {{0x80, 3}});
  const auto facts = [&] { return gather_facts(profile, profile.launches[0], {}); };
  EXPECT_EQ(facts().number("sass.loops"), 1);
  count(profile, "inst_executed", {{0x80, 8}, {0x150, 8}});
  EXPECT_NE(why_absent(facts(), "sass.loops").find("nothing leads to"), std::string::npos);
  EXPECT_TRUE(facts().number("sass.registers"));
}

TEST(MachineCodeFacts, NameTheLinesThatLoseLanes) {
  const Facts facts = facts_of_kernel(example(true), "softmax_warp_per_row");
  EXPECT_NE(facts.text("lanes.line[0].place").value_or("").find("softmax.cu:"), std::string::npos);
  const double first = facts.number("lanes.line[0].lost.share").value_or(0);
  EXPECT_GT(first, 0);
  EXPECT_GE(first, facts.number("lanes.line[1].lost.share").value_or(0));
}

TEST(MachineCodeFacts, AreAllInTheCatalogue) {
  const auto known = [](const std::string& name) {
    for (const Analysis& analysis : analyses()) {
      for (const FactInfo& info : analysis.facts) {
        if (matches_fact(info.name, name)) return true;
      }
    }
    return false;
  };
  for (const Launch& launch : example(true).launches) {
    const Facts facts = gather_facts(example(true), launch, {});
    for (const Fact& fact : facts.published()) EXPECT_TRUE(known(fact.name)) << fact.name;
    for (const AbsentFact& fact : facts.absent()) EXPECT_TRUE(known(fact.name)) << fact.name;
  }
}

}  // namespace
}  // namespace proofline::machine_code_facts_test
