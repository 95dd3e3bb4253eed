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
//   steal    another profiler gets every buffer that we asked for
//
// Built with FAKE_OLD_CUPTI it lacks what CUDA 12 brought. Its own time is made up: a kernel starts
// when the one before has ended and kGapNs have passed; its call began kLeadNs before it and took
// kCallNs.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

#include "cupti_abi.h"

using namespace proofline::trace;

namespace {

constexpr int kInvalidOperation = 7;
constexpr int kMaxLimitReached = 12;
constexpr int kMultipleSubscribers = 39;
constexpr int kNotSupported = 27;
constexpr std::uint64_t kGapNs = 1000;  // between two kernels
constexpr std::uint64_t kLeadNs = 800;
constexpr std::uint64_t kCallNs = 500;

// How long the records are in CUDA 13.0.
struct RecordSize {
  std::uint32_t kind;
  std::size_t bytes;
};
constexpr RecordSize kSizes[] = {
    {kActivityCopy, 104},          {kActivitySet, 88},      {kActivityDriver, 40},
    {kActivityRuntime, 40},        {kActivityDevice, 184},  {kActivityConcurrentKernel, 216},
    {kActivityMarker, 56},         {kActivityOverhead, 56}, {kActivityPeerCopy, 96},
    {kActivityUnifiedMemory, 112}, {kActivityEvent, 56},    {kActivitySynchronization, 56},
    {kActivityMemory, 136},
};

// Calls by their ids; one of each that a timeline does not show.
constexpr const char* kRuntimeCalls[] = {"INVALID",
                                         "cudaDriverGetVersion_v3020",
                                         "cudaLaunchKernel_v7000",
                                         "cudaMemcpyAsync_ptsz_v7000",
                                         "cudaMemcpy_v3020",
                                         "cudaMemcpyPeerAsync_v4000",
                                         "cudaMemsetAsync_v3020",
                                         "cudaGraphLaunch_v10000",
                                         "cudaMalloc_v3020",
                                         "cudaFree_v3020",
                                         "cudaStreamSynchronize_v3020",
                                         "cudaEventRecord_v3020",
                                         "cudaStreamWaitEvent_v3020",
                                         "__cudaLaunchKernel_v13000"};
constexpr const char* kDriverCalls[] = {"INVALID", "cuCtxGetCurrent", "cuLaunchKernel",
                                        "cuMemAlloc_v2"};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
BufferRequested request = nullptr;
BufferCompleted complete = nullptr;
std::uint8_t* buffer = nullptr;
std::size_t buffer_size = 0;
std::size_t used = 0;
bool promised_zeroes = false;
bool wants[64] = {};                                // by kind
bool wants_call[2][std::size(kRuntimeCalls)] = {};  // by domain and id
bool has_nvtx = false;
std::uint64_t now = 0;
std::uint32_t correlation = 0;
std::uint32_t device = 0;
std::uint32_t stream = 7;
std::uint32_t thread = 100;
std::uint32_t open_ranges[16] = {};
std::size_t open_range_count = 0;
std::uint32_t range_count = 0;

bool is_told(const char* what) {
  const char* told = std::getenv("FAKE_CUPTI");
  return told != nullptr && std::strcmp(told, what) == 0;
}

void hand_over() {
  if (buffer == nullptr) return;
  std::uint8_t* full = buffer;
  buffer = nullptr;
  if (!is_told("steal")) complete(nullptr, 0, full, buffer_size, used);
}

std::size_t size_of(std::uint32_t kind) {
  for (const RecordSize& size : kSizes) {
    if (size.kind == kind) return size.bytes;
  }
  std::abort();
}

// Every process has a clock of its own, far from the system's.
std::uint64_t clock_now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const auto skew = 1'000'000'000'000 * static_cast<std::uint64_t>(::getpid());
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec) + skew;
}

// Room for a record in a buffer that has it; null where nobody wants it or we were given none.
template <class Record>
Record* next_record(std::uint32_t kind) {
  if (!wants[kind]) return nullptr;
  const std::size_t bytes = size_of(kind);
  if (bytes < sizeof(Record)) std::abort();
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
  auto* record = reinterpret_cast<Record*>(buffer + used);
  used += bytes;
  record->kind = kind;
  return record;
}

