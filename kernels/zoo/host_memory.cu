// SPDX-License-Identifier: Apache-2.0
//
// Kernels that work on page-locked memory of the host, mapped into the device's addresses, and so
// wait for the bus: one reads a vector of gains from there, one writes its results to it. All
// accesses are coalesced and sixteen bytes wide, and every host byte moves once. The twins are the
// same kernels on device memory.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kChannels = 8;
constexpr unsigned kCount = 1u << 20;  // vectors of four values in a channel

// Host memory that the device reaches under an address of its own.
class MappedBuffer {
 public:
  explicit MappedBuffer(std::size_t count) {
    CHECK_CUDA(cudaHostAlloc(&host_, count * sizeof(float), cudaHostAllocMapped));
    CHECK_CUDA(cudaHostGetDevicePointer(&device_, host_, 0));
  }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  ~MappedBuffer() { CHECK_CUDA(cudaFreeHost(host_)); }

  float* host() { return static_cast<float*>(host_); }
  float* device() { return static_cast<float*>(device_); }

 private:
  void* host_ = nullptr;
  void* device_ = nullptr;
};

__device__ inline void multiply_channels(const float4* __restrict__ signals,  // (kChannels, kCount)
                                         const float4* __restrict__ gains,    // (kCount)
                                         float4* __restrict__ results) {      // (kChannels, kCount)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4 gain = gains[i];
#pragma unroll
  for (unsigned channel = 0; channel < kChannels; ++channel) {
    const float4 signal = signals[channel * kCount + i];
    results[channel * kCount + i] =
        make_float4(signal.x * gain.x, signal.y * gain.y, signal.z * gain.z, signal.w * gain.w);
  }
}

// zoo: apply_gains plants host-memory, fixed by apply_gains_resident
__global__ __launch_bounds__(kThreads) void apply_gains(
    const float4* __restrict__ signals,  // (kChannels, kCount)
    const float4* __restrict__ gains,    // (kCount), in host memory
    float4* __restrict__ results) {      // (kChannels, kCount)
  multiply_channels(signals, gains, results);
}

// zoo: apply_gains_resident fixes apply_gains
__global__ __launch_bounds__(kThreads) void apply_gains_resident(
    const float4* __restrict__ signals,  // (kChannels, kCount)
    const float4* __restrict__ gains,    // (kCount)
    float4* __restrict__ results) {      // (kChannels, kCount)
  multiply_channels(signals, gains, results);
}

__device__ inline void add_channels(const float4* __restrict__ signals,  // (kChannels, kCount)
                                    float4* __restrict__ results) {      // (kCount)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  float4 sum = signals[i];
#pragma unroll
  for (unsigned channel = 1; channel < kChannels; ++channel) {
    const float4 signal = signals[channel * kCount + i];
    sum.x += signal.x;
    sum.y += signal.y;
    sum.z += signal.z;
    sum.w += signal.w;
  }
  results[i] = sum;
}

// zoo: mix_channels plants host-memory, fixed by mix_channels_resident
__global__ __launch_bounds__(kThreads) void mix_channels(
    const float4* __restrict__ signals,  // (kChannels, kCount)
    float4* __restrict__ results) {      // (kCount), in host memory
  add_channels(signals, results);
}

// zoo: mix_channels_resident fixes mix_channels
__global__ __launch_bounds__(kThreads) void mix_channels_resident(
    const float4* __restrict__ signals,  // (kChannels, kCount)
    float4* __restrict__ results) {      // (kCount)
  add_channels(signals, results);
}

namespace {

constexpr unsigned kBlocks = kCount / kThreads;
constexpr std::size_t kValues = std::size_t{kCount} * 4;  // in a channel

void run_apply_gains(const DeviceBuffer<float>& signals, const std::vector<float>& block) {
  const std::vector<float> block_gains = random_floats(kPeriod, 15);
  MappedBuffer gains_on_host(kValues);
  for (std::size_t i = 0; i < kValues; i += kPeriod) {
    std::copy_n(block_gains.begin(), std::min(kPeriod, kValues - i), gains_on_host.host() + i);
  }
  DeviceBuffer<float> gains(kValues);
  fill_repeating(gains, block_gains);
  DeviceBuffer<float> results(kChannels * kValues);
  DeviceBuffer<float> results_resident(kChannels * kValues);
  results.clear();
  results_resident.clear();
  const float4* vectors = reinterpret_cast<const float4*>(signals.data());
  apply_gains<<<kBlocks, kThreads>>>(vectors,
                                     reinterpret_cast<const float4*>(gains_on_host.device()),
                                     reinterpret_cast<float4*>(results.data()));
  finish_launch();
  apply_gains_resident<<<kBlocks, kThreads>>>(vectors,
                                              reinterpret_cast<const float4*>(gains.data()),
                                              reinterpret_cast<float4*>(results_resident.data()));
  finish_launch();

  const std::vector<float> slow = results.download();
  expect_equal("apply gains, both ways", slow, results_resident.download());
  for (std::size_t i = 0; i < slow.size(); i += 31) {
    const float expected = block[i % kPeriod] * block_gains[i % kValues % kPeriod];
    expect_close("apply gains", slow[i], expected, 1e-6, i);
  }
  passed("apply gains");
}

void run_mix_channels(const DeviceBuffer<float>& signals, const std::vector<float>& block) {
  MappedBuffer results_on_host(kValues);
  DeviceBuffer<float> results(kValues);
  std::fill_n(results_on_host.host(), kValues, 0.0f);
  results.clear();
  const float4* vectors = reinterpret_cast<const float4*>(signals.data());
  mix_channels<<<kBlocks, kThreads>>>(vectors, reinterpret_cast<float4*>(results_on_host.device()));
  finish_launch();
  mix_channels_resident<<<kBlocks, kThreads>>>(vectors, reinterpret_cast<float4*>(results.data()));
  finish_launch();

  const std::vector<float> slow(results_on_host.host(), results_on_host.host() + kValues);
  expect_equal("mix channels, both ways", slow, results.download());
  for (std::size_t i = 0; i < kValues; i += 31) {
    double expected = 0.0;
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      expected += block[(channel * kValues + i) % kPeriod];
    }
    expect_close("mix channels", slow[i], expected, 1e-5, i);
  }
  passed("mix channels");
}

}  // namespace

int main() {
  const std::vector<float> block = random_floats(kPeriod, 14);
  DeviceBuffer<float> signals(kChannels * kValues);  // (kChannels, kCount, 4)
  fill_repeating(signals, block);
  run_apply_gains(signals, block);
  run_mix_channels(signals, block);
}
