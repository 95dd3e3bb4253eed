// SPDX-License-Identifier: Apache-2.0
//
// JSON by RapidJSON, without recursion. A killed program leaves a truncated file: the text is
// then cut after the last complete entry of the innermost list and closed.
#include "readers/benchmark/benchmark_parts.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

// Google Benchmark writes NaN and Infinity as they are.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNanAndInfFlag;

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

  bool Default() { return depth_ > 0; }  // a bare number or word is no document

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

// Builds a document whose numbers are exact. RapidJSON's own are off by some last digits, or, with
// kParseFullPrecisionFlag, by all of them: it reads "0.0e59" as 3.4e38. A number that no double
// holds becomes NaN, and is lost where it is asked for.
class DocumentBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, DocumentBuilder> {
 public:
  explicit DocumentBuilder(rapidjson::Document& document) : document_(document) {}

  bool RawNumber(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const std::string_view digits(text, size);
    if (const auto whole = read_as<std::uint64_t>(digits)) return document_.Uint64(*whole);
    if (const auto whole = read_as<std::int64_t>(digits)) return document_.Int64(*whole);
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return document_.Double(read_as<double>(digits).value_or(kNone));
  }
  bool Null() { return document_.Null(); }
  bool Bool(bool value) { return document_.Bool(value); }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return document_.String(text, size, copy);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    return document_.Key(text, size, copy);
  }
  bool StartObject() { return document_.StartObject(); }
  bool StartArray() { return document_.StartArray(); }
  bool EndObject(rapidjson::SizeType count) { return document_.EndObject(count); }
  bool EndArray(rapidjson::SizeType count) { return document_.EndArray(count); }

 private:
  template <class Number>
  static std::optional<Number> read_as(std::string_view digits) {
    Number number{};
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
  }

  rapidjson::Document& document_;
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

rapidjson::ParseResult parse(std::string_view text, rapidjson::Document& document) {
  rapidjson::ParseResult result;
  auto read = [&](rapidjson::Document& to) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    DocumentBuilder builder(to);
    result =
        rapidjson::Reader().Parse<kFlags | rapidjson::kParseNumbersAsStringsFlag>(stream, builder);
    return !result.IsError();
  };
  document.Populate(read);
  return result;
}

std::optional<double> finite_of(const JsonValue& value) {
  if (!value.IsNumber() || !std::isfinite(value.GetDouble())) return std::nullopt;
  return value.GetDouble();
}

}  // namespace

JsonOutline json_outline(std::string_view text) {
  text = without_byte_order_mark(text);
  rapidjson::MemoryStream stream(text.data(), text.size());
  OutlineFinder finder;
  rapidjson::Reader().Parse<kFlags>(stream, finder);
  return finder.take();
}

void BenchmarkNotes::add(NoteKind kind, std::string_view what, std::uint64_t count) {
  // There are few kinds of trouble, however often each happens.
  const auto same = std::find_if(notes_.begin(), notes_.end(), [&](const Note& note) {
    return note.kind == kind && note.what == what;
  });
  if (same == notes_.end())
    notes_.push_back({kind, "", std::string(what), count});
  else if (kind == NoteKind::kLoss)
    same->count += count;
}

void BenchmarkNotes::append_to(std::vector<Note>& notes) const {
  notes.insert(notes.end(), notes_.begin(), notes_.end());
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
  const rapidjson::ParseResult parsed = parse(text, document);
  if (!parsed.IsError()) return {};
  const std::size_t offset = mark + parsed.Offset();
  std::string why = rapidjson::GetParseError_En(parsed.Code());
  if (why.ends_with('.')) why.pop_back();
  const std::string part = complete_part(text);
  if (part.empty() || parse(part, document).IsError()) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: at offset {}: {}; no measurement before it is complete; write "
                            "the file again",
                            quote(name), offset, why));
  }
  notes.add({NoteKind::kLoss, fmt::format("offset {}", offset),
             why + "; neither what follows is read nor the entry that it is in", 1});
  return {};
}

std::string_view text_of(const JsonValue& value) {
  if (!value.IsString()) return {};
  return {value.GetString(), value.GetStringLength()};
}

std::optional<double> positive_of(const JsonValue& value) {
  const auto number = finite_of(value);
  return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::uint64_t> whole_of(const JsonValue& value) {
  if (value.IsUint64()) return value.GetUint64();
  constexpr double kEnd = 18446744073709551616.0;  // the first that does not fit
  const auto number = finite_of(value);
  if (!number || *number < 0 || *number >= kEnd || *number != std::floor(*number)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*number);
}

std::optional<double> known_product(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !std::isnormal(*a * *b)) return std::nullopt;
  return *a * *b;
}

std::optional<double> bytes_moved(std::optional<double> bytes_per_second,
                                  std::optional<double> ns) {
  const auto bytes = known_product(bytes_per_second, known_product(ns, 1e-9));
  if (!bytes || std::round(*bytes) < 1) return std::nullopt;
  return std::round(*bytes);
}

JsonFields::JsonFields(const JsonValue* object, BenchmarkNotes& notes) : notes_(&notes) {
  if (object == nullptr) return;
  if (object->IsObject())
    object_ = object;
  else
    notes.lose("entries that are not objects");
}

const JsonValue* JsonFields::find(std::string_view name) const {
  if (object_ == nullptr) return nullptr;
  const JsonValue* found = nullptr;
  for (auto member = object_->MemberBegin(); member != object_->MemberEnd(); ++member) {
    if (text_of(member->name) != name) continue;
    if (found != nullptr) {
      notes_->lose(fmt::format("\"{}\" appears twice; the first is taken", name));
      break;
    }
    found = &member->value;
  }
  return found != nullptr && found->IsNull() ? nullptr : found;
}

std::string JsonFields::text(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (!value->IsString()) notes_->lose(fmt::format("\"{}\" is not a text", name));
  return std::string(text_of(*value));
}

std::optional<double> JsonFields::number(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = finite_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a finite number", name));
  return number;
}

std::optional<double> JsonFields::positive(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = positive_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a number above zero", name));
  return number;
}

std::optional<std::uint64_t> JsonFields::whole(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_of(*value);
  if (!number) notes_->lose(fmt::format("\"{}\" is not a whole number", name));
  return number;
}

std::optional<bool> JsonFields::flag(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->IsBool()) return value->GetBool();
  notes_->lose(fmt::format("\"{}\" is neither true nor false", name));
  return std::nullopt;
}

std::span<const JsonValue> JsonFields::list(std::string_view name) const {
  const JsonValue* value = find(name);
  if (value == nullptr) return {};
  if (value->IsArray()) return {value->Begin(), value->Size()};
  notes_->lose(fmt::format("\"{}\" is not a list", name));
  return {};
}

void settle(Measurement& measurement, BenchmarkNotes& notes) {
  // It would be all that a mean shows.
  constexpr double kWeekNs = 7 * 24 * 3600e9;
  std::uint64_t dropped =
      std::erase_if(measurement.samples, [](const Sample& one) { return one.ns > kWeekNs; });
  if (measurement.summary_ns.value_or(0) > kWeekNs) {
    measurement.summary_ns.reset();
    ++dropped;
  }
  if (dropped > 0) notes.lose("times above a week: left out", dropped);
  const bool timed = !measurement.samples.empty() || measurement.summary_ns;
  if (measurement.state != MeasurementState::kMeasured || timed) return;
  measurement.state = MeasurementState::kInvalid;
  measurement.reason = "the file has no usable time for it";
}

}  // namespace proofline
