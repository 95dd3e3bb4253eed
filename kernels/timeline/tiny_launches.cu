// SPDX-License-Identifier: Apache-2.0
//
// timeline: launch-gaps
// Kernels of about a microsecond, each launched by itself: the host cannot launch as fast as they
// end.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 20000; ++i) launch_work(0.2);
  return finish();
}
