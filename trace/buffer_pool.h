// SPDX-License-Identifier: Apache-2.0
//
// The memory that CUPTI fills with records. It asks for a buffer in the middle of a launch, so
// taking one is a few instructions without a lock; what takes time (zeroing the buffer again)
// happens when it comes back, on another thread.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace proofline::trace {

class BufferPool {
 public:
  // About 5,000 launches. CUPTI delivers a buffer when all of its launches have ended, so a
  // larger one loses more in a crash; a smaller one is requested more often.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

  // What is not written yet may take this much memory and no more: CUPTI then drops records, and
  // counts them. Each thread that launches has a buffer of its own.
  static constexpr std::size_t kMostTaken = 256;

  // A zeroed buffer, or null where too many are taken or memory is short.
  std::uint8_t* take() {
    if (taken_.fetch_add(1, std::memory_order_relaxed) >= kMostTaken) return untaken();
    for (auto& slot : free_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (std::uint8_t* buffer = slot.exchange(nullptr, std::memory_order_acquire)) return buffer;
    }
    void* fresh =
        ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return fresh != MAP_FAILED ? static_cast<std::uint8_t*>(fresh) : untaken();
  }

  // How many CUPTI has at this moment.
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

  // Takes back a buffer that CUPTI wrote to as far as this.
  void give_back(std::uint8_t* buffer, std::size_t used) {
    taken_.fetch_sub(1, std::memory_order_relaxed);
    std::memset(buffer, 0, used);
    for (auto& slot : free_) {
      std::uint8_t* none = nullptr;
      if (slot.compare_exchange_strong(none, buffer, std::memory_order_release,
                                       std::memory_order_relaxed)) {
        return;
      }
    }
    ::munmap(buffer, kBufferBytes);
  }

 private:
  std::uint8_t* untaken() {
    taken_.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }

  std::atomic<std::size_t> taken_{0};
  // CUPTI has one buffer for each launching thread, and a few on their way back.
  std::atomic<std::uint8_t*> free_[32] = {};
};

}  // namespace proofline::trace
