// SPDX-License-Identifier: Apache-2.0
//
// A Timeline is what a program did, and when: the work of its GPUs, the CUDA calls that asked for
// it, and what the host's threads were at meanwhile. Plain data, in no order that anyone may rely
// on: analyses sort. A trace may hold millions of events, so these are small, refer to each other
// by position, and share their names, which are kept exactly as the file has them (a stranger's
// text: views escape them).
//
// All time is integer nanoseconds on one clock for the whole timeline.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

inline constexpr std::uint32_t kNoPosition = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kUnknownBytes = std::numeric_limits<std::uint64_t>::max();

// What one GPU does: all of it but a graph row is one operation of the hardware.
enum class GpuWork : std::uint8_t {
  kKernel,
  kCopy,
  kSet,
  kGraph,  // a whole graph launch, where the file does not say what ran inside
};

enum class CopyDirection : std::uint8_t {
  kUnknown,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kHostToHost,
  kPeerToPeer,
};
std::string_view to_string(CopyDirection direction);  // "HtoD"

enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kArray, kManaged };

struct GpuOp {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;              // never before the start
  std::uint64_t bytes = kUnknownBytes;  // of copies and sets
  std::uint32_t name = 0;               // in Timeline::names
  std::uint32_t stream = 0;             // in Timeline::streams
  // Of the call that asked for it: unique in a process, but all nodes of a graph launch share one.
  // 0: not known.
  std::uint32_t correlation = 0;
  std::uint32_t shape = kNoPosition;  // of kernels, in Timeline::shapes
  GpuWork work = GpuWork::kKernel;
  CopyDirection direction = CopyDirection::kUnknown;
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  bool in_graph = false;
};

// A call of CUDA's runtime or driver (or HIP's).
struct ApiCall {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;    // without version and stream suffixes: "cudaMemcpyAsync"
  std::uint32_t thread = 0;  // in Timeline::threads
  std::uint32_t correlation = 0;
};

enum class HostWork : std::uint8_t {
  kOperator,    // of a framework: "aten::add"
  kAnnotation,  // the user's: NVTX, record_function, ProfilerStep
  kPython,      // a Python function
  kSystem,      // a call of the operating system
  kOverhead,    // what the profiler itself cost, or the driver while it loads code
};

// Something that a host thread did from start to end. Ranges of one thread nest.
struct HostRange {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = 0;
  std::uint32_t thread = 0;
  HostWork work = HostWork::kOperator;
};

// What kernels have in common that were launched alike.
struct LaunchShape {
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t registers = 0;  // for each thread; 0: unknown
  std::uint64_t shared_bytes = 0;

  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

// What is known of a collective operation of several ranks, by the GPU operation that carried it
// out, or by the host's range that asked for it.
struct Collective {
  std::uint32_t op = 0;                 // in Timeline::ops, or in Timeline::ranges
  std::uint32_t name = 0;               // "allreduce"
  std::uint32_t group = 0;              // name of the process group
  std::uint32_t ranks = 0;              // in the group; 0: not known
  std::uint64_t bytes = kUnknownBytes;  // the larger of what goes in and what comes out
  std::optional<std::uint64_t> sequence;
};

// Device or host memory that the program allocated or released.
struct MemoryChange {
  std::int64_t time_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t process = 0;
  std::uint32_t correlation = 0;
  MemoryKind kind = MemoryKind::kUnknown;
  bool is_release = false;
};

enum class WaitFor : std::uint8_t {
  kUnknown,
  kEvent,         // a thread waits for an event
  kEventInQueue,  // the stream waits; the host continues
  kStream,
  kContext,
};

// Somebody waits for work of a GPU.
struct GpuWait {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t stream = kNoPosition;  // that waits, or is waited for; none where it has no work
  std::uint32_t correlation = 0;
  std::uint32_t event = 0;  // that EventMarks of the process have; 0: none
  WaitFor wait = WaitFor::kUnknown;
};

// cudaEventRecord: an event after the work queued in a stream.
struct EventMark {
  std::uint32_t stream = kNoPosition;
  std::uint32_t correlation = 0;
  std::uint32_t event = 0;
};

struct TimelineDevice {
  std::uint32_t id = 0;  // as the file counts
  std::string name;      // "" where the file does not say
  std::string compute_capability;
  std::uint32_t multiprocessors = 0;
};

struct TimelineProcess {
  std::uint64_t id = 0;   // what tells processes apart in the file
  std::uint64_t pid = 0;  // of the operating system
  std::string name;
};

struct TimelineThread {
  std::uint32_t process = 0;
  std::uint64_t id = 0;
  std::string name;
};

struct TimelineStream {
  std::uint32_t process = 0;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint64_t id = 0;
};

struct Timeline {
  std::string path;
  std::string format;    // a reader's name: "kineto-trace"
  std::string producer;  // "PyTorch 2.4 (Kineto)", "nsys 2025.1.1"; "" where the file is silent
  std::optional<std::uint32_t> rank;    // of a distributed job
  std::optional<std::int64_t> unix_ns;  // the time of day at 0, where the file tells
  bool partial = false;                 // the recorder itself says that it lost events
  std::string ops_missing;              // why the GPU did more than `ops`; "" not known to
  bool from_program_start = false;      // recorded from the first moment, not from some step on
  std::uint64_t memory_peak_bytes = 0;  // of a framework's allocator on a GPU; 0: unknown
  std::vector<std::string> names;
  std::vector<TimelineDevice> devices;
  std::vector<TimelineProcess> processes;
  std::vector<TimelineThread> threads;
  std::vector<TimelineStream> streams;
  std::vector<LaunchShape> shapes;
  std::vector<GpuOp> ops;
  std::vector<ApiCall> calls;
  std::vector<HostRange> ranges;
  std::vector<Collective> collectives;        // of operations
  std::vector<Collective> asked_collectives;  // of the host's ranges, in their order
  std::vector<MemoryChange> memory;
  std::vector<GpuWait> waits;
  std::vector<EventMark> events;
  std::vector<Note> notes;  // what was lost, and what the recorder warned of
};

}  // namespace proofline
