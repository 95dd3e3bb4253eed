// SPDX-License-Identifier: Apache-2.0
//
// Both formats may hold several members (gzip) or frames (zstd) one after the other; their contents
// are one stream to us. What is compressed twice is undone once.

#include "base/decoder.h"

#include <fmt/format.h>
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"

namespace proofline {
namespace {

constexpr std::size_t kChunkBytes = 256U << 10U;

}  // namespace

Decoder::Decoder(std::string_view head, StoredFile& file, std::string label,
                 const InputLimits& limits)
    : pending_(head),
      head_bytes_(head.size()),
      file_(file),
      label_(std::move(label)),
      limits_(limits) {}

Result<std::size_t> Decoder::read(char* to, std::size_t n) {
  std::size_t written = 0;
  while (written < n && !ended_) {
    if (pending_.empty()) {
      RETURN_IF_ERROR(refill());
      if (pending_.empty() && complete_) {
        ended_ = true;
        break;
      }
    }
    // Even after the last stored byte a decoder can hold output that found no room before.
    const bool stored_ended = pending_.empty();
    const Step step = decode(pending_, to + written, n - written);
    pending_.remove_prefix(step.consumed);
    consumed_ += step.consumed;
    written += step.written;
    complete_ = step.complete;
    if (!step.flaw.empty())
      stop(step.flaw);
    else if (stored_ended && step.written == 0)
      stop("cut off");
  }
  written_ += written;
  if (written_ > max_bytes())
    return fail(
        ErrorKind::kInput,
        fmt::format("{} expands from {} stored bytes to more than {}, the limit; raise it with {}",
                    label_, stored_bytes(), max_bytes(), option("max-size")));
  return written;
}

Result<void> Decoder::refill() {
  if (!chunk_) chunk_ = std::make_unique_for_overwrite<char[]>(kChunkBytes);
  ASSIGN_OR_RETURN(const auto got, file_.read(chunk_.get(), kChunkBytes));
  pending_ = {chunk_.get(), got};
  return {};
}

void Decoder::stop(std::string_view flaw) {
  ended_ = true;
  damage_ = Error{ErrorKind::kInput, fmt::format("{}: {} data damaged at stored byte {}: {}",
                                                 label_, format(), consumed_, flaw)};
}

std::uint64_t Decoder::stored_bytes() const { return std::max(file_.size(), head_bytes_); }

std::uint64_t Decoder::max_bytes() const {
  if (limits_.max_bytes) return *limits_.max_bytes;
  return std::min(
      InputLimits::kDefaultMaxBytes,
      std::max(InputLimits::kFreeExpansionBytes, InputLimits::kMaxExpansion * stored_bytes()));
}

namespace {

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(std::string_view head, StoredFile& file, std::string label, const InputLimits& limits)
      : Decoder(head, file, std::move(label), limits) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  static bool knows(std::string_view head) { return head.substr(0, 3) == "\x1f\x8b\x08"; }

 private:
  static constexpr std::size_t kMaxStepBytes = 1U << 30U;  // zlib counts a step in 32 bits

  std::string_view format() const override { return "gzip"; }

  Step decode(std::string_view stored, char* to, std::size_t n) override {
    // Zero bytes between or after members are padding, as for gzip itself.
    std::size_t padding = 0;
    if (stream_.total_in == 0) padding = std::min(stored.find_first_not_of('\0'), stored.size());
    stored = stored.substr(padding, kMaxStepBytes);
    n = std::min(n, kMaxStepBytes);
    stream_.next_in = reinterpret_cast<const Bytef*>(stored.data());
    stream_.avail_in = static_cast<uInt>(stored.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(n);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    Step step;
    step.consumed = padding + stored.size() - stream_.avail_in;
    step.written = n - stream_.avail_out;
    if (status == Z_STREAM_END)
      inflateReset(&stream_);  // total_in starts again at 0
    else if (status != Z_OK && status != Z_BUF_ERROR)
      step.flaw = stream_.msg != nullptr ? stream_.msg : zError(status);
    step.complete = stream_.total_in == 0;
    return step;
  }

  z_stream stream_{};
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(std::string_view head, StoredFile& file, std::string label, const InputLimits& limits)
      : Decoder(head, file, std::move(label), limits), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  // A zstd frame, or one of the sixteen kinds of skippable frames that may precede it.
  static bool knows(std::string_view head) {
    if (head.substr(0, 4) == "\x28\xb5\x2f\xfd") return true;
    return !head.empty() && head[0] >= '\x50' && head[0] <= '\x5f' &&
           head.substr(1, 3) == "\x2a\x4d\x18";
  }

 private:
  std::string_view format() const override { return "zstd"; }

  // zstd does not say what it wrote before it met damage, so small steps lose little. Its own limit
  // on the window (128 MiB) bounds the memory that a frame can ask for.
  Step decode(std::string_view stored, char* to, std::size_t n) override {
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer out{to, std::min(n, ZSTD_DStreamOutSize()), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    Step step{in.pos, out.pos, status == 0, {}};
    if (ZSTD_isError(status) != 0) step.flaw = ZSTD_getErrorName(status);
    return step;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

}  // namespace

std::unique_ptr<Decoder> Decoder::create(std::string_view head, StoredFile& file, std::string label,
                                         const InputLimits& limits) {
  if (GzipDecoder::knows(head))
    return std::make_unique<GzipDecoder>(head, file, std::move(label), limits);
  if (ZstdDecoder::knows(head))
    return std::make_unique<ZstdDecoder>(head, file, std::move(label), limits);
  return nullptr;
}

}  // namespace proofline
