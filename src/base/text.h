// SPDX-License-Identifier: Apache-2.0
//
// Text that comes from strangers (kernel names, paths, NVTX labels) made fit for a medium, and the
// few formatting helpers that several views share. All of it is independent of the C locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace proofline {

// For a terminal or an error message: control characters, invalid UTF-8, bidirectional overrides
// and zero-width characters become visible escapes (\x1b, \u202e); all else stays as it is.
std::string escape_terminal(std::string_view text);

// Escaped and in double quotes, at most max_bytes of it, for use inside error messages.
std::string quote(std::string_view text, std::size_t max_bytes = 120);

// One CSV field as ncu writes it: in double quotes, quotes doubled. Text (never a number) that a
// spreadsheet would take for a formula gets a leading apostrophe; what fools a terminal or a log,
// line breaks included, becomes visible escapes.
std::string csv_text_field(std::string_view text);

// Valid UTF-8 for JSON: each invalid byte becomes U+FFFD. Returns the text itself when it is valid.
std::string to_valid_utf8(std::string_view text);
bool is_valid_utf8(std::string_view text);

// Columns that the text takes on a terminal (wide East Asian characters count two).
std::size_t display_width(std::string_view utf8);

// Shortened to at most `width` columns with an ellipsis in the middle, so that both the start of a
// kernel's name and its last template arguments stay visible.
std::string elide_middle(std::string_view utf8, std::size_t width);

// FNV-1a of the bytes, as 8 hex digits: tells two elided names apart.
std::string short_hash(std::string_view bytes);

// "1234567" -> "1,234,567"
std::string group_digits(std::uint64_t number);

// "1 loop", "1,234 loops"; `many` where the plural is not `one` with an s: "2 entries".
std::string plural(std::uint64_t count, std::string_view one, std::string_view many = "");

// A share of a whole, 0..1: 0.414 -> "41 %", with one decimal "41.4 %".
std::string percent(double share, int decimals = 0);
// With as many decimals as tell it from its neighbours: 0.861 -> "86.1 %", 0.5 -> "50 %",
// 0.0086 -> "0.86 %".
std::string share_text(double share);

// "86.0" -> "86"
std::string without_zeros(std::string digits);

std::string_view trim(std::string_view text);

}  // namespace proofline
