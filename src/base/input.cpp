// SPDX-License-Identifier: Apache-2.0
//
// The top of three layers, each pulled by the next: StoredFile gives the bytes as they are on disk,
// Decoder decompresses them where needed, and Input keeps the window that callers see. Plain memory
// needs neither: the window covers all of it.

#include "base/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/decoder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/stored_file.h"
#include "base/temporary_file.h"
#include "base/text.h"

namespace proofline {
namespace {

// First size of a buffer whose need is not known beforehand.
constexpr std::size_t kPieceBytes = 256U << 10U;
// What is read at once of a file that is watched.
constexpr std::size_t kWatchedBytes = 16U << 20U;

// How messages name an input.
std::string label_of(const std::string& name) {
  return name == "-" ? "standard input" : quote(name);
}

}  // namespace

struct Input::State {
  State(std::string input_name, const InputLimits& input_limits)
      : name(std::move(input_name)),
        limits(input_limits),
        file(label_of(name), limits.max_bytes.value_or(InputLimits::kDefaultMaxBytes)) {}

  // Takes the first stored bytes, which must outlive this.
  void start(std::string_view head);
  // Makes the window n bytes long, or as long as the input still is.
  Result<void> fill(std::uint64_t n);
  // The next content, up to n bytes; none only at the end.
  Result<std::size_t> pull(char* to, std::size_t n);
  // Takes up to n bytes from the front of the window.
  std::string_view consume(std::uint64_t n);
  // What follows the window; known only where a plain file does.
  std::optional<std::uint64_t> remaining() const {
    return decoder ? std::nullopt : file.remaining();
  }

  std::string name;
  InputLimits limits;
  StoredFile file;
  std::array<char, Decoder::kMagicBytes> magic{};
  std::unique_ptr<Decoder> decoder;  // null: the stored bytes are the content
  std::string_view window;           // content that is in memory and not yet consumed
  std::uint64_t offset = 0;
  bool ended = false;  // nothing follows the window
  bool in_memory = false;
  std::uint64_t read_by_offset = 0;
  std::optional<TemporaryFile> copy;  // of what cannot be read by its offset itself

 private:
  Result<void> move_window(std::size_t capacity);

  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char[], Free> buffer_;  // of malloc, so that it can grow where it is
  std::size_t capacity_ = 0;
};

void Input::State::start(std::string_view head) {
  decoder = Decoder::create(head, file, label_of(name), limits);
  if (!decoder) window = head;
}

Result<void> Input::State::fill(std::uint64_t n) {
  const auto left = remaining();
  if (left) n = std::min(n, window.size() + *left);
  while (window.size() < n && !ended) {
    std::uint64_t room = n;
    if (!left) {
      // Where the end is not known a claimed n counts for nothing: the room grows with what comes.
      const std::size_t grown = std::max(kPieceBytes, 2 * capacity_);
      room = std::min<std::uint64_t>(n, window.size() < capacity_ ? capacity_ : grown);
    }
    if (auto moved = move_window(static_cast<std::size_t>(room)); !moved) return moved;
    char* to = buffer_.get() + window.size();
    const auto wanted = static_cast<std::size_t>(room - window.size());
    ASSIGN_OR_RETURN(const auto got, pull(to, wanted));
    window = {buffer_.get(), window.size() + got};
  }
  return {};
}

Result<std::size_t> Input::State::pull(char* to, std::size_t n) {
  // Who watches hears of a large file now and then, not at its end.
  if (limits.watch != nullptr) n = std::min(n, kWatchedBytes);
  ASSIGN_OR_RETURN(const auto got, decoder ? decoder->read(to, n) : file.read(to, n));
  ended = got == 0;
  if (limits.watch != nullptr && file.position() > 0) {
    limits.watch->on_read(name, file.position(), file.is_regular() ? file.size() : 0);
  }
  return got;
}

// Moves the window to the front of the buffer, with free room up to the capacity. Before there is a
// buffer, the window is the file's magic.
Result<void> Input::State::move_window(std::size_t capacity) {
  const bool buffered = buffer_ != nullptr;
  if (buffered && window.data() != buffer_.get()) {
    std::memmove(buffer_.get(), window.data(), window.size());
  }
  if (capacity > capacity_) {
    // By a good part at once, since pieces often get larger little by little, but never beyond what
    // is left to read.
    const std::uint64_t most = window.size() + remaining().value_or(0);
    capacity = std::max(capacity, static_cast<std::size_t>(
                                      std::min<std::uint64_t>(capacity_ + capacity_ / 2, most)));
    auto* larger = static_cast<char*>(std::realloc(buffer_.get(), capacity));
    if (larger == nullptr)
      return fail(ErrorKind::kInput, fmt::format("{}: not enough memory for a piece of {} bytes",
                                                 label_of(name), capacity));
    static_cast<void>(buffer_.release());  // realloc has freed it, or it is the same
    buffer_.reset(larger);
    capacity_ = capacity;
  }
  if (!buffered) std::copy(window.begin(), window.end(), buffer_.get());
  window = {buffer_.get(), window.size()};
  return {};
}

std::string_view Input::State::consume(std::uint64_t n) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(n, window.size()));
  const std::string_view taken = window.substr(0, size);
  window.remove_prefix(size);
  offset += size;
  return taken;
}

