// SPDX-License-Identifier: Apache-2.0
//
// The bytes of one input, read once from front to back: a file, standard input or memory, with gzip
// and zstd undone on the way. Memory stays bounded by the largest piece a reader takes, not by the
// size of the file; a length that a file claims never makes us allocate more than it has left or,
// where that is not known, about twice what has come. A format that needs random access, such as a
// database, is read by offset instead (make_seekable).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proofline {

// Who wants to know how far the reading of files has come. Called on whichever thread reads.
class InputWatch {
 public:
  virtual ~InputWatch() = default;
  // Bytes read of the stored file so far; `size` is 0 where it is unknown.
  virtual void on_read(const std::string& name, std::uint64_t bytes, std::uint64_t size) = 0;
};

struct InputLimits {
  // Most bytes an input may have, after decompression. Unset: kDefaultMaxBytes, and for compressed
  // input at most kMaxExpansion times its stored size besides.
  std::optional<std::uint64_t> max_bytes;
  InputWatch* watch = nullptr;  // outlives the input

  static constexpr std::uint64_t kDefaultMaxBytes = 8ULL << 30;
  // Full-set reports compress about 15:1; deflate can reach 1029:1, which only a bomb does.
  static constexpr std::uint64_t kMaxExpansion = 250;
  // Below this the ratio does not matter: a small file may well be all zeros.
  static constexpr std::uint64_t kFreeExpansionBytes = 64ULL << 20;
};

class Input {
 public:
  // Opens a regular file, or standard input for "-". Devices, directories and FIFOs are refused
  // without reading from them.
  static Result<Input> open(const std::string& path, const InputLimits& limits = {});
  // A view of memory that outlives the Input. Compressed bytes are undone here too.
  static Result<Input> from_memory(std::string_view bytes, std::string name,
                                   const InputLimits& limits = {});

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  const std::string& name() const;
  std::uint64_t offset() const;  // of the next byte, in decompressed bytes

  // The next n bytes without consuming them; shorter only at the end of the input.
  Result<std::string_view> peek(std::size_t n);
  // Consumes the next n bytes; the view holds until the next call. Shorter only at the end.
  Result<std::string_view> take(std::uint64_t n);
  // Consumes the next n bytes into the caller's memory; returns how many, fewer only at the end.
  Result<std::size_t> read(char* to, std::size_t n);
  // Consumes n bytes without keeping them; returns how many there were.
  Result<std::uint64_t> skip(std::uint64_t n);
  // Consumes all that is left, as one view.
  Result<std::string_view> take_rest();

  // From here on, instead of what is above, any piece can be read by its offset; nothing may have
  // been consumed. Uncompressed files and memory are read in place; everything else
  // is decompressed to an unnamed temporary file, as far as it can be decoded. Returns the size.
  Result<std::uint64_t> make_seekable();
  // Up to n bytes at this offset; fewer only at the end.
  Result<std::size_t> read_at(std::uint64_t offset, char* to, std::size_t n);

  // To be called after the last read: fails if the file changed while it was being read.
  Result<void> finish();

  // Why decompression stopped before a proper end (damaged or cut off). All that was decoded before
  // has been delivered as usual; set from the call on that came back short for this reason. Never
  // set for input that is not compressed.
  std::optional<Error> damage() const;

 private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proofline
