// SPDX-License-Identifier: Apache-2.0
//
// JSON by RapidJSON, without recursion. A program that is ended leaves a file that breaks off: the
// text is then cut behind the last complete entry of the innermost list and closed.
#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {
namespace {

// Google Benchmark writes NaN and Infinity as they are.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                            rapidjson::kParseNanAndInfFlag;

// In memory each value takes 16 bytes, a member of an object twice that.
constexpr std::ptrdiff_t kMostValues = 32 << 20;

// Follows the nesting, and stops at the member that decides.
// NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
class OutlineFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, OutlineFinder> {
 public:
  bool StartObject() { return open(); }
  bool StartArray() { return open(); }
  bool EndObject(rapidjson::SizeType /*count*/) { return close(); }
  bool EndArray(rapidjson::SizeType /*count*/) { return close(); }

  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (depth_ != 1) return true;
    const std::string_view name(text, size);
    is_result_ = name == "result";
    outline_.context = outline_.context || name == "context";
    outline_.devices = outline_.devices || name == "devices" || name == "meta";
    outline_.benchmarks = name == "benchmarks";
    return !outline_.benchmarks;
  }

  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (depth_ != 1 || !is_result_) return depth_ > 0;
    outline_.result.assign(text, size);
    return false;
  }

  bool Default() { return depth_ > 0; }  // a number or a word alone is none

  JsonOutline take() { return std::move(outline_); }

 private:
  bool open() { return ++depth_ > 0; }
  bool close() { return --depth_ > 0; }

  std::size_t depth_ = 0;
  bool is_result_ = false;
  JsonOutline outline_;
};

// Remembers where the last complete entry of each open list of measurements ends.
class LastEntryFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, LastEntryFinder> {
 public:
  explicit LastEntryFinder(const rapidjson::MemoryStream& stream) : stream_(stream) {}

  bool StartObject() { return open('}', false); }
  bool StartArray() { return open(']', is_list_); }
  bool EndObject(rapidjson::SizeType /*count*/) { return close(); }
  bool EndArray(rapidjson::SizeType /*count*/) { return close(); }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const std::string_view name(text, size);
    is_list_ =
        name == "measurements" || name == "states" || name == "benchmarks" || name == "sides";
    return true;
  }

  // The text up to there, and what closes it; "" where no list is open.
  std::string complete_part(std::string_view text) {
    while (!open_.empty() && !open_.back().list) open_.pop_back();
    if (open_.empty()) return "";
    std::string part(text.substr(0, open_.back().end));
    for (; !open_.empty(); open_.pop_back()) part += open_.back().closer;
    return part;
  }

 private:
  struct Open {
    char closer;
    bool list;
    std::size_t end;  // of its last complete entry, or of its bracket
  };

  // Both are called before the bracket is consumed.
  bool open(char closer, bool list) {
    open_.push_back({closer, list, stream_.Tell() + 1});
    is_list_ = false;
    return true;
  }
  bool close() {
    open_.pop_back();
    if (!open_.empty()) open_.back().end = stream_.Tell() + 1;
    return true;
  }

  const rapidjson::MemoryStream& stream_;
  std::vector<Open> open_;
  bool is_list_ = false;
};
// NOLINTEND(readability-identifier-naming)

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string complete_part(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  LastEntryFinder finder(stream);
  rapidjson::Reader().Parse<kFlags>(stream, finder);
  return finder.complete_part(text);
}

bool parse(std::string_view text, rapidjson::Document& document) {
  document.Parse<kFlags>(text.data(), text.size());
  return !document.HasParseError();
}

}  // namespace

JsonOutline json_outline(std::string_view text) {
  text = without_byte_order_mark(text);
  rapidjson::MemoryStream stream(text.data(), text.size());
  OutlineFinder finder;
  rapidjson::Reader().Parse<kFlags>(stream, finder);
  return finder.take();
}

Result<void> parse_benchmark(std::string_view text, const std::string& name,
                             rapidjson::Document& document, BenchmarkNotes& notes) {
  const std::size_t mark = text.size() - without_byte_order_mark(text).size();
  text.remove_prefix(mark);
  const auto values = std::count_if(text.begin(), text.end(),
                                    [](char c) { return c == ',' || c == '[' || c == '{'; });
  if (values > kMostValues) {
    return fail(ErrorKind::kInput, fmt::format("{} holds more than {} values; keep fewer samples",
                                               quote(name), kMostValues));
  }
  if (parse(text, document)) return {};
  const std::size_t offset = mark + document.GetErrorOffset();
  std::string why = rapidjson::GetParseError_En(document.GetParseError());
  if (why.ends_with('.')) why.pop_back();
  const std::string part = complete_part(text);
  if (part.empty() || !parse(part, document)) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: at offset {}: {}; no measurement stands complete before it; write "
                            "the file again",
                            quote(name), offset, why));
  }
  notes.add({NoteKind::kLoss, fmt::format("offset {}", offset),
             why + "; neither what follows is read nor the entry that it is in", 1});
  return {};
}

}  // namespace proofline
