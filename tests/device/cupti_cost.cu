// SPDX-License-Identifier: Apache-2.0
//
// What CUPTI does to the kernels that it times. A transpose whose blocks note the time at which
// they start and end, first without CUPTI and then, over the same memory, with it; prints a table.
//
//   C=$(dirname $(dirname $(command -v nvcc)))/extras/CUPTI
//   nvcc -std=c++17 -O3 -arch=native tests/device/cupti_cost.cu -I$C/include -L$C/lib64 -lcupti
//   LD_LIBRARY_PATH=$C/lib64 ./a.out
#include <cupti.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace {

constexpr unsigned kTile = 32;
constexpr unsigned kRows = 8;
constexpr int kLaunches = 50;
constexpr int kRepetitions = 20;
constexpr unsigned kSizes[] = {1024, 2048, 4096, 8192};

void require(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: error %d\n", what, result);
  std::exit(1);
}

struct Span {
  unsigned long long start;
  unsigned long long end;
};

__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

// in, out: (n, n); spans: of each block.
template <unsigned kColumns>
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, unsigned n,
                          Span* spans) {
  const bool notes = threadIdx.x == 0 && threadIdx.y == 0;
  const unsigned long long start = notes ? now() : 0;
  __shared__ float tile[kTile][kColumns];
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    tile[row][threadIdx.x] = in[std::size_t{blockIdx.y * kTile + row} * n + x];
  }
  __syncthreads();
  const unsigned out_x = blockIdx.y * kTile + threadIdx.x;
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    out[std::size_t{blockIdx.x * kTile + row} * n + out_x] = tile[threadIdx.x][row];
  }
  if (notes) spans[blockIdx.y * gridDim.x + blockIdx.x] = {start, now()};
}

using Kernel = void (*)(const float*, float*, unsigned, Span*);

std::vector<double> cupti_ns;

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    cupti_ns.push_back(static_cast<double>(kernel->end - kernel->start));
  }
  std::free(buffer);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Times {
  double period;  // from launch to launch in a replayed graph
  double span;    // from the first block's start to the last one's end, within it
  double cupti;   // 0 without
};

struct Memory {
  float* in;
  float* out;
  Span* spans;
};

Times measure(Kernel kernel, unsigned n, const Memory& memory) {
  const dim3 grid(n / kTile, n / kTile);
  const std::size_t blocks = std::size_t{grid.x} * grid.y;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  for (int i = 0; i < kLaunches; ++i) {
    kernel<<<grid, dim3(kTile, kRows), 0, stream>>>(memory.in, memory.out, n,
                                                    memory.spans + blocks * i);
  }
  require(cudaStreamEndCapture(stream, &graph), "end capture");
  require(cudaGraphInstantiateWithFlags(&replay, graph, 0), "cudaGraphInstantiate");
  std::vector<double> periods, spans;
  std::vector<Span> noted(blocks * kLaunches);
  cupti_ns.clear();
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    constexpr int kReplays = 5;
    require(cudaGraphLaunch(replay, stream), "cudaGraphLaunch");  // warms up
    require(cudaEventRecord(start, stream), "cudaEventRecord");
    for (int i = 0; i < kReplays; ++i) require(cudaGraphLaunch(replay, stream), "cudaGraphLaunch");
    require(cudaEventRecord(stop, stream), "cudaEventRecord");
    require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    periods.push_back(ms * 1e6 / (kReplays * kLaunches));
    require(cudaMemcpy(noted.data(), memory.spans, noted.size() * sizeof(Span), cudaMemcpyDefault),
            "cudaMemcpy");
    for (auto first = noted.begin(); first != noted.end(); first += blocks) {
      Span all = *first;
      for (auto one = first; one != first + blocks; ++one) {
        all = {std::min(all.start, one->start), std::max(all.end, one->end)};
      }
      spans.push_back(static_cast<double>(all.end - all.start));
    }
    cuptiActivityFlushAll(1);
  }
  return {median(periods), median(spans), median(cupti_ns)};
}

}  // namespace

int main() {
  constexpr std::size_t kMost = kSizes[std::size(kSizes) - 1];
  Memory memory;
  require(cudaMalloc(&memory.in, kMost * kMost * sizeof(float)), "cudaMalloc");
  require(cudaMalloc(&memory.out, kMost * kMost * sizeof(float)), "cudaMalloc");
  require(cudaMalloc(&memory.spans, kMost / kTile * kMost / kTile * kLaunches * sizeof(Span)),
          "cudaMalloc");
  const auto measure_all = [&] {
    std::vector<Times> all;
    for (const unsigned n : kSizes) {
      all.push_back(measure(transpose<kTile>, n, memory));
      all.push_back(measure(transpose<kTile + 1>, n, memory));
    }
    return all;
  };
  const std::vector<Times> alone = measure_all();
  require(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "CUPTI");
  require(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "CUPTI");
  const std::vector<Times> timed = measure_all();
  std::printf(
      "| kernel | replayed, ns | its blocks, ns | its blocks under CUPTI, ns | more | "
      "CUPTI, ns |\n| --- | --- | --- | --- | --- | --- |\n");
  for (std::size_t i = 0; i < alone.size(); ++i) {
    std::printf("| %s, n = %u | %.0f | %.0f | %.0f | %+.1f %% | %.0f |\n",
                i % 2 == 0 ? "tiled" : "padded", kSizes[i / 2], alone[i].period, alone[i].span,
                timed[i].span, 100 * (timed[i].span / alone[i].span - 1), timed[i].cupti);
  }
}
