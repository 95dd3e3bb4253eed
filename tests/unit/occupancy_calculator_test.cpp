// SPDX-License-Identifier: Apache-2.0
//
// The occupancy calculator: worked out by hand for each generation, and equal to what ncu says of
// every launch at hand, at every point of ncu's own tables of occupancy.
#include "analysis/launch/occupancy_calculator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "readers/read_profile.h"

namespace proofline::occupancy_calculator_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kKiB = 1024;

const SmLimits& sm(std::string_view compute_capability) {
  const SmLimits* limits = find_sm_limits(compute_capability);
  EXPECT_NE(limits, nullptr) << compute_capability;
  return *limits;
}

std::uint32_t limit(const Occupancy& occupancy, BlockLimit which) {
  return occupancy.limits[static_cast<std::size_t>(which)].value();
}

TEST(Arch, KnowsEachCapabilityOnce) {
  std::set<std::string_view> seen;
  for (const Arch& arch : archs()) {
    for (const SmLimits& limits : arch.capabilities) {
      SCOPED_TRACE(limits.compute_capability);
      EXPECT_TRUE(seen.insert(limits.compute_capability).second);
      EXPECT_EQ(find_sm_limits(limits.compute_capability), &limits);
      EXPECT_TRUE(std::is_sorted(limits.shared_carveouts.begin(), limits.shared_carveouts.end()));
      // One block can have all shared memory but for the reserved part; only Pascal keeps half.
      if (arch.name != "Pascal") {
        EXPECT_EQ(limits.max_shared_per_block + limits.shared_reserved,
                  limits.shared_carveouts.back());
      }
      EXPECT_EQ(limits.max_warps % limits.sub_partitions, 0U);
    }
  }
  for (const char* capability : {"6.0", "6.1", "7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9",
                                 "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"}) {
    EXPECT_TRUE(seen.contains(capability)) << capability;
  }
  EXPECT_EQ(find_sm_limits("99.0"), nullptr);
  EXPECT_EQ(find_sm_limits(""), nullptr);
}

struct ByHand {
  const char* compute_capability;
  BlockResources block;
  std::uint32_t registers, shared_memory, warps, blocks;
  double share;
};

// 67 registers are 2144 for a warp, allocated as 2304: 7 warps in each quarter, 28 on the SM.
// 20 KiB of shared memory are 21 KiB with the reserved one.
TEST(OccupancyCalculator, AgreesWithPaperForEachGeneration) {
  const BlockResources block = {
      .threads = 128, .registers_per_thread = 67, .shared_bytes = 20 * kKiB};
  const ByHand cases[] = {
      {"6.0", block, 7, 3, 16, 32, 12.0 / 64},  // two sub-partitions: 14 warps in each
      {"6.1", block, 7, 4, 16, 32, 16.0 / 64},   {"7.0", block, 7, 4, 16, 32, 16.0 / 64},
      {"7.2", block, 7, 4, 16, 32, 16.0 / 64},   {"7.5", block, 7, 3, 8, 16, 12.0 / 32},
      {"8.0", block, 7, 7, 16, 32, 28.0 / 64},   {"8.6", block, 7, 4, 12, 16, 16.0 / 48},
      {"8.7", block, 7, 7, 12, 16, 28.0 / 48},   {"8.9", block, 7, 4, 12, 24, 16.0 / 48},
      {"9.0", block, 7, 10, 16, 32, 28.0 / 64},  {"10.0", block, 7, 10, 16, 32, 28.0 / 64},
      {"10.3", block, 7, 10, 16, 32, 28.0 / 64}, {"11.0", block, 7, 10, 12, 24, 28.0 / 48},
      {"12.0", block, 7, 4, 12, 24, 16.0 / 48},  {"12.1", block, 7, 4, 12, 24, 16.0 / 48},
  };
  for (const ByHand& expected : cases) {
    SCOPED_TRACE(expected.compute_capability);
    const Occupancy occupancy =
        calculate_occupancy(sm(expected.compute_capability), expected.block);
    EXPECT_EQ(limit(occupancy, BlockLimit::kRegisters), expected.registers);
    EXPECT_EQ(limit(occupancy, BlockLimit::kSharedMemory), expected.shared_memory);
    EXPECT_EQ(limit(occupancy, BlockLimit::kWarps), expected.warps);
    EXPECT_EQ(limit(occupancy, BlockLimit::kBlocks), expected.blocks);
    EXPECT_DOUBLE_EQ(occupancy.share, expected.share);
  }
}

