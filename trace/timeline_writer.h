// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's records of all that is no kernel, turned into ours (readers/timeline/recording_format.h).
// Times, threads and numbers of calls are written as what they differ by from record to record, so
// a call takes about twelve bytes. Not for several threads at once. All zero at first, so that it
// takes no space in the shared object.
#pragma once

#include <cstdint>

#include "cupti_abi.h"
#include "recording_file.h"

namespace proofline::trace {

// One moment by three clocks, in ns.
struct ClockReading {
  std::uint64_t cupti;
  std::uint64_t real;
  std::uint64_t monotonic;
};

class TimelineWriter {
 public:
  // To be called once, before all others.
  void write_to(RecordingFile& file) { file_ = &file; }

  void write(const ClockReading& clocks);
  // Any CUPTI record; kinds that we did not request are skipped.
  // `is_recent`: from CUDA 11.8 on, with graph nodes. False where the file is as long as it may
  // become.
  bool write(const void* record, const CuptiFunctions& cupti, bool is_recent);

 private:
  // More calls than CUDA has, of the runtime and of the driver.
  static constexpr std::uint32_t kMostCalls = 2048;

  void write_call(const ApiActivity& call, const CuptiFunctions& cupti);
  template <class Copy>
  void write_copy(const Copy& copy, bool is_recent);
  void write_set(const SetActivity& set, bool is_recent);
  void write_marker(const MarkerActivity& marker);
  void write_overhead(const OverheadActivity& overhead);
  void write_migration(const MigrationActivity& migration);
  void write_memory(const MemoryActivity& memory);
  void write_wait(const SynchronizationActivity& wait);
  void write_event(const EventActivity& event);

  // The number of its kName record; kUnwanted where it is no call that we show.
  std::uint16_t name_of(const ApiActivity& call, const CuptiFunctions& cupti);

  void begin(RecordKind kind);
  void put_thread(std::uint32_t thread);
  void put_call(std::uint32_t correlation);
  void put_time(std::uint64_t time);
  void put_times(std::uint64_t start, std::uint64_t end);

  static constexpr std::uint16_t kUnwanted = 0xffff;

  RecordingFile* file_ = nullptr;
  std::uint64_t records_ = 0;
  std::uint64_t last_time_ = 0;
  std::uint32_t last_thread_ = 0;
  std::uint32_t last_call_ = 0;
  std::uint16_t name_count_ = 0;
  // By domain and id: 0 not asked for yet, kUnwanted, or the name's number and one.
  std::uint16_t names_[2][kMostCalls] = {};
};

}  // namespace proofline::trace
