// SPDX-License-Identifier: Apache-2.0
//
// A kernel that is slower by a known share, to prove that a comparison finds it, and that a
// measurement of a known duration is right:
//
//   ./delay --us 100                  as it is
//   ./delay --us 100 --percent 3      three per cent slower
//
// Every block waits for a number of its SM's cycles. How many the start and end of a kernel take
// besides is found out by waiting once and twice as long, so that the whole grows by the share.
#include <proofline/bench.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using proofline::bench::require;

// done: (gridDim.x).
__global__ void wait(long long cycles, unsigned* done) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (threadIdx.x == 0) done[blockIdx.x] = 1;
}

constexpr unsigned kThreads = 128;

int attribute(cudaDeviceAttr which) {
  int device = 0;
  int value = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

// The shortest of several rounds, for each launch of a round.
double milliseconds(long long cycles, unsigned blocks, unsigned* done) {
  constexpr int kRounds = 10;
  constexpr int kLaunches = 50;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  float shortest = 1e30f;
  for (int round = 0; round < kRounds; ++round) {
    wait<<<blocks, kThreads>>>(cycles, done);  // while it runs, the others are launched
    require(cudaEventRecord(start), "cudaEventRecord");
    for (int i = 0; i < kLaunches; ++i) wait<<<blocks, kThreads>>>(cycles, done);
    require(cudaEventRecord(stop), "cudaEventRecord");
    require(cudaEventSynchronize(stop), "cudaEventSynchronize");
    float elapsed = 0;
    require(cudaEventElapsedTime(&elapsed, start, stop), "cudaEventElapsedTime");
    shortest = std::min(shortest, elapsed);
  }
  require(cudaEventDestroy(start), "cudaEventDestroy");
  require(cudaEventDestroy(stop), "cudaEventDestroy");
  return shortest / kLaunches;
}

// Cycles that a kernel takes besides waiting.
double fixed_cycles(unsigned blocks, unsigned* done) {
  constexpr long long kCycles = 50'000;
  const double once = milliseconds(kCycles, blocks, done);
  const double twice = milliseconds(2 * kCycles, blocks, done);
  return std::max(kCycles * (once / (twice - once) - 1), 0.0);
}

// Takes "--percent P" out of the command line; the rest is the suite's.
double take_percent(int& argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--percent") != 0) continue;
    const double percent = std::strtod(argv[i + 1], nullptr);
    std::copy(argv + i + 2, argv + argc, argv + i);
    argc -= 2;
    return percent;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const double percent = take_percent(argc, argv);
  proofline::bench::Suite suite("delay", argc, argv);
  suite.axis("us", {10, 100, 1000});
  suite.run([percent](proofline::bench::Configuration& config) {
    const auto blocks = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
    proofline::bench::Buffer<unsigned> done(blocks);
    // By the GPU's nominal clock, so that every run waits for the same number of cycles.
    const double cycles = config.number("us") * attribute(cudaDevAttrClockRate) / 1e3;
    const double fixed = percent != 0 ? fixed_cycles(blocks, done.data()) : 0;
    const auto slower = static_cast<long long>(cycles + percent / 100 * (cycles + fixed));
    config.check(done, [](std::size_t) { return 1; });
    config.measure("wait", [&](proofline::bench::Launch launch) {
      wait<<<blocks, kThreads, 0, launch.stream>>>(slower, done.data());
    });
  });
  return suite.finish();
}