TEST(OccupancyCalculator, CountsBarriersFromHopperOn) {
  const BlockResources block = {.threads = 32, .registers_per_thread = 16, .barriers = 5};
  EXPECT_EQ(limit(calculate_occupancy(sm("9.0"), block), BlockLimit::kBarriers), 12U);
  EXPECT_EQ(limit(calculate_occupancy(sm("10.0"), block), BlockLimit::kBarriers), 12U);
  EXPECT_EQ(limit(calculate_occupancy(sm("12.0"), block), BlockLimit::kBarriers), 4U);
  EXPECT_EQ(calculate_occupancy(sm("12.0"), block).blocks, 4U);
  const Occupancy ampere = calculate_occupancy(sm("8.6"), block);
  EXPECT_FALSE(ampere.limits[static_cast<std::size_t>(BlockLimit::kBarriers)]);
  EXPECT_EQ(ampere.blocks, 16U);
}

TEST(OccupancyCalculator, CountsWithTheCarveoutThatWasSet) {
  BlockResources block = {.threads = 128, .registers_per_thread = 32, .shared_bytes = 7 * kKiB};
  block.shared_carveout = 32 * kKiB;
  EXPECT_EQ(limit(calculate_occupancy(sm("9.0"), block), BlockLimit::kSharedMemory), 4U);
  // Too small for one block: the driver takes the next that holds it.
  block.shared_bytes = 40 * kKiB;
  EXPECT_EQ(limit(calculate_occupancy(sm("9.0"), block), BlockLimit::kSharedMemory), 1U);
  // Not a size that the SM has: the largest.
  block.shared_carveout = 48 * kKiB;
  EXPECT_EQ(limit(calculate_occupancy(sm("9.0"), block), BlockLimit::kSharedMemory), 5U);
}

TEST(OccupancyCalculator, ABlockThatCannotRunGivesZero) {
  const SmLimits& hopper = sm("9.0");
  EXPECT_EQ(calculate_occupancy(hopper, {}).blocks, 0U);
  EXPECT_EQ(calculate_occupancy(hopper, {.threads = 1025, .registers_per_thread = 16}).blocks, 0U);
  EXPECT_EQ(calculate_occupancy(hopper, {.threads = 32, .registers_per_thread = 256}).blocks, 0U);
  EXPECT_EQ(calculate_occupancy(hopper, {.threads = 1024, .registers_per_thread = 65}).blocks, 0U);
  const BlockResources greedy = {
      .threads = 32, .registers_per_thread = 16, .shared_bytes = 227 * kKiB + 1};
  EXPECT_EQ(calculate_occupancy(hopper, greedy).blocks, 0U);
  const BlockResources absurd = {.threads = 0xffffffff,
                                 .registers_per_thread = 0xffffffff,
                                 .shared_bytes = 0xffffffff,
                                 .shared_carveout = 0xffffffff,
                                 .barriers = 0xffffffff};
  EXPECT_EQ(calculate_occupancy(hopper, absurd).blocks, 0U);
  EXPECT_FALSE(next_occupancy_step(hopper, absurd));
}

// 8 blocks of 8 warps would need 16 warps in each quarter; 7 fit. 64 registers let 8 in.
TEST(NextStep, FewerRegisters) {
  const BlockResources block = {.threads = 128, .registers_per_thread = 67};
  const auto step = next_occupancy_step(sm("9.0"), block);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.registers_per_thread, 64U);
  EXPECT_EQ(step->block.threads, 128U);
  EXPECT_EQ(step->occupancy.blocks, 8U);
  EXPECT_DOUBLE_EQ(step->occupancy.share, 0.5);
}

TEST(NextStep, FewerBytesOrALargerCarveout) {
  const BlockResources full = {
      .threads = 256, .registers_per_thread = 32, .shared_bytes = 60 * kKiB};
  auto step = next_occupancy_step(sm("9.0"), full);
  ASSERT_TRUE(step);
  // 228 KiB for 4 blocks are 57, one of them reserved.
  EXPECT_EQ(step->block.shared_bytes, 56 * kKiB);
  EXPECT_FALSE(step->block.shared_carveout);
  EXPECT_EQ(step->occupancy.blocks, 4U);

  BlockResources carved = full;
  carved.shared_carveout = 64 * kKiB;
  step = next_occupancy_step(sm("9.0"), carved);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.shared_bytes, full.shared_bytes);
  EXPECT_EQ(step->block.shared_carveout, 132 * kKiB);
  EXPECT_EQ(step->occupancy.blocks, 2U);
}

