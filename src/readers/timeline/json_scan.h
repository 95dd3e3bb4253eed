// SPDX-License-Identifier: Apache-2.0
//
// Walks JSON text without building anything of it: a trace has millions of events, of which most
// members are only stepped over. More lenient than JSON where a tracer is known to be (nan and inf
// are numbers), and never recursive, so that nesting costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace proofline {

// Text that is followed by bytes which may be read, but mean nothing: whole words are looked at.
inline constexpr std::size_t kScanPadding = 16;

class JsonScan {
 public:
  // Scans the text from `at` on. It must be followed by kScanPadding zero bytes.
  JsonScan(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  bool at_end() const { return at_ >= text_.size(); }
  // The next character; 0 at the end.
  char next() const { return text_.data()[at_]; }
  void step() { ++at_; }

  void skip_space() {
    while (is_space(next())) step();
  }
  // Steps over this character, after space, if it is the next.
  bool take(char c) {
    skip_space();
    if (next() != c) return false;
    step();
    return true;
  }

  // The next string without its quotes, escapes left as they are. False where there
  // is none, it does not end, or holds a control character: older tracers left quotes unescaped, so
  // that what looks like a string may run on over the rest of the file.
  bool take_string(std::string_view& raw);
  // A number or a word, unparsed.
  bool take_scalar(std::string_view& raw);
  // Any value.
  bool skip_value();
  bool take_value(std::string_view& raw);
  // Members of an object whose brace has been taken: the next key, up to its colon. False at its
  // end, which is taken, or at anything else (then failed()).
  bool take_key(std::string_view& key);
  bool failed() const { return failed_; }
  // Whether the scan stopped at the end of the text, so that more text might complete it.
  bool ran_out() const { return ran_out_ || at_end(); }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

 private:
  bool skip_nested();
  // Where the next quote, backslash or control character is.
  std::size_t string_stop(std::size_t from) const;
  // Where the next quote, brace or bracket is.
  std::size_t nest_stop(std::size_t from) const;

  std::string_view text_;
  std::size_t at_;
  bool failed_ = false;
  bool ran_out_ = false;
};

// Microseconds as decimal text, exactly, into nanoseconds; digits below one round. False for what
// is no finite number or beyond 146 years.
bool parse_microseconds(std::string_view text, std::int64_t& ns);
// A whole number, with quotes around it or not.
bool parse_whole(std::string_view text, std::uint64_t& number);

// The text of a JSON string; false for an invalid escape.
bool unescape_json(std::string_view raw, std::string& text);

}  // namespace proofline