// Each device once, before its first work.
void write_device() {
  static bool written[16] = {};
  if (written[device]) return;
  auto* record = next_record<DeviceActivity>(kActivityDevice);
  if (record == nullptr) return;
  written[device] = true;
  record->id = device;
  record->multiprocessors = 132;
  record->warp_size = 32;
  record->max_warps_per_sm = 64;
  record->cc_major = 9;
  // As with CUDA_VISIBLE_DEVICES, the first device may be any.
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  record->uuid[0] = static_cast<unsigned char>(
      1 + device + (visible != nullptr ? std::strtoul(visible, nullptr, 10) : 0));
  record->name = "Fake H200";
}

void write_call(int domain, std::uint32_t id, std::uint64_t start, std::uint64_t nanoseconds) {
  const std::uint32_t kind = domain == kDomainDriver ? kActivityDriver : kActivityRuntime;
  const bool was_wanted = wants[kind];
  wants[kind] = was_wanted || wants_call[domain - 1][id];
  if (auto* record = next_record<ApiActivity>(kind)) {
    record->id = id;
    record->start = start;
    record->end = start + nanoseconds;
    record->thread = thread;
    record->correlation = correlation;
  }
  wants[kind] = was_wanted;
}

void write_runtime_call(const char* name, std::uint64_t start, std::uint64_t nanoseconds) {
  for (std::uint32_t id = 1; id < std::size(kRuntimeCalls); ++id) {
    if (std::strstr(kRuntimeCalls[id], name) == kRuntimeCalls[id]) {
      return write_call(kDomainRuntime, id, start, nanoseconds);
    }
  }
  for (std::uint32_t id = 1; id < std::size(kDriverCalls); ++id) {
    if (std::strcmp(kDriverCalls[id], name) == 0) {
      return write_call(kDomainDriver, id, start, nanoseconds);
    }
  }
  std::abort();
}

// Where and when: what all records of GPU work have.
template <class Work>
void place(Work& work, std::uint64_t nanoseconds) {
  work.device = device;
  work.context = 1 + device;
  work.stream = stream;
  work.correlation = correlation;
  work.start = now;
  work.end = now + nanoseconds;
}

void write_kernel(const char* name, std::uint32_t grid, std::uint32_t block,
                  std::uint64_t nanoseconds, bool is_node) {
  auto* kernel = next_record<KernelActivity>(kActivityConcurrentKernel);
  if (kernel != nullptr) {
    place(*kernel, nanoseconds);
    if (is_told("untimed") && correlation % 10 == 0) kernel->start = kernel->end = 0;
    kernel->registers = 32;
    kernel->grid[0] = static_cast<std::int32_t>(grid);
    kernel->block[0] = static_cast<std::int32_t>(block);
    kernel->grid[1] = kernel->grid[2] = kernel->block[1] = kernel->block[2] = 1;
    kernel->dynamic_shared = 1024;
    kernel->name = name;
    kernel->shared_executed = 32768;
    kernel->graph_node = is_node ? 5 : 0;
  }
  now += nanoseconds + kGapNs;
}

void write_copy(std::uint64_t kind, std::uint64_t from, std::uint64_t to, std::uint64_t bytes,
                std::uint64_t nanoseconds) {
  if (auto* copy = next_record<CopyActivity>(kActivityCopy)) {
    place(*copy, nanoseconds);
    copy->copy_kind = static_cast<std::uint8_t>(kind);
    copy->from = static_cast<std::uint8_t>(from);
    copy->to = static_cast<std::uint8_t>(to);
    copy->bytes = bytes;
  }
  now += nanoseconds + kGapNs;
}

void write_peer_copy(std::uint64_t to, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (auto* copy = next_record<PeerCopyActivity>(kActivityPeerCopy)) {
    place(*copy, nanoseconds);
    copy->copy_kind = 10;
    copy->from = copy->to = 3;
    copy->from_device = device;
    copy->to_device = static_cast<std::uint32_t>(to);
    copy->bytes = bytes;
  }
  now += nanoseconds + kGapNs;
}

void write_set(std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (auto* set = next_record<SetActivity>(kActivitySet)) {
    place(*set, nanoseconds);
    set->memory = 3;
    set->bytes = bytes;
  }
  now += nanoseconds + kGapNs;
}

