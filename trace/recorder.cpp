// SPDX-License-Identifier: Apache-2.0
//
// The recorder inside the user's program. CUDA loads this shared object because
// CUDA_INJECTION64_PATH names it, and calls InitializeInjection while it initialises itself. From
// then on CUPTI fills buffers with a record for each kernel, and this file writes them down in the
// folder that PROOFLINE_RECORDING names. Where PROOFLINE_TIMELINE is set too, it is asked for all
// that a timeline shows, between two times of the monotonic clock where it names these:
// "FROM_NS UNTIL_NS", 0 for none.
//
// It is a guest: it never prints, never ends the program or changes its exit code, holds no
// descriptor open, and where something is not as it should be it writes down why and leaves the
// program alone. In a child that was forked off without exec it does nothing: CUDA does not work
// there, and the file is the parent's.
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "buffer_pool.h"
#include "cupti_library.h"
#include "launch_writer.h"
#include "recording_file.h"
#include "timeline_writer.h"
#include "wanted_calls.h"

namespace proofline::trace {
namespace {

// CUPTI's periodic flush delivers full buffers only, so a program that launches little and then
// crashes would leave nothing. A thread of ours flushes the rest this often.
constexpr long kFlushMilliseconds = 200;
// Ids of calls are below this.
constexpr std::uint32_t kCallIds = 2048;
// How long the program's exit waits for the last records at most.
constexpr int kExitPatienceSeconds = 10;

// What a timeline shows besides kernels and devices. Unified memory comes later, when CUDA is up.
struct Wish {
  std::uint32_t kind;
  const char* what;
};
constexpr Wish kWishes[] = {
    {kActivityCopy, "copies"},
    {kActivityPeerCopy, "copies between GPUs"},
    {kActivitySet, "memsets"},
    {kActivityRuntime, "calls of the runtime"},
    {kActivityDriver, "calls of the driver"},
    {kActivitySynchronization, "waits"},
    {kActivityEvent, "events"},
    {kActivityMemory, "allocations"},
    {kActivityMarker, "NVTX ranges"},
    {kActivityOverhead, "overheads"},
};

enum class Window { kBefore, kOpen, kClosed };

// Nothing in here needs a constructor or a destructor to run: the records come in until the very
// end of the process.
struct State {
  pid_t owner = 0;
  CuptiFunctions cupti{};
  bool is_recent = false;  // CUPTI is of CUDA 11.8 at least
  bool wants_timeline = false;
  std::uint64_t from_ns = 0;   // by the monotonic clock
  std::uint64_t until_ns = 0;  // 0: the program's end
  Window window = Window::kBefore;
  bool has_clock = false;
  bool asked_for_migrations = false;
  BufferPool buffers;
  std::atomic<bool> has_records{false};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of the writers and their file
  LaunchWriter writer;
  TimelineWriter timeline;
  std::atomic<int> stopping{0};
  std::atomic<int> stopped{0};
  bool has_thread = false;
};
constinit State state;

bool is_ours() { return ::getpid() == state.owner; }

// Waits while the number is still this one; at most for that long.
void wait_while(std::atomic<int>& number, int value, timespec time) {
  ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}

void wake_waiters(std::atomic<int>& number) {
  ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void set(std::atomic<int>& number) {
  number.store(1);
  wake_waiters(number);
}

std::uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = state.buffers.take();
  *size = *buffer != nullptr ? BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
  if (state.has_records.load(std::memory_order_relaxed)) return;
  state.has_records.store(true);
  wake_waiters(state.stopping);  // the thread has something to do now
}

void write_records(std::uint8_t* buffer, std::size_t valid) {
  void* record = nullptr;
  while (state.cupti.get_next_record(buffer, valid, &record) == kCuptiSuccess) {
    const std::uint32_t kind = *static_cast<const std::uint32_t*>(record);
    if (kind == kActivityConcurrentKernel) {
      state.writer.write(*static_cast<const KernelActivity*>(record), state.is_recent);
    } else if (kind == kActivityDevice) {
      const auto& device = *static_cast<const DeviceActivity*>(record);
      state.writer.write(device);
      if (state.wants_timeline) state.writer.write_identity(device);
    } else if (!state.timeline.write(record, state.cupti, state.is_recent)) {
      state.writer.add_dropped(1);
    }
  }
  std::size_t dropped = 0;
  if (state.cupti.get_dropped(nullptr, 0, &dropped) == kCuptiSuccess && dropped > 0) {
    state.writer.add_dropped(dropped);
  }
}

void on_buffer_completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t,
                         std::size_t valid) {
  if (buffer == nullptr || !is_ours()) return;
  const int saved_errno = errno;
  ::pthread_mutex_lock(&state.mutex);
  write_records(buffer, valid);
  state.writer.store();
  ::pthread_mutex_unlock(&state.mutex);
  state.buffers.give_back(buffer, valid);
  errno = saved_errno;
}

// A record with nothing but a text, at once.
void write_text(RecordKind kind, const char* text) {
  ::pthread_mutex_lock(&state.mutex);
  RecordingFile& file = state.writer.file();
  file.begin(kind);
  file.text(text);
  file.end();
  file.store();
  ::pthread_mutex_unlock(&state.mutex);
}

const char* reason_of(int result) {
  const char* reason = nullptr;
  const bool is_known = state.cupti.get_result_string(result, &reason) == kCuptiSuccess;
  return is_known && reason != nullptr ? reason : "unknown error";
}

void say_unavailable(const char* what, int result) {
  char text[256];
  std::snprintf(text, sizeof text, "%s: %s (%d)", what, reason_of(result), result);
  write_text(RecordKind::kUnavailable, text);
}

// The three clocks at one moment: of a few readings the one that took least time.
bool read_clocks(ClockReading& clocks) {
  if (state.cupti.get_timestamp == nullptr) return false;
  std::uint64_t least = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    ClockReading now{};
    const std::uint64_t before = nanoseconds(CLOCK_MONOTONIC);
    if (state.cupti.get_timestamp(&now.cupti) != kCuptiSuccess) return false;
    now.real = nanoseconds(CLOCK_REALTIME);
    const std::uint64_t after = nanoseconds(CLOCK_MONOTONIC);
    now.monotonic = before + (after - before) / 2;
    if (after - before >= least) continue;
    least = after - before;
    clocks = now;
  }
  return true;
}

