// SPDX-License-Identifier: Apache-2.0
//
// The GPU that is measured on: its facts, a stream, what empties its cache, and how much of its
// memory is in use. Failing CUDA calls throw CudaError.
#pragma once

#include <cuda_runtime.h>
#include <proofline/bench.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "clock_watch.h"
#include "judge.h"
#include "model/measurement/benchmark.h"

namespace proofline::bench {

// Forgets CUDA's last error. False after a sticky error: every call fails from
// then on.
bool is_usable_after_error();

class Gpu {
 public:
  explicit Gpu(int device);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  cudaStream_t stream() const { return stream_; }
  int multiprocessors() const { return multiprocessors_; }
  Roofs roofs() const { return roofs_; }
  // What is to be known about the ceilings that were measured of it.
  const std::vector<Note>& notes() const { return notes_; }
  // With the clock that was seen to be locked so far.
  BenchmarkMachine machine() const;
  ClockReading read_clock() { return watch_ ? watch_->read() : ClockReading{}; }

  // Puts the overwriting of twice as many bytes as L2 holds into the stream.
  void overwrite_cache();

  // The most memory in use at any look since begin_peak, by the least that was free; that is, more
  // than was in use at begin_memory.
  void begin_memory();
  void begin_peak();
  void look_at_memory();
  std::uint64_t peak_memory_bytes() const { return most_free_ - least_free_; }

 private:
  void look_for_ceilings();

  cudaStream_t stream_ = nullptr;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  int multiprocessors_ = 1;
  Roofs roofs_;
  BenchmarkMachine machine_;
  std::vector<Note> notes_;
  std::unique_ptr<ClockWatch> watch_;
  std::size_t most_free_ = 0;
  std::size_t least_free_ = 0;
};

// What is measured, as often as it is called.
class Execution {
 public:
  Execution(const std::function<void(Launch)>& function, cudaStream_t stream, std::size_t sets)
      : function_(function), stream_(stream), sets_(sets) {}

  void operator()() {
    function_({stream_, turn_});
    require(cudaGetLastError(), "the launch");
    turn_ = (turn_ + 1) % sets_;
  }
  std::size_t sets() const { return sets_; }

 private:
  const std::function<void(Launch)>& function_;
  cudaStream_t stream_;
  std::size_t sets_;
  std::size_t turn_ = 0;
};

}  // namespace proofline::bench
