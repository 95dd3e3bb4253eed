// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// As sync_each_step, with one wait at the end: the host prepares while the GPU works.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 2000; ++i) {
    busy_host(15);
    launch_work(40);
  }
  return finish();
}
