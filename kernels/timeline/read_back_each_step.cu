// SPDX-License-Identifier: Apache-2.0
//
// timeline: host-synchronisation
// Four bytes to the host after each step, as a loss that is printed: the copy waits for the kernel,
// and the host for the copy.
#include "work.cuh"

int main() {
  warm_up();
  float* loss = nullptr;
  REQUIRE(cudaMalloc(&loss, sizeof *loss));
  float host = 0;
  for (int i = 0; i < 2000; ++i) {
    busy_host(15);
    launch_work(40);
    REQUIRE(cudaMemcpy(&host, loss, sizeof host, cudaMemcpyDeviceToHost));
  }
  return finish();
}
