// SPDX-License-Identifier: Apache-2.0
//
// The file that the recorder (trace/) leaves for each process and readers/timeline/recording.cpp
// reads. It is only ever appended to, record by record, so that a process which dies leaves all
// that it had written by then:
//
//   file    the magic, then records
//   record  kind (1 byte), length of the payload (2 bytes, little-endian), payload
//
// Payloads are rows of variable-length numbers (LEB128, as DWARF has them; "signed" where it says
// so); a text is what is left of the payload. A reader passes over kinds that it does not know.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace proofline {

// The last byte is the version of the format.
inline constexpr std::string_view kRecordingMagic{"\x89PLREC\n\x01", 8};
inline constexpr std::string_view kRecordingExtension = ".recording";

enum class RecordKind : std::uint8_t {
  // Always the first: pid, time of day in ns, driver's CUDA version, CUPTI's API version (each of
  // them 0 where unknown), path of the executable.
  kProcess = 1,
  // Id, compute capability (two numbers), how many attributes, the values of kRecordedAttributes,
  // name.
  kDevice = 2,
  // What launches have in common; they name it by its position among the kShape records. Device,
  // context, stream, grid (three), block (three), registers of a thread, static and dynamic shared
  // memory, local memory of a thread, shared memory that the SM was set to (0: unknown), cluster
  // (three, 0: none), mangled name.
  kShape = 3,
  // Shape, then (signed, less that of the launch before): number of the API call, start in ns;
  // then (signed) duration in ns. Start and duration 0: the time could not be taken. Then 1 where
  // it is a node of a graph.
  kLaunch = 4,
  // How many records CUPTI dropped, or we did, since the last such record.
  kDropped = 5,
  // Why there is nothing, or nothing more, to record.
  kTrouble = 6,
  // The process ended in order, and everything is written.
  kEnd = 7,

  // The rest is written only where the whole timeline was asked for. In it, "thread", "call" (the
  // number of the API call) and "time" (in ns) are signed and less that of the record before, of
  // these kinds, that has one; a duration is signed; start and duration 0: there is no time. Kinds
  // of memory and of copies are numbered as CUPTI does.

  // The same moment by three clocks, each in ns: CUPTI's, by which all other times are, the time of
  // day, and the system's monotonic clock.
  kClock = 8,
  // A text that calls name by its position among the kName records.
  kName = 9,
  // A call of CUDA's runtime or driver: name, thread, call, time, duration.
  kCall = 10,
  // Device, context, stream, kind of copy, kinds of memory (from, to), bytes, 1 for a node of a
  // graph, call, time, duration.
  kCopy = 11,
  // Device, context, stream, kind of memory, bytes, 1 for a node of a graph, call, time, duration.
  kSet = 12,
  // A range of NVTX begins: its number, thread, time, name.
  kRangeStart = 13,
  // The range with this number ends: number, time.
  kRangeEnd = 14,
  // What CUPTI or the driver did besides: kind (as CUPTI numbers it), thread, time, duration.
  kOverhead = 15,
  // Unified memory moved: 1 to the device, 2 to the host, 8 between devices; device; bytes; time,
  // duration.
  kMigration = 16,
  // Memory was allocated (1) or released (2): which; kind of memory, device, address, bytes, call,
  // time.
  kMemory = 17,
  // Somebody waited: 1 a thread for an event, 2 a stream for an event, 3 a thread for a stream, 4 a
  // thread for a context; context, stream, event, call, time, duration.
  kWait = 18,
  // An event was recorded: context, stream, event, call.
  kEvent = 19,
  // What CUPTI would not record, and why.
  kUnavailable = 20,
  // Which GPU a device is, whatever number it has in this process: its id, the UUID's first and
  // last
  // eight bytes.
  kIdentity = 21,
};

// By ncu's names, in the order of their values in a kDevice record; new ones go to the end.
inline constexpr std::array<std::string_view, 15> kRecordedAttributes = {
    "multiprocessor_count",
    "warp_size",
    "clock_rate",
    "l2_cache_size",
    "total_memory",
    "total_constant_memory",
    "async_engine_count",
    "max_warps_per_multiprocessor",
    "max_blocks_per_multiprocessor",
    "max_shared_memory_per_multiprocessor",
    "max_registers_per_multiprocessor",
    "max_registers_per_block",
    "max_shared_memory_per_block",
    "max_threads_per_block",
    "ecc_enabled",
};

inline constexpr std::size_t kRecordHeaderBytes = 3;
inline constexpr std::size_t kMaxRecordPayload = 0xffff;

// More launches of one process are counted as dropped: they would say nothing new, and each costs
// the reader about a hundred bytes.
inline constexpr std::uint64_t kMaxRecordedLaunches = 10'000'000;
// The same for everything else that a timeline has.
inline constexpr std::uint64_t kMaxRecordedEvents = 30'000'000;

}  // namespace proofline
