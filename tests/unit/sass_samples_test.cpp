// SPDX-License-Identifier: Apache-2.0
//
// PC samples on instructions: that each is counted where it belongs, on a small profile and on a
// real capture with its own code, and that what is missing is said.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/sass/samples.h"
#include "readers/code/cubin_code.h"
#include "readers/read_profile.h"
#include "support/sass_code.h"
#include "views/code/sample_tables.h"
#include "vocabulary/stall_reasons.h"

namespace proofline::sass_samples_test {
namespace {

using test_support::awaits;
using test_support::sass_code;
using test_support::SassCode;
using test_support::sets;

constexpr std::uint64_t kStart = 0x7f0000001000;
constexpr std::uint64_t kOther = 0x7f0000002000;

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add(Profile& profile, const std::string& name, const Counts& counts) {
  Metric& metric = profile.launches.at(0).metrics.emplace_back();
  metric.id = profile.metric_names.intern(name, "");
  metric.has_instances = true;
  metric.instances = std::make_unique<Instances>();
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint64_t> values;
  for (const auto& [address, count] : counts) {
    addresses.push_back(address);
    values.push_back(count);
  }
  metric.instances->correlation = std::move(addresses);
  metric.instances->values = std::move(values);
}

void sample(Profile& profile, const std::string& state, const Counts& counts) {
  add(profile, "smsp__pcsamp_warps_issue_stalled_" + state, counts);
}

// One launch whose module has the function "kernel" at kStart, and another at kOther.
Profile small_profile() {
  Profile profile;
  profile.launches.emplace_back().modules = {0};
  profile.modules.emplace_back().functions = {{"kernel", kStart}, {"elsewhere", kOther}};
  return profile;
}

SassCode load_and_use() {
  return sass_code({{"LDG.E R4, [R2.64]", sets(0)},
                    {"FADD R5, R4, R4", awaits(0b1)},
                    {"BAR.SYNC 0x0"},
                    {"EXIT"}});
}

TEST(CodeSamples, FallOnTheirInstructionsByReason) {
  Profile profile = small_profile();
  sample(profile, "long_scoreboard", {{kStart + 0x10, 30}, {kStart + 0x20, 5}, {kOther, 10}});
  sample(profile, "warpgroup_arrive", {{kStart + 0x10, 1}});
  sample(profile, "selected", {{kStart, 20}, {kStart + 0x10, 10}});
  sample(profile, "barrier_not_issued", {{kStart, 9}});  // a subset of another
  add(profile, "inst_executed", {{kStart, 64}, {kStart + 0x10, 0}});
  add(profile, "thread_inst_executed", {{kStart, 2048}});
  SassCode code = load_and_use();
  const CodeSamples samples = samples_of(profile, profile.launches[0], code.function());
  EXPECT_EQ(samples.missing, "");
  EXPECT_EQ(samples.total, 76U) << "those of the other function too";
  EXPECT_EQ(samples.reasons, (std::vector<std::string>{"long_scoreboard", "gmma", "selected"}));
  ASSERT_EQ(samples.rows.size(), 4U);
  EXPECT_EQ(samples.rows[0].samples, 20U);
  EXPECT_EQ(samples.rows[0].stalled, 0U);
  EXPECT_EQ(samples.rows[0].executed, 64U);
  EXPECT_EQ(samples.rows[0].threads_executed, 2048U);
  EXPECT_EQ(samples.rows[1].samples, 41U);
  EXPECT_EQ(samples.rows[1].stalled, 31U);
  EXPECT_EQ(samples.rows[1].by_reason, (std::vector<std::uint64_t>{30, 1, 10}));
  EXPECT_EQ(samples.rows[1].executed, 0U) << "counted, and never executed";
  EXPECT_EQ(samples.rows[2].executed, std::nullopt) << "not counted";
  EXPECT_EQ(samples.rows[3].samples, 0U);
  EXPECT_TRUE(samples.rows[3].by_reason.empty());
}

TEST(CodeSamples, SayWhatIsMissing) {
  SassCode code = load_and_use();
  Profile profile = small_profile();
  const auto missing = [&] {
    return samples_of(profile, profile.launches[0], code.function()).missing;
  };
  EXPECT_EQ(missing(), "the capture has no PC samples");
  sample(profile, "wait", {{kOther, 1}, {kStart + 0x1000, 2}, {kStart - 0x10, 3}, {kStart + 4, 4}});
  EXPECT_EQ(missing(), "no PC sample fell on this function");
  profile.launches[0].modules.clear();
  EXPECT_EQ(missing(), "the file does not say where this function was loaded");
}

TEST(CodeSamples, TheHottestComeFirstWithWhatTheyWaitFor) {
  Profile profile = small_profile();
  sample(profile, "long_scoreboard", {{kStart + 0x10, 30}, {kStart + 0x20, 1}});
  sample(profile, "barrier", {{kStart + 0x10, 2}, {kStart + 0x30, 40}});
  sample(profile, "selected", {{kStart, 27}, {kStart + 0x20, 100}});
  add(profile, "inst_executed", {{kStart + 0x10, 128}});
  SassCode code = load_and_use();
  const CodeFunction& function = code.function();
  const CodeSamples samples = samples_of(profile, profile.launches[0], function);
  const ExecutionCounts executed = execution_counts(samples);
  const SampledFunction sampled{function, code.flow, code.opcodes(), samples, executed};
  const auto hot = hottest(sampled, 2);
  ASSERT_EQ(hot.size(), 2U);
  EXPECT_EQ(hot[0].instruction, 3U);
  EXPECT_EQ(hot[0].share, 0.2);
  EXPECT_EQ(hot[0].reason, "barrier");
  EXPECT_EQ(hot[0].executed, std::nullopt);
  EXPECT_EQ(wait_text(awaited_instructions(function, code.opcodes(), hot[0].traced.waits)),
            "waits for other warps at the BAR.SYNC at 0x0020");
  EXPECT_EQ(hot[1].instruction, 1U);
  EXPECT_EQ(hot[1].stalled, 32U);
  EXPECT_EQ(hot[1].reason, "long_scoreboard");
  EXPECT_EQ(hot[1].executed, 128U);
  EXPECT_EQ(wait_text(awaited_instructions(function, code.opcodes(), hot[1].traced.waits)),
            "waits on the LDG.E at 0x0000");
  EXPECT_EQ(hottest(sampled, 10).size(), 3U) << "nobody stalls at the load itself";
}

// A report with its cubin, and nothing else: no listing, no tool.
struct Captured {
  Profile profile;
  Listing listing;
  const CodeFunction* function = nullptr;
  const Launch* launch = nullptr;
};

Captured capture(const std::string& kernel) {
  ReadOptions options;
  options.code = true;
  options.pc_samples = true;
  options.instances_of = {kInstructionsExecuted, kThreadsExecuted};
  const std::string path =
      std::string(PROOFLINE_SOURCE_DIR) + "/tests/fixtures/ncu_rep/h200-memory.ncu-rep.gz";
  Captured captured;
  captured.profile = std::move(read_profile(path, options).value());
  for (const Launch& launch : captured.profile.launches) {
    if (launch.function == kernel) captured.launch = &launch;
  }
  const Module& module = captured.profile.modules.at(captured.launch->modules.at(0));
  EXPECT_TRUE(read_cubin_code(module.cubin, "", captured.listing, [&](CodeFunction&& function) {
    if (function.name == captured.launch->mangled) {
      captured.listing.functions.push_back(std::move(function));
    }
  }));
  CodeFunction& function = captured.listing.functions.at(0);
  CodeCompleter(captured.listing.opcodes).complete(function);
  captured.function = &function;
  return captured;
}

TEST(CodeSamples, OfARealCaptureFallOnTheKernelInItsCubin) {
  const Captured captured = capture("sum_in_fixed_clusters");
  const CodeFunction& function = *captured.function;
  const OpcodeNames& opcodes = captured.listing.opcodes;
  const CodeSamples samples = samples_of(captured.profile, *captured.launch, function);
  const std::uint64_t here = std::accumulate(
      samples.rows.begin(), samples.rows.end(), std::uint64_t{0},
      [](std::uint64_t sum, const CodeSamples::Row& row) { return sum + row.samples; });
  EXPECT_EQ(here, samples.total) << "a kernel that calls nobody";
  const Flow flow = build_flow(function, opcodes);
  const ExecutionCounts executed = execution_counts(samples);
  const auto hot = hottest({function, flow, opcodes, samples, executed}, 3);
  ASSERT_EQ(hot.size(), 3U);
  // Lines of kernels/basics/cluster.cu: the second cluster.sync(), the one load, and the fence of
  // the first cluster.sync().
  EXPECT_EQ(hot[0].reason, "barrier");
  EXPECT_EQ(wait_text(awaited_instructions(function, opcodes, hot[0].traced.waits)),
            "waits for other warps at the UCGABAR_WAIT at 0x0700, cluster.cu:33");
  EXPECT_EQ(hot[1].reason, "long_scoreboard");
  EXPECT_EQ(wait_text(awaited_instructions(function, opcodes, hot[1].traced.waits)),
            "waits on the LDG.E.CONSTANT at 0x0070, cluster.cu:21");
  EXPECT_EQ(hot[2].reason, "membar");
  EXPECT_EQ(wait_text(awaited_instructions(function, opcodes, hot[2].traced.waits)),
            "waits for its own memory accesses at the MEMBAR.ALL.GPU at 0x03f0, cluster.cu:26");
}

}  // namespace
}  // namespace proofline::sass_samples_test