void write_migration(std::uint64_t counter, std::uint64_t bytes, std::uint64_t nanoseconds) {
  if (auto* migration = next_record<MigrationActivity>(kActivityUnifiedMemory)) {
    migration->counter = static_cast<std::uint32_t>(counter);
    migration->bytes = bytes;
    migration->start = now;
    migration->end = now + nanoseconds;
    (counter == kMigrationToHost ? migration->from : migration->to) = device;
  }
  now += nanoseconds + kGapNs;
}

void write_marker(std::uint32_t flag, std::uint32_t id, const char* name) {
  auto* marker = has_nvtx ? next_record<MarkerActivity>(kActivityMarker) : nullptr;
  if (marker != nullptr) {
    marker->flags = flag;
    marker->time = now;
    marker->id = id;
    marker->object_kind = kObjectThread;
    marker->object.thread = thread;
    marker->name = name;
  }
  now += 100;
}

void write_memory(std::uint32_t operation, std::uint64_t bytes) {
  if (auto* memory = next_record<MemoryActivity>(kActivityMemory)) {
    memory->operation = operation;
    memory->memory = 3;
    memory->correlation = correlation;
    memory->address = 0x7f00'0000'0000;
    memory->bytes = bytes;
    memory->time = now;
    memory->device = device;
  }
}

void write_wait(std::uint32_t type, std::uint32_t event, std::uint64_t nanoseconds) {
  if (auto* wait = next_record<SynchronizationActivity>(kActivitySynchronization)) {
    wait->type = type;
    wait->start = now;
    wait->end = now + nanoseconds;
    wait->correlation = correlation;
    wait->context = 1 + device;
    wait->stream = stream;
    wait->event = event;
  }
}

void write_event(std::uint32_t event) {
  if (auto* record = next_record<EventActivity>(kActivityEvent)) {
    record->correlation = correlation;
    record->context = 1 + device;
    record->stream = stream;
    record->event = event;
  }
}

void write_overhead(std::uint64_t kind, std::uint64_t nanoseconds) {
  if (auto* overhead = next_record<OverheadActivity>(kActivityOverhead)) {
    overhead->overhead = static_cast<std::uint32_t>(kind);
    overhead->object_kind = kObjectThread;
    overhead->object.thread = thread;
    overhead->start = now;
    overhead->end = now + nanoseconds;
  }
  now += nanoseconds + kGapNs;
}

// A call that does no more than take its time.
void call_alone(const char* name, std::uint64_t nanoseconds) {
  write_runtime_call(name, now, nanoseconds);
  now += nanoseconds + kGapNs;
}