// One block of 32 warps on an SM of 48; two of 24 fill it.
TEST(NextStep, AnotherBlockSize) {
  const BlockResources wide = {.threads = 1024, .registers_per_thread = 40};
  auto step = next_occupancy_step(sm("8.6"), wide);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.threads, 768U);
  EXPECT_DOUBLE_EQ(step->occupancy.share, 1);
  // Blocks of one warp run out of block slots at half occupancy.
  const BlockResources tiny = {.threads = 32, .registers_per_thread = 16};
  step = next_occupancy_step(sm("9.0"), tiny);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.threads, 64U);
  EXPECT_DOUBLE_EQ(step->occupancy.share, 1);
}

TEST(NextStep, EveryLimitThatBindsMoves) {
  const BlockResources block = {.threads = 128,
                                .registers_per_thread = 122,
                                .shared_bytes = 12544,
                                .shared_carveout = 64 * kKiB};
  auto step = next_occupancy_step(sm("8.6"), block);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.registers_per_thread, 96U);
  EXPECT_EQ(step->block.shared_bytes, 12544U);
  EXPECT_FALSE(step->block.shared_carveout);  // the driver will set one that holds five
  EXPECT_EQ(step->occupancy.blocks, 5U);
  const BlockResources both = {.threads = 256, .registers_per_thread = 168, .shared_bytes = 150000};
  step = next_occupancy_step(sm("9.0"), both);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.registers_per_thread, 128U);
  EXPECT_EQ(step->block.shared_bytes, 113 * kKiB);
  EXPECT_EQ(step->occupancy.blocks, 2U);
  const BlockResources barriers = {.threads = 64, .registers_per_thread = 32, .barriers = 6};
  step = next_occupancy_step(sm("12.0"), barriers);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->block.barriers, 4U);  // 24 of them
  EXPECT_EQ(step->occupancy.blocks, 6U);
}

TEST(NextStep, NoneAtFullOccupancy) {
  EXPECT_FALSE(next_occupancy_step(sm("9.0"), {.threads = 256, .registers_per_thread = 32}));
}

// The step is the least: one register or byte more would not let another block in, and a step is
// always an improvement.
TEST(NextStep, IsTheLeastThatHelps) {
  for (const char* capability : {"7.5", "8.0", "8.6", "9.0", "12.0"}) {
    const SmLimits& limits = sm(capability);
    for (std::uint32_t threads = 32; threads <= 1024; threads += 96) {
      for (std::uint32_t registers = 24; registers <= 255; registers += 7) {
        for (std::uint32_t shared = 0; shared <= 60 * kKiB; shared += 6000) {
          const BlockResources block = {
              .threads = threads, .registers_per_thread = registers, .shared_bytes = shared};
          const Occupancy now = calculate_occupancy(limits, block);
          const auto step = next_occupancy_step(limits, block);
          if (!step) continue;
          EXPECT_GT(step->occupancy.share, now.share);
          if (step->block.threads != threads) continue;
          if (step->block.registers_per_thread != registers) {
            BlockResources less = step->block;
            ++less.registers_per_thread;
            EXPECT_EQ(calculate_occupancy(limits, less).blocks, now.blocks);
          }
          if (step->block.shared_bytes != shared) {
            BlockResources less = step->block;
            ++less.shared_bytes;
            EXPECT_EQ(calculate_occupancy(limits, less).blocks, now.blocks);
          }
        }
      }
    }
  }
}

// --- against ncu

class Captures {
 public:
  void compare(const fs::path& path) {
    SCOPED_TRACE(path.filename().string());
    const auto profile = read_profile(path.string(), {.instances = true});
    if (!profile || profile->format != "ncu-rep") return;
    for (std::size_t i = 0; i < profile->launches.size(); ++i) {
      SCOPED_TRACE(i);
      compare(*profile, profile->launches[i]);
    }
  }

  const std::map<std::string, std::size_t>& launches() const { return launches_; }
  std::size_t table_points() const { return table_points_; }

 private:
  static std::optional<double> number(const Profile& profile, const Launch& launch,
                                      std::string_view name) {
    const auto id = profile.metric_names.find(name);
    const Metric* metric = id ? launch.find(*id) : nullptr;
    if (metric == nullptr) return std::nullopt;
    const auto value = as_number(metric->value);
    return value && std::isfinite(*value) ? value : std::nullopt;
  }

