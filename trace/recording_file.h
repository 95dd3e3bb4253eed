// SPDX-License-Identifier: Apache-2.0
//
// Writes the file of one process (readers/timeline/recording_format.h). Records gather in memory,
// without allocation, until store(). Not for several threads at once.
//
// The file is opened for each store() and closed again: a program may close every descriptor that
// it finds and open others under the same numbers, and then we would write into its files.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "readers/timeline/recording_format.h"

namespace proofline::trace {

class RecordingFile {
 public:
  // A new file in this folder, named by pid and time. Where that fails all that follows does
  // nothing.
  void create(const char* folder, std::uint32_t pid, std::uint64_t unix_ns);

  // begin, the numbers, a text at most, end.
  void begin(RecordKind kind);
  void number(std::uint64_t value);
  void signed_number(std::int64_t value);
  void text(const char* text);
  void end();

  // Writes what has gathered. After a first failure (disk full) nothing more is written, so that
  // the file stays readable up to there.
  void store();

 private:
  // Room for a record of any size, and for the launches of a few milliseconds.
  static constexpr std::size_t kCapacity = std::size_t{256} << 10U;

  void put(unsigned byte) { bytes_[size_++] = static_cast<unsigned char>(byte); }
  bool write_all(int file);

  char path_[PATH_MAX] = "";  // "": there is no file, or it failed
  std::uint64_t written_ = 0;
  std::size_t record_ = 0;  // where the one begun starts
  std::size_t size_ = 0;
  unsigned char bytes_[kCapacity] = {};
};

}  // namespace proofline::trace