Result<Input> Input::open(const std::string& path, const InputLimits& limits) {
  auto state = std::make_unique<State>(path, limits);
  if (path == "-")
    state->file.open_standard_input();
  else if (auto opened = state->file.open(path); !opened)
    return tl::make_unexpected(opened.error());
  std::size_t size = 0;
  while (size < state->magic.size()) {
    ASSIGN_OR_RETURN(const auto got,
                     state->file.read(state->magic.data() + size, state->magic.size() - size));
    if (got == 0) break;
    size += got;
  }
  state->start({state->magic.data(), size});
  return Input(std::move(state));
}

Result<Input> Input::from_memory(std::string_view bytes, std::string name,
                                 const InputLimits& limits) {
  const std::uint64_t max_bytes = limits.max_bytes.value_or(InputLimits::kDefaultMaxBytes);
  if (bytes.size() > max_bytes)
    return fail(ErrorKind::kInput,
                fmt::format("{} has {} bytes, the limit is {}; raise it with {}", label_of(name),
                            bytes.size(), max_bytes, option("max-size")));
  auto state = std::make_unique<State>(std::move(name), limits);
  state->start(bytes);
  state->ended = !state->decoder;
  state->in_memory = state->ended;
  return Input(std::move(state));
}

Input::Input(std::unique_ptr<State> state) : state_(std::move(state)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

const std::string& Input::name() const { return state_->name; }

std::uint64_t Input::offset() const { return state_->offset; }

Result<std::string_view> Input::peek(std::size_t n) {
  RETURN_IF_ERROR(state_->fill(n));
  return state_->window.substr(0, n);
}

Result<std::string_view> Input::take(std::uint64_t n) {
  RETURN_IF_ERROR(state_->fill(n));
  return state_->consume(n);
}

Result<std::size_t> Input::read(char* to, std::size_t n) {
  const std::string_view waiting = state_->consume(n);
  std::copy(waiting.begin(), waiting.end(), to);
  std::size_t size = waiting.size();
  while (size < n && !state_->ended) {
    ASSIGN_OR_RETURN(const auto got, state_->pull(to + size, n - size));
    state_->offset += got;
    size += got;
  }
  return size;
}

Result<std::uint64_t> Input::skip(std::uint64_t n) {
  std::uint64_t skipped = state_->consume(n).size();
  if (const auto left = state_->remaining()) {
    const std::uint64_t rest = std::min(n - skipped, *left);
    state_->file.skip(rest);
    state_->offset += rest;
    return skipped + rest;
  }
  while (skipped < n) {
    ASSIGN_OR_RETURN(const auto piece, take(std::min<std::uint64_t>(n - skipped, kPieceBytes)));
    if (piece.empty()) break;
    skipped += piece.size();
  }
  return skipped;
}

Result<std::string_view> Input::take_rest() {
  return take(std::numeric_limits<std::uint64_t>::max());
}

Result<std::uint64_t> Input::make_seekable() {
  State& state = *state_;
  CHECK(state.offset == 0, "an input is made seekable before anything of it is taken");
  if (state.in_memory) return std::uint64_t{state.window.size()};
  if (!state.decoder && state.file.is_regular()) return state.file.size();
  ASSIGN_OR_RETURN(state.copy, TemporaryFile::create());
  while (true) {
    ASSIGN_OR_RETURN(const auto piece, take(kPieceBytes));
    if (piece.empty()) return state.copy->size();
    RETURN_IF_ERROR(state.copy->append(piece));
  }
}

Result<std::size_t> Input::read_at(std::uint64_t offset, char* to, std::size_t n) {
  State& state = *state_;
  if (state.copy) return state.copy->read_at(offset, to, n);
  if (!state.in_memory) {
    ASSIGN_OR_RETURN(const auto got, state.file.read_at(offset, to, n));
    state.read_by_offset += got;
    if (state.limits.watch != nullptr) {
      const std::uint64_t size = state.file.size();
      state.limits.watch->on_read(state.name, std::min(state.read_by_offset, size), size);
    }
    return got;
  }
  const std::string_view bytes = state.window;
  const std::string_view piece =
      bytes.substr(static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes.size())), n);
  std::copy(piece.begin(), piece.end(), to);
  return piece.size();
}

Result<void> Input::finish() { return state_->file.verify_unchanged(); }

std::optional<Error> Input::damage() const {
  return state_->decoder ? state_->decoder->damage() : std::nullopt;
}

}  // namespace proofline