bool write_clocks() {
  ClockReading clocks{};
  if (!read_clocks(clocks)) return false;
  ::pthread_mutex_lock(&state.mutex);
  state.timeline.write(clocks);
  state.writer.store();
  ::pthread_mutex_unlock(&state.mutex);
  return true;
}

// The calls that we want, one by one; where CUPTI is too old for that, all, of which the writer
// then takes what is wanted.
int enable_calls(std::uint32_t kind) {
  const CuptiFunctions& cupti = state.cupti;
  const bool is_driver = kind == kActivityDriver;
  const auto enable_one = is_driver ? cupti.enable_driver_api : cupti.enable_runtime_api;
  if (enable_one == nullptr || cupti.get_callback_name == nullptr) return cupti.enable(kind);
  int result = kCuptiSuccess;
  for (std::uint32_t id = 1; id < kCallIds; ++id) {
    const char* name = nullptr;
    const int domain = is_driver ? kDomainDriver : kDomainRuntime;
    if (cupti.get_callback_name(domain, id, &name) != kCuptiSuccess || name == nullptr) continue;
    if (!is_wanted_call(name)) continue;
    if (const int failed = enable_one(id, 1); failed != kCuptiSuccess) result = failed;
  }
  return result;
}

void enable_wishes() {
  for (const Wish& wish : kWishes) {
    const bool is_call = wish.kind == kActivityRuntime || wish.kind == kActivityDriver;
    const int result = is_call ? enable_calls(wish.kind) : state.cupti.enable(wish.kind);
    if (result != kCuptiSuccess) say_unavailable(wish.what, result);
  }
}

// CUDA has to be initialised for this one. A GPU that cannot tell is no news.
void enable_migrations() {
  const CuptiFunctions& cupti = state.cupti;
  if (cupti.configure_unified_memory == nullptr) return;
  MigrationConfig configs[] = {{kScopeAllDevices, kMigrationToDevice, 0, 1},
                               {kScopeAllDevices, kMigrationToHost, 0, 1},
                               {kScopeAllDevices, kMigrationBetweenDevices, 0, 1}};
  if (cupti.configure_unified_memory(configs, 3) != kCuptiSuccess &&
      cupti.configure_unified_memory(configs, 2) != kCuptiSuccess) {
    return;
  }
  cupti.enable(kActivityUnifiedMemory);
}

