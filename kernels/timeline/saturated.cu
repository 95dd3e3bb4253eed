// SPDX-License-Identifier: Apache-2.0
//
// timeline: none
// Long kernels, queued far ahead.
#include "work.cuh"

int main() {
  warm_up();
  for (int i = 0; i < 1000; ++i) launch_work(200);
  return finish();
}
