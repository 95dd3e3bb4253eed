// SPDX-License-Identifier: Apache-2.0
//
// Undoes gzip or zstd while the stored bytes come in, within a limit on what may come out. The
// middle layer of Input (base/input.h), which is what everyone else uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "base/stored_file.h"

namespace proofline {

class Decoder {
 public:
  // Of the beginning of a file, what tells whether it is compressed.
  static constexpr std::size_t kMagicBytes = 4;

  // The decoder for what `head` begins with; null where that is no compression we know. The stored
  // bytes are `head`, then those that the file still has; both must outlive the decoder.
  static std::unique_ptr<Decoder> create(std::string_view head, StoredFile& file, std::string label,
                                         const InputLimits& limits);

  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Up to n of the next bytes; none only at the end, be it a proper one or damage.
  Result<std::size_t> read(char* to, std::size_t n);
  const std::optional<Error>& damage() const { return damage_; }

 protected:
  Decoder(std::string_view head, StoredFile& file, std::string label, const InputLimits& limits);

  struct Step {
    std::size_t consumed = 0;
    std::size_t written = 0;
    bool complete = false;  // no member or frame is open: the stored bytes may end here
    std::string_view flaw;  // why it cannot go on; empty: it can
  };
  virtual Step decode(std::string_view stored, char* to, std::size_t n) = 0;
  virtual std::string_view format() const = 0;

 private:
  Result<void> refill();
  void stop(std::string_view flaw);
  std::uint64_t stored_bytes() const;
  std::uint64_t max_bytes() const;

  std::string_view pending_;  // stored bytes not yet consumed
  std::uint64_t head_bytes_;
  StoredFile& file_;
  std::string label_;
  InputLimits limits_;
  std::unique_ptr<char[]> chunk_;
  std::uint64_t consumed_ = 0;
  std::uint64_t written_ = 0;
  bool complete_ = false;
  bool ended_ = false;
  std::optional<Error> damage_;
};

}  // namespace proofline
