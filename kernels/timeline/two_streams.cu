// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// Small kernels side by side on two streams, queued far ahead.
#include "work.cuh"

int main() {
  warm_up();
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) {
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  for (int i = 0; i < 1000; ++i) launch_work(100, streams[i % 2], 32);
  return finish();
}
