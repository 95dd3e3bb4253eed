// SPDX-License-Identifier: Apache-2.0
//
// Kernels of one GPU that work on the memory of another: one reads a field from there, one writes
// its results to it, both coalesced and sixteen bytes wide. Needs two GPUs that reach each other,
// and does nothing elsewhere.
#include "fill.cuh"

constexpr unsigned kThreads = 256;

__host__ __device__ inline float damp(float value) { return 0.75f * value; }

__device__ inline float4 damp_vector(float4 value) {
  return make_float4(damp(value.x), damp(value.y), damp(value.z), damp(value.w));
}

// zoo: damp_fetched_field plants peer-memory
__global__ __launch_bounds__(kThreads) void damp_fetched_field(
    const float4* __restrict__ field,  // (count), on the other GPU
    float4* __restrict__ results) {    // (count)
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  results[i] = damp_vector(field[i]);
}

// zoo: damp_and_publish_field plants peer-memory
__global__ __launch_bounds__(kThreads) void damp_and_publish_field(
    const float4* __restrict__ field,  // (count)
    float4* __restrict__ results) {    // (count), on the other GPU
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  results[i] = damp_vector(field[i]);
}

namespace {

constexpr std::size_t kCount = std::size_t{1} << 23;  // vectors, 128 MiB
constexpr unsigned kBlocks = kCount / kThreads;
constexpr int kHere = 0;
constexpr int kThere = 1;

void expect_damped(const char* what, const DeviceBuffer<float>& results,
                   const std::vector<float>& block) {
  const std::vector<float> actual = results.download();
  for (std::size_t i = 0; i < actual.size(); i += 31) {
    expect_close(what, actual[i], damp(block[i % kPeriod]), 1e-6, i);
  }
  passed(what);
}

bool reaches_another_gpu() {
  int devices = 0;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) return false;
  int reaches = 0;
  CHECK_CUDA(cudaDeviceCanAccessPeer(&reaches, kHere, kThere));
  return reaches != 0;
}

}  // namespace

int main() {
  if (!reaches_another_gpu()) {
    std::printf("peer memory: needs two GPUs, skipped\n");
    return 0;
  }
  const std::vector<float> block = random_floats(kPeriod, 16);
  CHECK_CUDA(cudaSetDevice(kThere));
  DeviceBuffer<float> field_there(kCount * 4);
  DeviceBuffer<float> results_there(kCount * 4);
  fill_repeating(field_there, block);
  results_there.clear();
  CHECK_CUDA(cudaDeviceSynchronize());

  CHECK_CUDA(cudaSetDevice(kHere));
  CHECK_CUDA(cudaDeviceEnablePeerAccess(kThere, 0));
  DeviceBuffer<float> field_here(kCount * 4);
  DeviceBuffer<float> results_here(kCount * 4);
  fill_repeating(field_here, block);
  results_here.clear();
  damp_fetched_field<<<kBlocks, kThreads>>>(reinterpret_cast<const float4*>(field_there.data()),
                                            reinterpret_cast<float4*>(results_here.data()));
  finish_launch();
  damp_and_publish_field<<<kBlocks, kThreads>>>(reinterpret_cast<const float4*>(field_here.data()),
                                                reinterpret_cast<float4*>(results_there.data()));
  finish_launch();
  expect_damped("read peer memory", results_here, block);
  expect_damped("write peer memory", results_there, block);
}
