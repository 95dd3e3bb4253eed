// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// The kernels of a training step in a graph, 25 us each: one launch for a hundred of them.
#include "work.cuh"

int main() {
  warm_up();
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  REQUIRE(cudaStreamCreate(&stream));
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 100; ++i) launch_work(25, stream);
  REQUIRE(cudaStreamEndCapture(stream, &graph));
  REQUIRE(cudaGraphInstantiateWithFlags(&replay, graph, 0));
  for (int i = 0; i < 40; ++i) REQUIRE(cudaGraphLaunch(replay, stream));
  return finish();
}
