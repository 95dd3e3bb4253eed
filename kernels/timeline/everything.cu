// SPDX-License-Identifier: Apache-2.0
//
// timeline: any
// A little of all that a recorder has to see: two streams and an event, copies of each kind, a set,
// allocations, a graph, NVTX ranges, unified memory, a second thread.
#include <nvtx3/nvToolsExt.h>

#include <thread>

#include "work.cuh"

namespace {

__global__ void touch(char* memory, std::size_t bytes) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < bytes) memory[i] += 1;
}

void replay_graph(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 5; ++i) launch_work(10, stream);
  REQUIRE(cudaStreamEndCapture(stream, &graph));
  REQUIRE(cudaGraphInstantiateWithFlags(&replay, graph, 0));
  for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(replay, stream));
  REQUIRE(cudaStreamSynchronize(stream));
}

}  // namespace

int main() {
  warm_up();
  constexpr std::size_t kBytes = std::size_t{1} << 20U;
  nvtxRangePushA("copies");
  char* device = nullptr;
  char* pinned = nullptr;
  char* pageable = static_cast<char*>(std::calloc(kBytes, 1));
  REQUIRE(cudaMalloc(&device, kBytes));
  REQUIRE(cudaMallocHost(&pinned, kBytes));
  REQUIRE(cudaMemcpy(device, pageable, kBytes, cudaMemcpyHostToDevice));
  REQUIRE(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, nullptr));
  REQUIRE(cudaMemcpy(pinned, device, kBytes, cudaMemcpyDeviceToHost));
  REQUIRE(cudaMemcpy(device, device + kBytes / 2, kBytes / 2, cudaMemcpyDeviceToDevice));
  REQUIRE(cudaMemset(device, 0, kBytes));
  nvtxRangePop();

  nvtxRangePushA("streams");
  cudaStream_t first, second;
  cudaEvent_t done;
  REQUIRE(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  REQUIRE(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  launch_work(50, first);
  REQUIRE(cudaEventRecord(done, first));
  REQUIRE(cudaStreamWaitEvent(second, done, 0));
  launch_work(50, second);
  REQUIRE(cudaEventSynchronize(done));
  nvtxRangePop();

  nvtxRangePushA("graph");
  replay_graph(first);
  nvtxRangePop();

  std::thread([] {
    nvtxRangePushA("thread");
    launch_work(30);
    REQUIRE(cudaDeviceSynchronize());
    nvtxRangePop();
  }).join();

  char* managed = nullptr;
  REQUIRE(cudaMallocManaged(&managed, kBytes));
  for (std::size_t i = 0; i < kBytes; i += 4096) managed[i] = 1;
  touch<<<kBytes / 256, 256>>>(managed, kBytes);
  REQUIRE(cudaDeviceSynchronize());
  if (managed[0] != 2) return 1;
  REQUIRE(cudaFree(managed));
  REQUIRE(cudaFree(device));
  REQUIRE(cudaFreeHost(pinned));
  std::free(pageable);
  return finish();
}
