// SPDX-License-Identifier: Apache-2.0
//
// The kernels' text: that the work they are said to do is in it, and, where ptxas is installed,
// that it is still there once the text is assembled.
#include "tools/calibrate/calibration_kernels.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "support/temp_dir.h"
#include "tools/process/find_tool.h"
#include "tools/process/process.h"

namespace proofline::calibration_kernels_test {
namespace {

unsigned count(std::string_view text, std::string_view word) {
  unsigned found = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size())) {
    ++found;
  }
  return found;
}

bool has(std::string_view text, std::string_view word) { return count(text, word) > 0; }

RoundsKernel compose(std::string_view name, ComputeCapability chip) {
  return compose_arithmetic(name, chip).value_or(RoundsKernel{});
}

TEST(CalibrationKernels, CountFlopsOfTheirFmaInstructions) {
  const auto check = [](std::string_view name, std::string_view instruction, double flops) {
    const RoundsKernel kernel = compose(name, {9, 0});
    EXPECT_GT(count(kernel.ptx, instruction), 100U) << name;
    EXPECT_EQ(kernel.per_round, flops * count(kernel.ptx, instruction) * kernel.threads) << name;
    EXPECT_TRUE(has(kernel.ptx, fmt::format(".maxntid {},", kernel.threads))) << name;
  };
  check("fp32", "  fma.rn.f32 ", 2);
  check("fp64", "  fma.rn.f64 ", 2);
}

TEST(CalibrationKernels, CountFlopsOfEveryWarpOrWarpgroup) {
  const auto check = [](std::string_view name, ComputeCapability chip, std::string_view instruction,
                        double flops, unsigned group) {
    const RoundsKernel kernel = compose(name, chip);
    const unsigned groups = kernel.threads / group;
    EXPECT_GT(count(kernel.ptx, instruction), 8U) << name;
    EXPECT_EQ(kernel.per_round, flops * count(kernel.ptx, instruction) * groups) << name;
  };
  check("tensor-f16", {9, 0}, "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 ",
        2.0 * 64 * 256 * 16, 128);
  check("tensor-bf16", {9, 0}, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 ",
        2.0 * 64 * 256 * 16, 128);
  check("tensor-tf32", {9, 0}, "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 ",
        2.0 * 64 * 256 * 8, 128);
  check("tensor-f8", {9, 0}, "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 ",
        2.0 * 64 * 256 * 32, 128);
  check("tensor-s8", {9, 0}, "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 ",
        2.0 * 64 * 256 * 32, 128);
  check("tensor-f16", {8, 6}, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 ",
        2.0 * 16 * 8 * 16, 32);
  check("tensor-f16", {7, 5}, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 ", 2.0 * 16 * 8 * 8,
        32);
  check("tensor-tf32", {12, 0}, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 ",
        2.0 * 16 * 8 * 8, 32);
  check("tensor-s8", {7, 5}, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 ", 2.0 * 8 * 8 * 16,
        32);
}

TEST(CalibrationKernels, AreComposedForChipsThatHaveTheInstructions) {
  EXPECT_FALSE(compose_arithmetic("tensor-f16", {7, 0}));
  EXPECT_FALSE(compose_arithmetic("tensor-bf16", {7, 5}));
  EXPECT_FALSE(compose_arithmetic("tensor-f8", {8, 6}));
  EXPECT_TRUE(compose_arithmetic("tensor-f8", {8, 9}));
  EXPECT_TRUE(compose_arithmetic("tensor-f8", {12, 0}));
  EXPECT_FALSE(compose_arithmetic("tensor-f8", {10, 0})) << "mma.sync is emulated there";
  EXPECT_FALSE(compose_arithmetic("tensor-f3", {9, 0}));
}

TEST(CalibrationKernels, SayWhereTheChipHasAFasterWay) {
  EXPECT_FALSE(compose("tensor-f16", {9, 0}).at_least);
  EXPECT_TRUE(compose("tensor-f16", {10, 0}).at_least);
  EXPECT_TRUE(compose("tensor-f16", {11, 0}).at_least);
  EXPECT_FALSE(compose("tensor-f16", {12, 1}).at_least);
  EXPECT_FALSE(compose("fp32", {10, 0}).at_least);
}

