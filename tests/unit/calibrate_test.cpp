// SPDX-License-Identifier: Apache-2.0
//
// From what a GPU is given to do, and its clock, to ceilings; the driver is
// tests/programs/fake_cuda.cpp, which computes nothing in known times.
#include "tools/calibrate/calibrate.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <csignal>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "tools/calibrate/calibration_kernels.h"
#include "tools/calibrate/calibration_plan.h"

namespace proofline::calibrate_test {
namespace {

class Calibrate : public testing::Test {
 protected:
  ~Calibrate() override { ::unsetenv("FAKE_CUDA"); }

  static CalibrateOptions options(std::vector<std::string> names = {}) {
    CalibrateOptions options;
    options.names = std::move(names);
    options.library = PROOFLINE_FAKE_CUDA;
    options.seconds = 0.2;
    return options;
  }

  // On the machine that the fake plays.
  static Result<Ceilings> run(const char* part, const CalibrateOptions& options) {
    ::setenv("FAKE_CUDA", part, 1);
    return calibrate(options);
  }
  static Ceilings run(const char* part, std::vector<std::string> names = {}) {
    auto result = run(part, options(std::move(names)));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : Ceilings{};
  }
};

// Places and texts of the notes, a line for each.
std::string notes_of(const Ceilings& ceilings) {
  std::string text;
  for (const Note& note : ceilings.notes) text += note.place + ": " + note.what + "\n";
  return text;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Calibrate, MeasuresEveryCeilingOfTheGpu) {
  const Ceilings ceilings = run("");
  EXPECT_EQ(notes_of(ceilings), "");
  const auto names = ceiling_names();
  ASSERT_EQ(ceilings.ceilings.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Ceiling& ceiling = ceilings.ceilings[i];
    EXPECT_EQ(ceiling.name, names[i]);
    EXPECT_GE(ceiling.samples, 20U);
    ASSERT_TRUE(ceiling.interval);
    EXPECT_LE(ceiling.interval->low, ceiling.per_second);
    EXPECT_GE(ceiling.interval->high, ceiling.per_second);
    EXPECT_FALSE(ceiling.at_least);
    EXPECT_NE(ceiling.how, "");
  }
}

TEST_F(Calibrate, TellsWhichGpuAndWhen) {
  const Ceilings ceilings = run("", {"fp32"});
  EXPECT_EQ(ceilings.machine.gpu, "Pretend GPU");
  EXPECT_EQ(ceilings.machine.uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(ceilings.machine.compute_capability, "9.0");
  EXPECT_EQ(ceilings.machine.cuda, "13.0");
  EXPECT_EQ(ceilings.measured_at.size(), std::string("2026-11-15T20:04:00Z").size());
  EXPECT_EQ(ceilings.measured_at.back(), 'Z');
}

TEST_F(Calibrate, RateIsWorkOverTimeInTheBestShape) {
  const Ceilings ceilings = run("", {"fp32"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  const Ceiling& ceiling = ceilings.ceilings.front();
  const double flops = compose_arithmetic("fp32", {9, 0})->per_round;
  EXPECT_NEAR(ceiling.per_second, flops / 10e-9, 1e-3 * ceiling.per_second);
  EXPECT_FALSE(ceiling.bytes);
  EXPECT_TRUE(has(ceiling.how, "1024 threads per SM")) << ceiling.how;
}

TEST_F(Calibrate, CopiesCountBytesReadAndWritten) {
  const Ceilings ceilings = run("", {"dram"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  const Ceiling& ceiling = ceilings.ceilings.front();
  EXPECT_NEAR(ceiling.per_second, 2 * kTileBytes / 10e-9, 1e-3 * ceiling.per_second);
  EXPECT_TRUE(ceiling.bytes);
  EXPECT_EQ(ceiling.how, "copies of 512 MiB, 16 bytes per thread, 2048 threads per SM");
}

TEST_F(Calibrate, TakesTheDriversCopyWhereItIsFaster) {
  const Ceilings ceilings = run("quick-copy", {"dram"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_EQ(ceilings.ceilings.front().how, "copies of 512 MiB by the driver");
}

TEST_F(Calibrate, TakesReadsWhereTheyAreFaster) {
  const Ceilings ceilings = run("quick-read", {"dram"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  const Ceiling& ceiling = ceilings.ceilings.front();
  EXPECT_NEAR(ceiling.per_second, kTileBytes / 4e-9, 1e-3 * ceiling.per_second);
  EXPECT_TRUE(has(ceiling.how, "reads of 512 MiB")) << ceiling.how;
}

TEST_F(Calibrate, ReadsAPartOfL2) {
  const Ceilings ceilings = run("", {"l2"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  const Ceiling& ceiling = ceilings.ceilings.front();
  EXPECT_NEAR(ceiling.per_second, kTileBytes / 10e-9, 1e-3 * ceiling.per_second);
  EXPECT_TRUE(ceiling.bytes);
  EXPECT_EQ(ceiling.how, "reads of 2 MiB, 16 bytes per thread, 2048 threads per SM");
}

TEST_F(Calibrate, SaysThatScarceMemoryMakesSmallCopies) {
  const Ceilings ceilings = run("tight", {"dram"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_TRUE(has(ceilings.ceilings.front().how, "copies of 32 MiB"));
  EXPECT_TRUE(has(notes_of(ceilings), "dram: copies of 32 MiB are not large against L2"))
      << notes_of(ceilings);
}

TEST_F(Calibrate, WithoutMemoryTheOthersAreStillMeasured) {
  const Ceilings ceilings = run("full", {"dram", "l2", "fp32"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_EQ(ceilings.ceilings.front().name, "fp32");
  ASSERT_EQ(ceilings.notes.size(), 2U);
  EXPECT_EQ(ceilings.notes.front().kind, NoteKind::kLoss);
  EXPECT_TRUE(has(notes_of(ceilings),
                  "dram: it could not be measured: cuMemAlloc_v2 answered "
                  "CUDA_ERROR_OUT_OF_MEMORY"))
      << notes_of(ceilings);
}

TEST_F(Calibrate, ShowsTheCompilersFirstLine) {
  const Ceilings ceilings = run("bad-ptx", {"fp32", "tensor-f16"});
  EXPECT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_TRUE(has(notes_of(ceilings),
                  "tensor-f16: it could not be measured: cuModuleLoadDataEx "
                  "answered CUDA_ERROR_INVALID_PTX (in other words): "
                  "line 9: no wgmma\n"))
      << notes_of(ceilings);
}

TEST_F(Calibrate, ARefusedLaunchLosesOneCeiling) {
  const Ceilings ceilings = run("refused", {"fp32", "fp64", "tensor-f16"});
  EXPECT_EQ(ceilings.ceilings.size(), 2U);
  EXPECT_TRUE(has(notes_of(ceilings),
                  "fp64: it could not be measured: cuLaunchKernel answered "
                  "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"))
      << notes_of(ceilings);
}

TEST_F(Calibrate, KeepsWhatWasMeasuredBeforeTheContextBroke) {
  const Ceilings ceilings = run("broken", {"fp32", "fp64", "tensor-f16"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_EQ(ceilings.ceilings.front().name, "fp32");
  EXPECT_TRUE(has(notes_of(ceilings), "CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_TRUE(has(notes_of(ceilings), "nothing after fp64 was measured")) << notes_of(ceilings);
}

TEST_F(Calibrate, AClockThatStandsStillGivesNoRate) {
  const Ceilings ceilings = run("stopped", {"fp32"});
  EXPECT_TRUE(ceilings.ceilings.empty());
  EXPECT_TRUE(has(notes_of(ceilings), "takes no time")) << notes_of(ceilings);
}

TEST_F(Calibrate, SaysWhatAnOlderGpuLacks) {
  const Ceilings ceilings = run("turing", {"tensor-f16", "tensor-bf16"});
  ASSERT_EQ(ceilings.ceilings.size(), 1U);
  EXPECT_TRUE(has(ceilings.ceilings.front().how, "mma m16n8k8"));
  ASSERT_EQ(ceilings.notes.size(), 1U);
  EXPECT_EQ(ceilings.notes.front().kind, NoteKind::kInfo);
  EXPECT_TRUE(has(notes_of(ceilings), "tensor-bf16: there is no kernel")) << notes_of(ceilings);
}

TEST_F(Calibrate, ANewerGpuCanDoAtLeastThat) {
  const Ceilings ceilings = run("blackwell", {"fp32", "tensor-f16"});
  ASSERT_EQ(ceilings.ceilings.size(), 2U);
  EXPECT_FALSE(ceilings.ceilings[0].at_least);
  EXPECT_TRUE(ceilings.ceilings[1].at_least);
}

TEST_F(Calibrate, CountsClocksAndThrottledSamples) {
  ::setenv("FAKE_CUDA", "", 1);
  const auto gpu = CudaGpu::open(PROOFLINE_FAKE_CUDA, 0);
  ASSERT_TRUE(gpu);
  const auto plan = plan_ceiling(*gpu, "fp32");
  ASSERT_TRUE(plan);
  std::uint64_t readings = 0;
  const auto ceiling = sample_ceiling(*gpu, plan->ways, 0, [&]() -> GpuClock {
    ++readings;
    return {readings % 2 == 0 ? 1500.0 : 1700.0, readings <= 5};
  });
  ASSERT_TRUE(ceiling);
  EXPECT_EQ(ceiling->samples, 20U);
  EXPECT_EQ(readings, 20U);
  EXPECT_EQ(ceiling->throttled, 5U);
  EXPECT_EQ(ceiling->sm_mhz, 1600.0);
}

TEST_F(Calibrate, EndsWhenProgressSaysSo) {
  CalibrateOptions asked = options();
  std::vector<std::string> told;
  asked.progress = [&](std::string_view name) {
    told.emplace_back(name);
    return told.size() < 3;
  };
  const auto result = run("", asked);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
  EXPECT_EQ(told, (std::vector<std::string>{"dram", "l2", "fp32"}));
}

TEST_F(Calibrate, EndsAtASignalInTheMiddleOfACeiling) {
  const InterruptWatch watch;
  CalibrateOptions asked = options({"fp32"});
  asked.progress = [](std::string_view) { return std::raise(SIGINT) == 0; };
  const auto result = run("", asked);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kInterrupted);
}

TEST_F(Calibrate, WithoutADriverOrGpuThereIsNoResult) {
  CalibrateOptions asked = options();
  const auto none = run("no-device", asked);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kTool);
  EXPECT_TRUE(has(none.error().message, "CUDA_ERROR_NO_DEVICE")) << none.error().message;

  asked.device = 1;
  const auto missing = run("", asked);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(has(missing.error().message, "there is no GPU 1: CUDA sees 1"));

  asked.library = "libno-such-library.so.1";
  EXPECT_TRUE(has(calibrate(asked).error().message, "cannot be opened (libno-such-library.so.1"));
  asked.library = "libc.so.6";
  EXPECT_TRUE(has(calibrate(asked).error().message, "the driver has no cuInit"));
}

TEST_F(Calibrate, UnknownNamesAreRefused) {
  const auto result = run("", options({"fp31"}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(
      has(result.error().message, "there is no ceiling \"fp31\"; there are dram, l2, fp32"));
}

}  // namespace
}  // namespace proofline::calibrate_test
