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
  // About 5,000 launches. CUPTI hands over a buffer when all of its launches have ended, so a
  // larger one loses more in a crash; a smaller one would be asked for more often.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

  // A zeroed buffer, or null where memory is short.
  std::uint8_t* take() {
    for (auto& slot : free_) {
      if (slot.load(std::memory_order_relaxed) == nullptr) continue;
      if (std::uint8_t* buffer = slot.exchange(nullptr, std::memory_order_acquire)) return buffer;
    }
    void* fresh =
        ::mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return fresh != MAP_FAILED ? static_cast<std::uint8_t*>(fresh) : nullptr;
  }

  // Takes back a buffer that CUPTI wrote to as far as this.
  void give_back(std::uint8_t* buffer, std::size_t used) {
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
  // CUPTI has one buffer for each launching thread, and a few on their way back.
  std::atomic<std::uint8_t*> free_[32] = {};
};

}  // namespace proofline::trace
