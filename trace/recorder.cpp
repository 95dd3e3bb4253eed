// SPDX-License-Identifier: Apache-2.0
//
// The recorder inside the user's program. CUDA loads this shared object because
// CUDA_INJECTION64_PATH names it, and calls InitializeInjection while it initialises itself. From
// then on CUPTI fills buffers with a record for each kernel, and this file writes them down in the
// folder that PROOFLINE_RECORDING names.
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

namespace proofline::trace {
namespace {

// CUPTI's own periodic flush hands over full buffers only, so a program that launches little and
// then dies would leave nothing. A thread of ours asks for the rest this often.
constexpr long kFlushMilliseconds = 200;
// How long the program's exit waits for the last records at most.
constexpr int kExitPatienceSeconds = 10;

// Nothing in here needs a constructor or a destructor to run: the records come in until the very
// end of the process.
struct State {
  pid_t owner = 0;
  CuptiFunctions cupti{};
  bool has_clusters = false;
  BufferPool buffers;
  std::atomic<bool> has_records{false};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of the writer and its file
  LaunchWriter writer;
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

void set(std::atomic<int>& number) {
  number.store(1);
  ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = state.buffers.take();
  *size = *buffer != nullptr ? BufferPool::kBufferBytes : 0;
  *max_records = 0;  // as many as fit
  state.has_records.store(true, std::memory_order_relaxed);
}

void write_records(std::uint8_t* buffer, std::size_t valid) {
  void* record = nullptr;
  while (state.cupti.get_next_record(buffer, valid, &record) == kCuptiSuccess) {
    const std::uint32_t kind = *static_cast<const std::uint32_t*>(record);
    if (kind == kActivityConcurrentKernel) {
      state.writer.write(*static_cast<const KernelActivity*>(record), state.has_clusters);
    } else if (kind == kActivityDevice) {
      state.writer.write(*static_cast<const DeviceActivity*>(record));
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

void* flush_until_stopped(void*) {
  while (state.stopping.load() == 0) {
    wait_while(state.stopping, 0, {0, kFlushMilliseconds * 1'000'000});
    // Before the first record CUDA may still be initialising itself, and CUPTI with it.
    if (state.stopping.load() == 0 && state.has_records.load()) state.cupti.flush_all(0);
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
  result = cupti.enable(kActivityDevice);
  if (result == kCuptiSuccess) result = cupti.enable(kActivityConcurrentKernel);
  return result != kCuptiSuccess ? "cuptiActivityEnable" : nullptr;
}

// True where recording goes on until the program ends.
bool start(const char* folder) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec);
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
  state.has_clusters = version >= kCuptiWithClusters;

  int result = kCuptiSuccess;
  if (const char* failed = start_recording(result)) {
    const char* reason = nullptr;
    if (state.cupti.get_result_string(result, &reason) != kCuptiSuccess || reason == nullptr) {
      reason = "unknown error";
    }
    char text[256];
    std::snprintf(text, sizeof text, "%s failed: %s (%d)", failed, reason, result);
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
  if (start(folder) && std::atexit(finish) == 0) start_thread();
  errno = saved_errno;
  return 1;
}
