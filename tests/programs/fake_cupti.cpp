// SPDX-License-Identifier: Apache-2.0
//
// A libcupti for machines without a GPU: the few functions that the recorder uses, with the real
// ABI, over launches that fake_cuda_program reports. As the real one, it asks for a buffer when it
// needs one and gives it back when it is full or flushed. FAKE_CUPTI makes it difficult:
//
//   refuse   another profiler is subscribed already
//   old      it is of CUDA 8
//   drop     a hundred records are lost with each buffer
//   untimed  every tenth launch has no time
#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "cupti_abi.h"

using namespace proofline::trace;

namespace {

constexpr int kInvalidOperation = 7;
constexpr int kMaxLimitReached = 12;
constexpr int kMultipleSubscribers = 39;
constexpr std::size_t kKernelBytes = 216;  // CUpti_ActivityKernel10
constexpr std::size_t kDeviceBytes = 184;  // CUpti_ActivityDevice5
constexpr std::uint64_t kGapNs = 1000;     // between two kernels

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
BufferRequested request = nullptr;
BufferCompleted complete = nullptr;
std::uint8_t* buffer = nullptr;
std::size_t buffer_size = 0;
std::size_t used = 0;
bool promised_zeroes = false;
bool wants_devices = false;
bool wants_kernels = false;
std::uint64_t now = 1'000'000'000'000'000'000;
std::uint32_t correlation = 0;

bool is_told(const char* what) {
  const char* told = std::getenv("FAKE_CUPTI");
  return told != nullptr && std::strcmp(told, what) == 0;
}

void hand_over() {
  if (buffer == nullptr) return;
  std::uint8_t* full = buffer;
  buffer = nullptr;
  complete(nullptr, 0, full, buffer_size, used);
}

// Room for a record in a buffer that has it; null where we were given none.
void* next_record(std::size_t bytes) {
  if (buffer != nullptr && used + bytes > buffer_size) hand_over();
  if (buffer == nullptr) {
    std::size_t max_records = 0;
    request(&buffer, &buffer_size, &max_records);
    used = 0;
    // Whoever says that the buffers are zeroed has to keep to it.
    for (std::size_t i = 0; buffer != nullptr && promised_zeroes && i < buffer_size; ++i) {
      if (buffer[i] != 0) std::abort();
    }
  }
  if (buffer == nullptr) return nullptr;
  void* record = buffer + used;
  used += bytes;
  return record;
}

void write_device() {
  auto* device = static_cast<DeviceActivity*>(next_record(kDeviceBytes));
  if (device == nullptr) return;
  device->kind = kActivityDevice;
  device->multiprocessors = 132;
  device->warp_size = 32;
  device->max_warps_per_sm = 64;
  device->cc_major = 9;
  device->name = "Fake H200";
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int cuptiGetVersion(std::uint32_t* version) {
  *version = is_told("old") ? 9 : 130000;
  return kCuptiSuccess;
}

EXPORTED int cuptiGetResultString(int result, const char** text) {
  *text = result == kMultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                         : "CUPTI_ERROR_UNKNOWN";
  return kCuptiSuccess;
}

EXPORTED int cuptiSubscribe(void** subscriber, SubscriberCallback, void*) {
  *subscriber = nullptr;
  return is_told("refuse") ? kMultipleSubscribers : kCuptiSuccess;
}

EXPORTED int cuptiUnsubscribe(void*) { return kCuptiSuccess; }

EXPORTED int cuptiActivitySetAttribute(int attribute, std::size_t*, void* value) {
  if (attribute == kAttributeZeroedBuffers) promised_zeroes = *static_cast<bool*>(value);
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityRegisterCallbacks(BufferRequested requested, BufferCompleted completed) {
  request = requested;
  complete = completed;
  // So that a forked child finds the mutex free, whoever holds it.
  ::pthread_atfork([] { ::pthread_mutex_lock(&mutex); }, [] { ::pthread_mutex_unlock(&mutex); },
                   [] { ::pthread_mutex_unlock(&mutex); });
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityEnable(std::uint32_t kind) {
  if (request == nullptr) return kInvalidOperation;
  wants_devices = wants_devices || kind == kActivityDevice;
  wants_kernels = wants_kernels || kind == kActivityConcurrentKernel;
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityFlushAll(std::uint32_t) {
  ::pthread_mutex_lock(&mutex);
  hand_over();
  ::pthread_mutex_unlock(&mutex);
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityGetNextRecord(std::uint8_t* records, std::size_t valid, void** record) {
  std::uint8_t* next = records;
  if (*record != nullptr) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, *record, sizeof kind);
    next = static_cast<std::uint8_t*>(*record) +
           (kind == kActivityDevice ? kDeviceBytes : kKernelBytes);
  }
  if (next >= records + valid) return kMaxLimitReached;
  *record = next;
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = is_told("drop") ? 100 : 0;
  return kCuptiSuccess;
}

// What the GPU would have done.
EXPORTED void fake_cupti_launch(const char* name, std::uint32_t grid, std::uint32_t block,
                                std::uint64_t nanoseconds) {
  ::pthread_mutex_lock(&mutex);
  ++correlation;
  if (wants_devices) write_device();
  wants_devices = false;
  auto* kernel = wants_kernels ? static_cast<KernelActivity*>(next_record(kKernelBytes)) : nullptr;
  if (kernel != nullptr) {
    kernel->kind = kActivityConcurrentKernel;
    kernel->registers = 32;
    const bool timed = !is_told("untimed") || correlation % 10 != 0;
    kernel->start = timed ? now : 0;
    kernel->end = timed ? now + nanoseconds : 0;
    kernel->context = 1;
    kernel->stream = 7;
    kernel->grid[0] = static_cast<std::int32_t>(grid);
    kernel->block[0] = static_cast<std::int32_t>(block);
    kernel->grid[1] = kernel->grid[2] = kernel->block[1] = kernel->block[2] = 1;
    kernel->dynamic_shared = 1024;
    kernel->correlation = correlation;
    kernel->name = name;
    kernel->shared_executed = 32768;
  }
  now += nanoseconds + kGapNs;
  ::pthread_mutex_unlock(&mutex);
}
