// SPDX-License-Identifier: Apache-2.0
//
// NVML as a library gives it, refuses it, or lacks it; the library is tests/programs/fake_nvml.cpp.
#include "tools/machine/nvml.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <string>

namespace proofline::nvml_test {
namespace {

class Nvml : public testing::Test {
 protected:
  ~Nvml() override { ::unsetenv("FAKE_NVML"); }

  static NvmlAnswer ask(const char* part) {
    ::setenv("FAKE_NVML", part, 1);
    return ask_nvml(PROOFLINE_FAKE_NVML);
  }
};

TEST_F(Nvml, TellsDriverAndGpu) {
  const NvmlAnswer answer = ask("");
  EXPECT_EQ(answer.trouble, "");
  EXPECT_EQ(answer.driver, "580.159.04");
  EXPECT_EQ(answer.cuda, 13000U);
  ASSERT_EQ(answer.gpus.size(), 1U);
  const GpuState& gpu = answer.gpus.front();
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.compute_capability, "9.0");
  EXPECT_EQ(gpu.sm_clock_mhz, 345U);
  EXPECT_EQ(gpu.max_sm_clock_mhz, 1980U);
  EXPECT_EQ(gpu.power_limit_mw, 700000U);
  EXPECT_EQ(gpu.persistence, true);
  EXPECT_EQ(gpu.mig, false);
  EXPECT_EQ(gpu.virtual_gpu, false);
  EXPECT_EQ(gpu.compute_mode, ComputeMode::kDefault);
  EXPECT_EQ(gpu.memory_bytes, 150754820096U);
}

TEST_F(Nvml, TakesAnOlderNameOfAFunction) {
  EXPECT_EQ(ask("").gpus.front().clock_reasons, std::uint64_t{kClockIdle});
}

TEST_F(Nvml, WhatTheLibraryLacksIsAbsent) {
  const NvmlAnswer answer = ask("");
  EXPECT_FALSE(answer.confidential);
  EXPECT_FALSE(answer.gpus.front().slowdown_temperature_c);
}

TEST_F(Nvml, TellsWhoElseUsesTheGpu) {
  const auto processes = ask("").gpus.front().processes;
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].pid, 4711U);
  EXPECT_EQ(processes[0].name, "python3");
  EXPECT_EQ(processes[0].memory_bytes, 2000000000U);
  EXPECT_FALSE(processes[1].memory_bytes);
}

TEST_F(Nvml, TellsThatModuleAndLibraryDiffer) {
  const NvmlAnswer answer = ask("mismatch");
  EXPECT_TRUE(answer.version_mismatch);
  EXPECT_EQ(answer.trouble, "Driver/library version mismatch");
  EXPECT_TRUE(answer.gpus.empty());
}

TEST_F(Nvml, ADriverWithoutGpusIsNoTrouble) {
  const NvmlAnswer answer = ask("empty");
  EXPECT_EQ(answer.trouble, "");
  EXPECT_TRUE(answer.gpus.empty());
}

TEST_F(Nvml, IsNotMisledByImpossibleAnswers) {
  const NvmlAnswer answer = ask("liar");
  ASSERT_EQ(answer.gpus.size(), 1U);
  EXPECT_LT(answer.gpus.front().name.size(), 200U);
  EXPECT_LT(answer.gpus.front().processes.size(), 10000U);
}

TEST_F(Nvml, MissingOrForeignLibrariesAreTrouble) {
  EXPECT_NE(ask_nvml("libno-such-library.so.1").trouble.find("was not found"), std::string::npos);
  EXPECT_EQ(ask_nvml("libc.so.6").trouble, "it is not NVIDIA's management library");
}

TEST_F(Nvml, AGpuIsAskedAgainAndAgain) {
  const NvmlGpu gpu(0, PROOFLINE_FAKE_NVML);
  ASSERT_TRUE(gpu.is_usable());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(gpu.sm_mhz(), 345.0);
    EXPECT_EQ(gpu.watts(), 80.99);
    EXPECT_EQ(gpu.reasons(), std::uint64_t{kClockIdle});
  }
}

TEST_F(Nvml, AGpuThatCannotBeAskedHasNoAnswers) {
  ::setenv("FAKE_NVML", "mismatch", 1);
  const NvmlGpu mismatched(0, PROOFLINE_FAKE_NVML);
  ::unsetenv("FAKE_NVML");
  const NvmlGpu absent(7, PROOFLINE_FAKE_NVML);
  const NvmlGpu foreign(0, "libc.so.6");
  const NvmlGpu missing(0, "libno-such-library.so.1");
  for (const NvmlGpu* gpu : {&mismatched, &absent, &foreign, &missing}) {
    EXPECT_FALSE(gpu->is_usable());
    EXPECT_FALSE(gpu->sm_mhz());
    EXPECT_FALSE(gpu->reasons());
    EXPECT_FALSE(gpu->watts());
  }
}

}  // namespace
}  // namespace proofline::nvml_test
