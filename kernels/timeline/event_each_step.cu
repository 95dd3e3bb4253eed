// SPDX-License-Identifier: Apache-2.0
//
// timeline: host-synchronisation
// As sync_each_step, by an event and on a stream of its own.
#include "work.cuh"

int main() {
  warm_up();
  cudaStream_t stream;
  cudaEvent_t done;
  REQUIRE(cudaStreamCreate(&stream));
  REQUIRE(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  for (int i = 0; i < 2000; ++i) {
    busy_host(15);
    launch_work(40, stream);
    REQUIRE(cudaEventRecord(done, stream));
    REQUIRE(cudaEventSynchronize(done));
  }
  return finish();
}
