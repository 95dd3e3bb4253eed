// SPDX-License-Identifier: Apache-2.0
//
// A sum, loaded four or sixteen bytes at a time. The order of the additions is fixed, so that every
// run gives the same bits.
#include <proofline/bench.h>

#include <vector>

namespace {

constexpr unsigned kThreads = 256;  // of a block; a power of two
constexpr unsigned kBlocks = 1024;

__device__ float sum_of(float x) { return x; }
__device__ float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }

// The sum of one value from each thread of the block, in thread 0.
__device__ float block_sum(float value) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = value;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  return values[0];
}

// partial: (kBlocks); finished: blocks that are done, 0 before and after. The last block adds up
// what all of them found.
template <class Vector>
__global__ void reduce(const Vector* __restrict__ in, std::size_t count, float* partial,
                       unsigned* finished, float* out) {
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < count;
       i += std::size_t{kBlocks} * kThreads) {
    sum += sum_of(in[i]);
  }
  sum = block_sum(sum);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(finished, 1) == kBlocks - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float rest = 0.0f;
  for (unsigned i = threadIdx.x; i < kBlocks; i += kThreads) rest += __ldcg(&partial[i]);
  rest = block_sum(rest);
  if (threadIdx.x == 0) {
    *out = rest;
    *finished = 0;
  }
}

float value(std::size_t i) { return static_cast<float>(i * 40503 % 65536) / 65536.0f; }

void sum(proofline::bench::Configuration& config) {
  using proofline::bench::Buffer;
  using proofline::bench::Launch;
  const auto n = static_cast<std::size_t>(config.integer("n"));
  if (n % 4 != 0) return config.skip("n must be a multiple of 4");
  std::vector<Buffer<float>> inputs;
  const std::size_t sets = config.rotate(8);
  for (std::size_t i = 0; i < sets; ++i) {
    inputs.emplace_back(n);
    inputs.back().fill(value);
  }
  Buffer<float> partial(kBlocks);
  Buffer<unsigned> finished(1);
  Buffer<float> out(1);
  finished.fill([](std::size_t) { return 0; });

  double expected = 0;
  for (std::size_t i = 0; i < n; ++i) expected += static_cast<double>(value(i));
  config.bytes(static_cast<double>(n * sizeof(float)));
  config.flops(static_cast<double>(n), "fp32");
  config.check(out, [expected](std::size_t) { return expected; }, {0, 1e-5});

  config.measure("scalar", [&](Launch launch) {
    reduce<<<kBlocks, kThreads, 0, launch.stream>>>(inputs[launch.turn].data(), n, partial.data(),
                                                    finished.data(), out.data());
  });
  config.measure("vector", [&](Launch launch) {
    reduce<<<kBlocks, kThreads, 0, launch.stream>>>(
        reinterpret_cast<const float4*>(inputs[launch.turn].data()), n / 4, partial.data(),
        finished.data(), out.data());
  });
}

}  // namespace

int main(int argc, char** argv) {
  proofline::bench::Suite suite("reduce", argc, argv);
  suite.axis("n", {1 << 20, 1 << 24, 1 << 26});
  suite.run(sum);
  return suite.finish();
}