  void compare(const Profile& profile, const Launch& launch) {
    const auto whole = [&](std::string_view name) {
      return static_cast<std::uint32_t>(number(profile, launch, name).value_or(0));
    };
    if (!number(profile, launch, "launch__occupancy_limit_registers")) return;
    const SmLimits& limits = sm(launch.compute_capability);
    BlockResources block;
    block.threads = whole("launch__block_size");
    block.registers_per_thread = whole("launch__registers_per_thread");
    block.shared_bytes = whole("launch__shared_mem_per_block_static") +
                         whole("launch__shared_mem_per_block_dynamic");
    block.shared_carveout = whole("launch__shared_mem_config_size");
    block.barriers = whole("launch__barrier_count");
    const Occupancy occupancy = calculate_occupancy(limits, block);
    for (const auto& [which, name] :
         {std::pair{BlockLimit::kRegisters, "registers"},
          std::pair{BlockLimit::kSharedMemory, "shared_mem"},
          std::pair{BlockLimit::kWarps, "warps"}, std::pair{BlockLimit::kBlocks, "blocks"},
          std::pair{BlockLimit::kBarriers, "barriers"}}) {
      const auto theirs = number(profile, launch, std::string("launch__occupancy_limit_") + name);
      if (theirs) {
        EXPECT_EQ(limit(occupancy, which), *theirs) << name;
      }
    }
    EXPECT_NEAR(100 * occupancy.share,
                number(profile, launch, "sm__maximum_warps_per_active_cycle_pct").value(), 1e-9);
    compare_tables(profile, launch, limits, block);
    ++launches_[launch.compute_capability];
  }

  // ncu tells the warps on an SM for other values of one input, all else as it was.
  void compare_tables(const Profile& profile, const Launch& launch, const SmLimits& limits,
                      const BlockResources& block) {
    each_point(profile, launch, "register_count", [&](std::uint32_t registers, double warps) {
      if (registers > limits.max_registers_per_thread) return;
      BlockResources other = block;
      other.registers_per_thread = registers;
      expect_warps(limits, other, warps, "registers", registers);
    });
    each_point(profile, launch, "block_size", [&](std::uint32_t threads, double warps) {
      BlockResources other = block;
      other.threads = threads;
      expect_warps(limits, other, warps, "threads", threads);
    });
    each_point(profile, launch, "barrier_count", [&](std::uint32_t barriers, double warps) {
      BlockResources other = block;
      other.barriers = barriers;
      expect_warps(limits, other, warps, "barriers", barriers);
    });
    // Here the reserved part counts in. Beyond 48 KiB ncu reads 0 for a kernel that did not opt in.
    each_point(profile, launch, "shared_mem_size", [&](std::uint32_t bytes, double warps) {
      if (bytes < limits.shared_reserved || (bytes > 48 * kKiB && warps == 0)) return;
      BlockResources other = block;
      other.shared_bytes = bytes - limits.shared_reserved;
      expect_warps(limits, other, warps, "bytes", bytes);
    });
  }

  template <typename Check>
  static void each_point(const Profile& profile, const Launch& launch, std::string_view table,
                         const Check& check) {
    const auto id = profile.metric_names.find("launch__occupancy_per_" + std::string(table));
    const Metric* metric = id ? launch.find(*id) : nullptr;
    if (metric == nullptr || metric->instances == nullptr) return;
    const Instances& instances = *metric->instances;
    for (std::size_t i = 0; i < column_size(instances.values); ++i) {
      const auto input = as_number(column_at(instances.correlation, i));
      const auto warps = as_number(column_at(instances.values, i));
      if (input && warps) check(static_cast<std::uint32_t>(*input), *warps);
    }
  }

  void expect_warps(const SmLimits& limits, const BlockResources& block, double warps,
                    std::string_view what, std::uint32_t value) {
    EXPECT_EQ(calculate_occupancy(limits, block).warps, warps) << value << " " << what;
    ++table_points_;
  }

  std::map<std::string, std::size_t> launches_;
  std::size_t table_points_ = 0;
};

TEST(OccupancyCaptures, EqualsNcuOnEveryFixture) {
  Captures captures;
  for (const char* folder : {"tests/fixtures/ncu_rep", "examples"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(PROOFLINE_SOURCE_DIR) / folder)) {
      if (entry.path().string().find(".ncu-rep") != std::string::npos) captures.compare(entry);
    }
  }
  EXPECT_GT(captures.launches().at("9.0"), 70U);
  EXPECT_GT(captures.table_points(), 10000U);
}

TEST(OccupancyCaptures, EqualsNcuOnTheCorpus) {
  const char* folder = std::getenv("PROOFLINE_CORPUS");
  if (folder == nullptr || *folder == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  fs::path root = folder;
  if (!fs::is_directory(root / "ncu-rep")) root /= "corpus";
  Captures captures;
  for (const auto& entry : fs::directory_iterator(root / "ncu-rep")) captures.compare(entry);
  for (const char* capability : {"6.1", "7.2", "7.5", "8.6", "8.9", "9.0", "12.0"}) {
    EXPECT_TRUE(captures.launches().contains(capability)) << capability;
  }
}

}  // namespace
}  // namespace proofline::occupancy_calculator_test
