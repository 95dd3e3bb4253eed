// SPDX-License-Identifier: Apache-2.0
//
// timeline: launch-gaps
// The host prepares each step for longer than the GPU takes for it.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 500; ++i) {
    busy_host(300);
    launch_work(100);
  }
  return finish();
}
