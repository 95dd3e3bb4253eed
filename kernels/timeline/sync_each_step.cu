// SPDX-License-Identifier: Apache-2.0
//
// timeline: host-synchronisation
// The host waits for each kernel before it prepares the next.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 2000; ++i) {
    busy_host(15);
    launch_work(40);
    REQUIRE(cudaDeviceSynchronize());
  }
  return finish();
}