// One line of what fake_cuda_program is told to do with --do.
void act(const char* line) {
  char what[32] = "";
  char name[128] = "";
  unsigned long long a = 0, b = 0, c = 0, d = 0, e = 0;
  std::sscanf(line, "%31s", what);
  const auto is = [&](const char* word) { return std::strcmp(what, word) == 0; };
  const char* rest = line + std::strlen(what);
  const auto numbers = [&] { std::sscanf(rest, "%llu%llu%llu%llu%llu", &a, &b, &c, &d, &e); };
  const auto name_and_numbers = [&] { std::sscanf(rest, "%127s%llu%llu", name, &a, &b); };
  if (is("device")) {
    numbers();
    device = static_cast<std::uint32_t>(a);
  } else if (is("stream")) {
    numbers();
    stream = static_cast<std::uint32_t>(a);
  } else if (is("thread")) {
    numbers();
    thread = static_cast<std::uint32_t>(a);
  } else if (is("call")) {
    name_and_numbers();
    ++correlation;
    call_alone(name, a);
  } else if (is("copy")) {
    numbers();
    ++correlation;
    write_device();
    write_runtime_call(b == 1 || c == 1 ? "cudaMemcpy_" : "cudaMemcpyAsync", now - kLeadNs,
                       kCallNs);
    write_copy(a, b, c, d, e);
  } else if (is("peer")) {
    numbers();
    ++correlation;
    write_runtime_call("cudaMemcpyPeerAsync", now - kLeadNs, kCallNs);
    write_peer_copy(a, b, c);
  } else if (is("set")) {
    numbers();
    ++correlation;
    write_runtime_call("cudaMemsetAsync", now - kLeadNs, kCallNs);
    write_set(a, b);
  } else if (is("graph")) {
    name_and_numbers();
    ++correlation;
    write_device();
    write_runtime_call("cudaGraphLaunch", now - kLeadNs, kCallNs);
    for (; a > 0; --a) write_kernel("node", 1, 32, b, true);
  } else if (is("push")) {
    write_marker(kMarkerStart, ++range_count, ::strdup(rest + 1));
    open_ranges[open_range_count++ % std::size(open_ranges)] = range_count;
  } else if (is("pop")) {
    write_marker(kMarkerEnd, open_ranges[--open_range_count % std::size(open_ranges)], nullptr);
  } else if (is("malloc")) {
    numbers();
    ++correlation;
    write_memory(1, a);
    call_alone("cudaMalloc", b);
  } else if (is("free")) {
    numbers();
    ++correlation;
    write_memory(2, a);
    call_alone("cudaFree", b);
  } else if (is("migrate")) {
    numbers();
    write_migration(a, b, c);
  } else if (is("overhead")) {
    numbers();
    write_overhead(a, b);
  } else if (is("sync")) {
    numbers();
    ++correlation;
    write_wait(3, 0, a);
    call_alone("cudaStreamSynchronize", a);
  } else if (is("record")) {
    numbers();
    ++correlation;
    write_event(static_cast<std::uint32_t>(a));
    call_alone("cudaEventRecord", kCallNs);
  } else if (is("wait")) {
    numbers();
    ++correlation;
    write_wait(2, static_cast<std::uint32_t>(a), 0);
    call_alone("cudaStreamWaitEvent", kCallNs);
  } else {
    std::abort();
  }
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
#ifdef FAKE_OLD_CUPTI
  if (kind == kActivityMemory) return kNotSupported;
#endif
  if (now == 0) now = clock_now();
  wants[kind] = true;
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityDisable(std::uint32_t kind) {
  wants[kind] = false;
  if (kind == kActivityRuntime) std::memset(wants_call[1], 0, sizeof wants_call[1]);
  if (kind == kActivityDriver) std::memset(wants_call[0], 0, sizeof wants_call[0]);
  return kCuptiSuccess;
}

EXPORTED int cuptiGetTimestamp(std::uint64_t* time) {
  *time = clock_now();
  return kCuptiSuccess;
}

EXPORTED int cuptiGetCallbackName(int domain, std::uint32_t id, const char** name) {
  const bool is_driver = domain == kDomainDriver;
  if (id >= (is_driver ? std::size(kDriverCalls) : std::size(kRuntimeCalls)))
    return kInvalidOperation;
  *name = is_driver ? kDriverCalls[id] : kRuntimeCalls[id];
  return kCuptiSuccess;
}

#ifndef FAKE_OLD_CUPTI
EXPORTED int cuptiActivityEnableRuntimeApi(std::uint32_t id, std::uint8_t enable) {
  wants_call[1][id] = enable != 0;
  return kCuptiSuccess;
}

EXPORTED int cuptiActivityEnableDriverApi(std::uint32_t id, std::uint8_t enable) {
  wants_call[0][id] = enable != 0;
  return kCuptiSuccess;
}

EXPORTED int cuptiSetThreadIdType(int type) {
  return type == kSystemThreadIds ? kCuptiSuccess : kInvalidOperation;
}

EXPORTED int cuptiActivityConfigureUnifiedMemoryCounter(MigrationConfig*, std::uint32_t count) {
  return count == 3 ? kCuptiSuccess : kInvalidOperation;
}

EXPORTED int InitializeInjectionNvtx2(void*) {
  has_nvtx = true;
  return 1;
}
#endif

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
    next = static_cast<std::uint8_t*>(*record) + size_of(kind);
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
  write_device();
  write_runtime_call("cudaLaunchKernel", now - kLeadNs, kCallNs);
  write_kernel(name, grid, block, nanoseconds, false);
  ::pthread_mutex_unlock(&mutex);
}

EXPORTED void fake_cupti_do(const char* line) {
  ::pthread_mutex_lock(&mutex);
  act(line);
  ::pthread_mutex_unlock(&mutex);
}

EXPORTED bool fake_cupti_is_asked_for(std::uint32_t kind) {
  ::pthread_mutex_lock(&mutex);
  const bool is_asked_for = wants[kind];
  ::pthread_mutex_unlock(&mutex);
  return is_asked_for;
}
