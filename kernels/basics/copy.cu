// SPDX-License-Identifier: Apache-2.0
//
// A copy three ways: four bytes a thread, sixteen bytes a thread, and sixteen bytes a thread on a
// buffer that stays in L2. The sixteen-byte copy of the large buffer runs at the DRAM roof and is
// the clean case to hold others against.
#include "check.cuh"

constexpr unsigned kThreads = 256;

// count: elements of Vector; source and target must not overlap.
template <typename Vector>
__global__ void copy(const Vector* __restrict__ source, Vector* __restrict__ target,
                     std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    target[i] = source[i];
  }
}

namespace {

template <typename Vector>
void run(const char* name, std::size_t floats) {
  constexpr std::size_t kWidth = sizeof(Vector) / sizeof(float);
  REQUIRE(floats % kWidth == 0, "the buffer must be a whole number of vectors");

  const std::vector<float> input = random_floats(floats, 1);
  DeviceBuffer<float> source(input);   // (floats)
  DeviceBuffer<float> target(floats);  // (floats)
  target.clear();
  copy<Vector><<<multiprocessors() * 8, kThreads>>>(reinterpret_cast<const Vector*>(source.data()),
                                                    reinterpret_cast<Vector*>(target.data()),
                                                    floats / kWidth);
  finish_launch();
  expect_equal(name, target.download(), input);
  passed(name);
}

}  // namespace

int main() {
  run<float>("copy float, 64 MiB", std::size_t{1} << 24);
  run<float4>("copy float4, 64 MiB", std::size_t{1} << 24);
  run<float4>("copy float4, 1 MiB", std::size_t{1} << 18);
}
