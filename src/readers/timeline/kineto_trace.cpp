// SPDX-License-Identifier: Apache-2.0
//
// Chrome traces as PyTorch's profiler (Kineto) writes them, and as others write them again:
// indented, on one line, or as a bare list. A trace has gigabytes and is one JSON document, so it
// is read in pieces that end between two events. Two threads take turns: while one reads (and
// undoes gzip), the other parses what it has read before. Where a piece ends is a guess that sound
// JSON can only mislead by lists of objects within an event; the parser of the piece sees that its
// last event does not end, and what is left goes before the next piece, which is parsed again.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/timeline/json_scan.h"
#include "readers/timeline/kineto_document.h"
#include "readers/timeline/kineto_events.h"
#include "readers/timeline/kineto_timeline.h"

namespace proofline {
namespace {

constexpr std::size_t kTracePieceBytes = 4U << 20U;
// Limit for one event, and for all text before or after the events.
constexpr std::size_t kMostHeldBytes = 64U << 20U;
// Pieces that are read but not yet put together, because one before them still is being parsed.
constexpr std::size_t kMostAhead = 6;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view document_start(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && JsonScan::is_space(text.front())) text.remove_prefix(1);
  return text;
}

bool sniff_kineto_trace(std::string_view prefix) {
  const std::string_view text = document_start(prefix);
  const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  if (text.starts_with("{")) {
    // Very many ranks can fill the prefix before the events begin.
    return has("\"traceEvents\"") || (has("\"schemaVersion\"") &&
                                      (has("\"deviceProperties\"") || has("\"distributedInfo\"")));
  }
  if (!text.starts_with("[")) return false;
  return document_start(text.substr(1)).starts_with("{") && has("\"ph\"") && has("\"ts\"");
}

// Text followed by the padding that the scanner reads.
class PaddedText {
 public:
  PaddedText() = default;
  PaddedText(PaddedText&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  PaddedText& operator=(PaddedText&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::string_view text() const { return {bytes_.get(), size_}; }

  void append(std::string_view more) {
    char* to = grow(more.size());
    std::copy(more.begin(), more.end(), to);
    settle(more.size());
  }
  Result<std::size_t> append(Input& input, std::size_t n) {
    char* to = grow(n);
    auto got = input.read(to, n);
    settle(got.value_or(0));
    return got;
  }
  void shorten(std::size_t size) {
    size_ = size;
    settle(0);
  }

 private:
  char* grow(std::size_t more) {
    if (size_ + more + kScanPadding > capacity_) {
      const std::size_t capacity = std::max(size_ + more, kTracePieceBytes) + kTracePieceBytes / 4;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      std::copy_n(bytes_.get(), size_, larger.get());
      bytes_ = std::move(larger);
      capacity_ = capacity;
    }
    return bytes_.get() + size_;
  }
  void settle(std::size_t more) {
    size_ += more;
    if (bytes_ == nullptr) return;
    std::memset(bytes_.get() + size_, 0, kScanPadding);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

struct Piece {
  std::size_t number = 0;
  std::uint64_t offset = 0;  // in the file
  PaddedText text;
  std::size_t events_at = 0;
  KinetoBatch batch;
};

class TraceReader {
 public:
  TraceReader(Input& input, Timeline& timeline)
      : input_(input), timeline_(timeline), events_(timeline) {}

  Result<void> read() {
    RETURN_IF_ERROR(read_head());
    // Each takes pieces until there are no more.
    for_each_index(2, [&](std::size_t) { work(); });
    if (error_) return tl::make_unexpected(*error_);
    finish();
    return {};
  }

 private:
  // Up to the first event.
  Result<void> read_head() {
    Timeline& timeline = timeline_;
    while (true) {
      ASSIGN_OR_RETURN(const auto got, held_.append(input_, kTracePieceBytes));
      input_ended_ = got < kTracePieceBytes;
      const std::string_view text = held_.text();
      std::size_t at = text.size() - document_start(text).size();
      if (at < text.size() && text[at] == '[') {
        bare_ = true;
        events_at_ = at + 1;
        return {};
      }
      Timeline head;
      ++at;
      const KinetoMembers members = read_kineto_members(text, at, head);
      if (members == KinetoMembers::kEvents) {
        timeline.devices = std::move(head.devices);
        timeline.notes = std::move(head.notes);
        timeline.rank = head.rank;
        timeline.unix_ns = head.unix_ns;
        events_at_ = at;
        return {};
      }
      const bool more = members == KinetoMembers::kBrokenOff && !input_ended_;
      if (more && text.size() < kMostHeldBytes) continue;
      return fail(
          ErrorKind::kInput,
          fmt::format(
              "{}: the trace has no events{}", quote(input_.name()),
              members == KinetoMembers::kEnd ? "" : fmt::format(": it breaks off at byte {}", at)));
    }
  }

  void work() {
    try {
      while (auto piece = take_piece()) {
        piece->batch = parse_kineto_events(piece->text.text(), piece->events_at, false);
        const std::lock_guard lock(merging_);
        ready_.emplace(piece->number, std::move(piece));
        merge_ready();
      }
    } catch (...) {
      stop({ErrorKind::kInput, ""});
      throw;
    }
  }

  void stop(const Error& error) {
    const std::lock_guard lock(merging_);
    if (!error_) error_ = error;
    merged_some_.notify_all();
  }

  // The next piece of the file; null at its end or after an error.
  std::unique_ptr<Piece> take_piece() {
    const std::lock_guard lock(reading_);
    {
      std::unique_lock wait(merging_);
      merged_some_.wait(wait, [&] { return error_ || taken_ < merged_ + kMostAhead; });
      if (error_) return nullptr;
    }
    if (input_ended_ && held_.text().empty()) return nullptr;
    auto piece = std::make_unique<Piece>();
    piece->number = taken_;
    piece->offset = offset_;
    piece->events_at = taken_ == 0 ? events_at_ : 0;
    if (taken_ > 0 || !input_ended_) {
      if (auto read = fill(); !read) {
        stop(read.error());
        return nullptr;
      }
    }
    piece->text = std::exchange(held_, take_spare());
    if (!input_ended_) {
      const std::size_t cut = last_kineto_event(piece->text.text().substr(piece->events_at));
      if (cut != std::string_view::npos) {
        held_.append(piece->text.text().substr(piece->events_at + cut));
        piece->text.shorten(piece->events_at + cut);
      }
    }
    offset_ += piece->text.text().size();
    ++taken_;
    return piece;
  }

  // Memory that a piece before had: new pages cost more than what is written to them.
  PaddedText take_spare() {
    const std::lock_guard lock(merging_);
    if (spare_.empty()) return {};
    PaddedText text = std::move(spare_.back());
    spare_.pop_back();
    return text;
  }

  Result<void> fill() {
    while (!input_ended_) {
      ASSIGN_OR_RETURN(const auto got, held_.append(input_, kTracePieceBytes));
      input_ended_ = got < kTracePieceBytes;
      const bool has_cut = last_kineto_event(held_.text()) != std::string_view::npos;
      if (has_cut || held_.text().size() >= kMostHeldBytes) break;
    }
    return {};
  }

  void merge_ready() {
    for (auto next = ready_.find(merged_); next != ready_.end(); next = ready_.find(merged_)) {
      const std::unique_ptr<Piece> piece = std::move(next->second);
      ready_.erase(next);
      merge(*piece);
      ++merged_;
      piece->text.shorten(0);
      spare_.push_back(std::move(piece->text));
    }
    merged_some_.notify_all();
  }

  void merge(Piece& piece) {
    if (ended_) {
      add_tail(piece.text.text());
      return;
    }
    if (!left_.text().empty()) {
      left_.append(piece.text.text());
      piece.offset = left_offset_;
      piece.text = std::move(left_);
      piece.events_at = 0;
      // An event that is still not at its end is damage, not length.
      const bool too_long = piece.text.text().size() >= 2 * kMostHeldBytes;
      piece.batch = parse_kineto_events(piece.text.text(), 0, too_long);
      left_ = {};
    }
    events_.add(piece.batch, piece.offset);
    const std::string_view rest = piece.text.text().substr(piece.batch.stopped_at);
    if (piece.batch.ended) {
      ended_ = true;
      tail_offset_ = piece.offset + piece.batch.stopped_at + 1;
      add_tail(rest.substr(1));
    } else if (!rest.empty()) {
      left_offset_ = piece.offset + piece.batch.stopped_at;
      left_.append(rest);
    }
  }

  void add_tail(std::string_view text) {
    if (tail_.text().size() < kMostHeldBytes) tail_.append(text);
  }

  void finish() {
    if (!left_.text().empty()) {
      const KinetoBatch batch = parse_kineto_events(left_.text(), 0, true);
      events_.add(batch, left_offset_);
    }
    if (!ended_) {
      note_loss(offset_, "the trace ends before its list of events does");
    } else if (!bare_) {
      read_tail();
    } else if (!document_start(tail_.text()).empty()) {
      note_loss(tail_offset_, "something follows the trace, which was not read");
    }
    if (const auto damage = input_.damage()) {
      timeline_.notes.push_back({NoteKind::kLoss, "", damage->message});
    }
    events_.finish();
    if (!ended_) timeline_.ops_missing = "the file breaks off";
  }

  void read_tail() {
    const std::string_view text = tail_.text();
    std::size_t at = 0;
    switch (read_kineto_members(text, at, timeline_)) {
      case KinetoMembers::kEnd:
        if (!document_start(text.substr(at)).empty()) {
          note_loss(tail_offset_ + at, "something follows the trace, which was not read");
        }
        break;
      case KinetoMembers::kEvents:
        note_loss(tail_offset_ + at, "a second list of events, which was not read");
        break;
      case KinetoMembers::kBrokenOff:
        note_loss(tail_offset_ + at, "the trace breaks off after its events");
        break;
      case KinetoMembers::kMalformed:
        note_loss(tail_offset_ + at, "what follows the events is not sound JSON");
        break;
    }
  }

  void note_loss(std::uint64_t offset, std::string what) {
    timeline_.notes.push_back({NoteKind::kLoss, fmt::format("offset {}", offset), std::move(what)});
  }

  Input& input_;
  Timeline& timeline_;
  bool bare_ = false;

  std::mutex reading_;  // of what reads the file; may be held while `merging_` is taken
  PaddedText held_;     // read, and in no piece yet
  std::size_t events_at_ = 0;
  std::uint64_t offset_ = 0;  // of held_
  std::size_t taken_ = 0;
  bool input_ended_ = false;

  std::mutex merging_;  // of what puts pieces together
  std::condition_variable merged_some_;
  KinetoTimeline events_;
  std::map<std::size_t, std::unique_ptr<Piece>> ready_;
  std::size_t merged_ = 0;
  std::vector<PaddedText> spare_;
  PaddedText left_;  // of the pieces so far: an event without its end
  std::uint64_t left_offset_ = 0;
  bool ended_ = false;
  PaddedText tail_;
  std::uint64_t tail_offset_ = 0;
  std::optional<Error> error_;
};

Result<Timeline> read_kineto_timeline(Input& input) {
  Timeline timeline;
  timeline.path = input.name();
  timeline.format = "kineto-trace";
  timeline.producer = "PyTorch's profiler (Kineto)";
  RETURN_IF_ERROR(TraceReader(input, timeline).read());
  RETURN_IF_ERROR(input.finish());
  // Without a base, times are since 1970 themselves.
  if (!timeline.unix_ns) timeline.unix_ns = 0;
  if (!timeline.rank) timeline.rank = rank_in_name(timeline.path);
  return timeline;
}

}  // namespace

Format kineto_trace() {
  return {
      .name = "kineto-trace",
      .what = "a trace of PyTorch's profiler",
      .summary = "a Chrome trace (JSON) as PyTorch's profiler writes it, for CUDA or ROCm",
      .sniff = sniff_kineto_trace,
      .read_timeline = read_kineto_timeline,
  };
}

}  // namespace proofline
