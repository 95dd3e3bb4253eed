// SPDX-License-Identifier: Apache-2.0
//
// A CUDA graph captured from two streams (a fork and a join around three kernels and a memset),
// launched twice. With `ncu --graph-profiling graph` each launch of the graph is one result.
#include "check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kCount = 1u << 21;
static_assert(kCount % kThreads == 0, "the grid covers the values exactly");

__global__ void scale_into(const float* __restrict__ input,  // (kCount)
                           float* __restrict__ output,       // (kCount)
                           float factor) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  output[i] = factor * input[i];
}

__global__ void add_pair(const float* __restrict__ a,  // (kCount)
                         const float* __restrict__ b,  // (kCount)
                         float* __restrict__ total) {  // (kCount)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  total[i] += a[i] + b[i];
}

int main() {
  const std::vector<float> host = random_floats(kCount, 21);
  DeviceBuffer<float> input(host);    // (kCount)
  DeviceBuffer<float> left(kCount);   // (kCount)
  DeviceBuffer<float> right(kCount);  // (kCount)
  DeviceBuffer<float> total(kCount);  // (kCount)
  const unsigned blocks = kCount / kThreads;

  cudaStream_t main_stream = nullptr;
  cudaStream_t side_stream = nullptr;
  cudaEvent_t forked = nullptr;
  cudaEvent_t joined = nullptr;
  CHECK_CUDA(cudaStreamCreate(&main_stream));
  CHECK_CUDA(cudaStreamCreate(&side_stream));
  CHECK_CUDA(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));

  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
  CHECK_CUDA(cudaMemsetAsync(total.data(), 0, kCount * sizeof(float), main_stream));
  CHECK_CUDA(cudaEventRecord(forked, main_stream));
  CHECK_CUDA(cudaStreamWaitEvent(side_stream, forked));
  scale_into<<<blocks, kThreads, 0, main_stream>>>(input.data(), left.data(), 2.0f);
  scale_into<<<blocks, kThreads, 0, side_stream>>>(input.data(), right.data(), -0.5f);
  CHECK_CUDA(cudaEventRecord(joined, side_stream));
  CHECK_CUDA(cudaStreamWaitEvent(main_stream, joined));
  add_pair<<<blocks, kThreads, 0, main_stream>>>(left.data(), right.data(), total.data());
  CHECK_CUDA(cudaStreamEndCapture(main_stream, &graph));

  cudaGraphExec_t executable = nullptr;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph));
  for (int launch = 0; launch < 2; ++launch) CHECK_CUDA(cudaGraphLaunch(executable, main_stream));
  CHECK_CUDA(cudaStreamSynchronize(main_stream));

  const std::vector<float> actual = total.download();
  for (unsigned i = 0; i < kCount; ++i) expect_close("graph", actual[i], 1.5 * host[i], 1e-6, i);
  passed("graph");

  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaEventDestroy(joined));
  CHECK_CUDA(cudaEventDestroy(forked));
  CHECK_CUDA(cudaStreamDestroy(side_stream));
  CHECK_CUDA(cudaStreamDestroy(main_stream));
}
