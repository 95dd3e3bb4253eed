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
  // then (signed) duration in ns. Start and duration 0: the time could not be taken.
  kLaunch = 4,
  // How many launches CUPTI dropped since the last such record.
  kDropped = 5,
  // Why there is nothing, or nothing more, to record.
  kTrouble = 6,
  // The process ended in order, and everything is written.
  kEnd = 7,
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

}  // namespace proofline
