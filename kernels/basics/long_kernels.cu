// SPDX-License-Identifier: Apache-2.0
//
// Twenty-seven launches of about 2.4 ms each on an H200: three kernels, three block sizes, three
// occupancies. A launch of that length fills some 1,700 PM samples of each sampled metric, which
// makes a full-set report of about 2 MB a launch. benchmarks/read_report records it for a report of
// the size that people send each other; it is no fixture.
#include "check.cuh"

// Work of one launch, the same whatever the shape, so that all launches take about equally long.
constexpr std::size_t kTriadFloats = std::size_t{1} << 24;  // elements of each array, 64 MiB
constexpr unsigned kTriadRounds = 50;                       // 192 MiB moved a round
// Dependent steps of a thread at full occupancy. FP64 issues at half the rate of FP32.
constexpr std::size_t kChainSteps = 300'000;
constexpr std::size_t kDoubleChainSteps = 150'000;
constexpr unsigned kThreadsPerMultiprocessor = 2048;  // full occupancy on compute capability 9.0

__global__ void triad(const float* __restrict__ a,  // (kTriadFloats)
                      const float* __restrict__ b,  // (kTriadFloats)
                      float* __restrict__ c,        // (kTriadFloats)
                      unsigned rounds) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < kTriadFloats; i += stride) {
      c[i] = a[i] + static_cast<float>(round) * b[i];
    }
  }
}

// The fixed point of the step is 2, so the result is known however long the chain.
template <typename T>
__global__ void chain(T* __restrict__ results /* (gridDim.x * blockDim.x) */, std::size_t steps) {
  T value = static_cast<T>(threadIdx.x);
  for (std::size_t step = 0; step < steps; ++step)
    value = value * static_cast<T>(0.5) + static_cast<T>(1);
  results[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = value;
}

namespace {

template <typename T>
void run_chain(unsigned blocks, unsigned threads, std::size_t steps) {
  DeviceBuffer<T> results(std::size_t{blocks} * threads);  // (blocks * threads)
  chain<T><<<blocks, threads>>>(results.data(), steps);
  finish_launch();
  for (const T value : results.download())
    expect_close("chain", static_cast<double>(value), 2.0, 1e-6);
}

}  // namespace

int main() {
  const std::vector<float> host_a = random_floats(kTriadFloats, 24);
  const std::vector<float> host_b = random_floats(kTriadFloats, 25);
  DeviceBuffer<float> a(host_a);        // (kTriadFloats)
  DeviceBuffer<float> b(host_b);        // (kTriadFloats)
  DeviceBuffer<float> c(kTriadFloats);  // (kTriadFloats)

  for (const unsigned threads : {128u, 256u, 512u}) {
    for (const unsigned share : {1u, 2u, 4u}) {  // full occupancy divided by
      const unsigned blocks = multiprocessors() * (kThreadsPerMultiprocessor / share / threads);
      REQUIRE(blocks > 0, "a multiprocessor must get at least one block");
      triad<<<blocks, threads>>>(a.data(), b.data(), c.data(), kTriadRounds);
      finish_launch();
      const std::vector<float> actual = c.download();
      for (std::size_t i = 0; i < kTriadFloats; i += 101) {
        expect_close("triad", actual[i], host_a[i] + (kTriadRounds - 1.0) * host_b[i], 1e-5, i);
      }
      run_chain<float>(blocks, threads, kChainSteps * share);
      run_chain<double>(blocks, threads, kDoubleChainSteps * share);
    }
  }
  passed("long kernels");
}