TEST(CalibrationKernels, ATileIsWhatABlockMovesAtATime) {
  EXPECT_EQ(count(compose_copy(), "ld.global.v4.u32") * 16 * kTileThreads, kTileBytes);
  EXPECT_EQ(count(compose_copy(), "st.global.v4.u32") * 16 * kTileThreads, kTileBytes);
  EXPECT_EQ(count(compose_fill(), "st.global.v4.u32") * 16 * kTileThreads, kTileBytes);
  const RoundsKernel reads = compose_read();
  EXPECT_EQ(count(reads.ptx, "ld.global.cg.v4.u32") * 16 * reads.threads, kTileBytes);
  EXPECT_EQ(reads.per_round, kTileBytes);
}

struct Assembled {
  std::string name;
  std::string ptx;
  std::string arch;
  std::string in_loop;  // as `proofline sass --expect` takes it
};

std::ostream& operator<<(std::ostream& out, const Assembled& one) { return out << one.name; }

class AssembledKernel : public testing::TestWithParam<Assembled> {};

std::vector<Assembled> assembled() {
  std::vector<Assembled> kernels{{"copy", compose_copy(), "sm_90", "STG >= 4"},
                                 {"fill", compose_fill(), "sm_90", "STG >= 4"},
                                 {"read", compose_read().ptx, "sm_90", "LDG >= 4"}};
  const auto add = [&](std::string_view name, ComputeCapability chip, const char* in_loop) {
    kernels.push_back(
        {fmt::format("{}_on_{}{}", name, chip.major, chip.minor), compose(name, chip).ptx,
         fmt::format("sm_{}{}{}", chip.major, chip.minor, chip.major == 9 ? "a" : ""), in_loop});
  };
  add("fp32", {9, 0}, "FFMA >= 512");
  add("fp64", {9, 0}, "DFMA >= 512");
  add("tensor-f16", {9, 0}, "HGMMA >= 16");
  add("tensor-bf16", {9, 0}, "HGMMA >= 16");
  add("tensor-tf32", {9, 0}, "HGMMA >= 16");
  add("tensor-f8", {9, 0}, "QGMMA >= 16");
  add("tensor-s8", {9, 0}, "IGMMA >= 16");
  add("tensor-f16", {8, 0}, "HMMA >= 64");
  add("tensor-bf16", {8, 0}, "HMMA >= 64");
  add("tensor-tf32", {8, 0}, "HMMA >= 64");
  add("tensor-s8", {8, 0}, "IMMA >= 64");
  add("tensor-f16", {10, 0}, "HMMA >= 64");
  add("tensor-f8", {12, 0}, "QMMA >= 64");
  // Our tables lack these chips: it is enough that the assembler takes the text.
  add("tensor-f16", {7, 5}, "");
  add("tensor-s8", {7, 5}, "");
  add("tensor-f8", {8, 9}, "");
  return kernels;
}

Result<Captured> run(std::vector<std::string> argv) {
  return capture_program({std::move(argv), {}, std::chrono::minutes(1), {}}, 1 << 20);
}

TEST_P(AssembledKernel, StillDoesItsWork) {
  const auto ptxas = find_tool("ptxas");
  if (!ptxas) GTEST_SKIP() << ptxas.error().message;
  const TempDir folder;
  const std::string cubin = folder.path("kernel.cubin");
  const auto made = run({*ptxas, "-arch=" + GetParam().arch, "-o", cubin, "-v",
                         folder.write("kernel.ptx", GetParam().ptx)});
  ASSERT_TRUE(made) << made.error().message;
  if (has(made->errors, "is not defined for option 'gpu-name'")) {
    GTEST_SKIP() << "this ptxas does not know " << GetParam().arch;
  }
  ASSERT_EQ(made->exit_code, 0) << made->errors;
  EXPECT_FALSE(has(made->errors, "serialized")) << made->errors;
  EXPECT_TRUE(has(made->errors, " 0 bytes spill stores")) << made->errors;
  if (GetParam().in_loop.empty()) return;
  const auto seen =
      run({PROOFLINE_BINARY, "sass", cubin, "--expect", GetParam().in_loop + " in loop"});
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_TRUE(has(seen->output, "PASS expect")) << seen->output << seen->errors;
}

INSTANTIATE_TEST_SUITE_P(Calibration, AssembledKernel, testing::ValuesIn(assembled()),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace proofline::calibration_kernels_test