// Kernels and devices, and the rest of a timeline where that is asked for.
int open_window() {
  state.window = Window::kOpen;
  int result = state.cupti.enable(kActivityDevice);
  if (result == kCuptiSuccess) result = state.cupti.enable(kActivityConcurrentKernel);
  if (result == kCuptiSuccess && state.wants_timeline) enable_wishes();
  return result;
}

void close_window() {
  state.window = Window::kClosed;
  if (state.cupti.disable == nullptr) return;
  state.cupti.disable(kActivityConcurrentKernel);
  for (const Wish& wish : kWishes) state.cupti.disable(wish.kind);
  if (state.asked_for_migrations) state.cupti.disable(kActivityUnifiedMemory);
}

// How long until there is something to do.
timespec next_wait() {
  std::uint64_t wait = kFlushMilliseconds * 1'000'000;
  const std::uint64_t edge = state.window == Window::kBefore ? state.from_ns : state.until_ns;
  const std::uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (edge > now && edge - now < wait) wait = edge - now;
  return {0, static_cast<long>(wait)};
}

// What a timeline needs from time to time.
void attend_timeline() {
  const std::uint64_t now = nanoseconds(CLOCK_MONOTONIC);
  if (state.window == Window::kBefore && now >= state.from_ns) open_window();
  if (state.window == Window::kOpen && state.until_ns != 0 && now >= state.until_ns) close_window();
  if (!state.has_records.load()) return;
  if (!state.has_clock) state.has_clock = write_clocks();
  if (state.window == Window::kOpen && !state.asked_for_migrations) {
    state.asked_for_migrations = true;
    enable_migrations();
  }
}

void* flush_until_stopped(void*) {
  while (state.stopping.load() == 0) {
    wait_while(state.stopping, 0, next_wait());
    if (state.stopping.load() != 0) break;
    if (state.wants_timeline) attend_timeline();
    // Before the first record CUDA may still be initialising itself, and CUPTI with it.
    if (state.has_records.load()) state.cupti.flush_all(0);
  }
  state.cupti.flush_all(kFlushForced);
  set(state.stopped);
  return nullptr;
}

// CUPTI must not be called any more once the libraries are being unloaded, so the thread does the
// last flush and is waited for; not for ever, should a kernel or CUPTI hang.
void finish() {
  if (!is_ours()) return;
  if (state.has_thread) {
    set(state.stopping);
    for (int i = 0; i < kExitPatienceSeconds && state.stopped.load() == 0; ++i) {
      wait_while(state.stopped, 0, {1, 0});
    }
    if (state.stopped.load() == 0) return;
  } else {
    state.cupti.flush_all(kFlushForced);
  }
  if (state.wants_timeline) {
    write_clocks();
    // All have come back now, unless somebody else takes them.
    if (state.buffers.taken() > 0) {
      write_text(
          RecordKind::kTrouble,
          "another profiler in the program took CUPTI's records over, such as torch.profiler");
      return;
    }
  }
  write_text(RecordKind::kEnd, "");
}

// The program's signals are for the program's threads.
void start_thread() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  state.has_thread = ::pthread_create(&thread, nullptr, flush_until_stopped, nullptr) == 0;
  if (state.has_thread) ::pthread_detach(thread);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void write_process(std::uint64_t unix_ns, std::uint32_t driver, std::uint32_t cupti) {
  char executable[PATH_MAX] = "";
  const ssize_t length = ::readlink("/proc/self/exe", executable, sizeof executable - 1);
  executable[length > 0 ? length : 0] = '\0';
  RecordingFile& file = state.writer.file();
  file.begin(RecordKind::kProcess);
  file.number(static_cast<std::uint64_t>(state.owner));
  file.number(unix_ns);
  file.number(driver);
  file.number(cupti);
  file.text(executable);
  file.end();
  file.store();
}

