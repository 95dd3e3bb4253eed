// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <proofline/bench.h>

namespace proofline::bench {

class Event {
 public:
  Event() { require(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { require(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void wait() { require(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  double ns_since(const Event& earlier) const {
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace proofline::bench