// Null, or the call that failed.
const char* start_recording(int& result) {
  const CuptiFunctions& cupti = state.cupti;
  // Only one profiler can work in a process. We do not stay subscribed, since all we need are the
  // records, and the program may want to profile itself later.
  void* subscriber = nullptr;
  result = cupti.subscribe(
      &subscriber, [](void*, int, std::uint32_t, const void*) {}, nullptr);
  if (result != kCuptiSuccess) return "cuptiSubscribe";
  cupti.unsubscribe(subscriber);

  // Older versions do not know this, and zero the buffers themselves.
  std::uint8_t yes = 1;
  std::size_t size = sizeof yes;
  cupti.set_attribute(kAttributeZeroedBuffers, &size, &yes);

  result = cupti.register_callbacks(on_buffer_requested, on_buffer_completed);
  if (result != kCuptiSuccess) return "cuptiActivityRegisterCallbacks";
  if (state.from_ns > nanoseconds(CLOCK_MONOTONIC)) return nullptr;  // the thread will see to it
  result = open_window();
  return result != kCuptiSuccess ? "cuptiActivityEnable" : nullptr;
}

// What PROOFLINE_TIMELINE says.
void read_wish(const char* text) {
  state.wants_timeline = text != nullptr && *text != '\0';
  if (!state.wants_timeline) return;
  char* rest = nullptr;
  state.from_ns = std::strtoull(text, &rest, 10);
  state.until_ns = std::strtoull(rest, nullptr, 10);
}

// True where recording continues until the program ends.
bool start(const char* folder) {
  const std::uint64_t unix_ns = nanoseconds(CLOCK_REALTIME);
  state.timeline.write_to(state.writer.file());
  state.writer.file().create(folder, static_cast<std::uint32_t>(state.owner), unix_ns);

  const std::uint32_t driver = driver_version();
  std::uint32_t version = 0;
  const char* missing = load_cupti(std::getenv("PROOFLINE_CUPTI"), state.cupti);
  if (missing == nullptr) state.cupti.get_version(&version);
  write_process(unix_ns, driver, version);
  if (missing == nullptr && version < kOldestCupti) missing = "libcupti is older than CUDA 9.0's";
  if (missing != nullptr) {
    write_text(RecordKind::kTrouble, missing);
    return false;
  }
  state.is_recent = version >= kCuptiWithClusters;
  if (state.wants_timeline) {
    if (state.cupti.set_thread_id_type != nullptr) {
      state.cupti.set_thread_id_type(kSystemThreadIds);
    }
    state.has_clock = write_clocks();
  }

  int result = kCuptiSuccess;
  if (const char* failed = start_recording(result)) {
    char text[256];
    std::snprintf(text, sizeof text, "%s failed: %s (%d)", failed, reason_of(result), result);
    write_text(RecordKind::kTrouble, text);
    return false;
  }
  return true;
}

}  // namespace
}  // namespace proofline::trace

// CUDA takes 1 for success. We never give it a reason to do anything else.
// NOLINTNEXTLINE(readability-identifier-naming): the name is CUDA's
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace proofline::trace;
  const char* folder = std::getenv("PROOFLINE_RECORDING");
  if (folder == nullptr || *folder == '\0' || state.owner != 0) return 1;
  const int saved_errno = errno;
  state.owner = ::getpid();
  read_wish(std::getenv("PROOFLINE_TIMELINE"));
  if (start(folder) && std::atexit(finish) == 0) start_thread();
  errno = saved_errno;
  return 1;
}

// NVTX loads us too, because NVTX_INJECTION64_PATH names us, and its ranges are for CUPTI. Not
// CUPTI itself is named there, since the program may have one of its own, and two in one process
// get in each other's way. NVTX takes 0 for "there is no tool".
// NOLINTNEXTLINE(readability-identifier-naming): the name is NVTX'
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    void* get_export_table) {
  using namespace proofline::trace;
  const int saved_errno = errno;
  CuptiFunctions cupti{};
  const bool has_ranges = load_cupti(std::getenv("PROOFLINE_CUPTI"), cupti) == nullptr &&
                          cupti.initialize_nvtx != nullptr;
  const int result = has_ranges ? cupti.initialize_nvtx(get_export_table) : 0;
  errno = saved_errno;
  return result;
}
