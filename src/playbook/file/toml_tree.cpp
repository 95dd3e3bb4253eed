// SPDX-License-Identifier: Apache-2.0
#include "playbook/file/toml_tree.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/impl/preprocessor.h>

namespace {
struct BrokenAssumption {};
[[noreturn]] void assumption_is_broken() { throw BrokenAssumption(); }
}  // namespace

// What toml++ takes for granted of a text, a stranger's text can break. By itself it would abort
// there, and in a release build let the compiler make of it what it likes.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? void() : assumption_is_broken())
#define TOML_ASSERT_ASSUME(expr) TOML_ASSERT(expr)
#include <toml++/toml.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace proofline {
namespace {

// Looks for nesting and long keys outside texts and comments. It need not know TOML: what it lets
// through the parser takes without harm.
class TomlScan {
 public:
  explicit TomlScan(std::string_view text) : text_(text) {}

  std::string problem() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_text(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '\n') {
        ++place_.line;
        line_start_ = at_ + 1;
      }
      if (c == '[' && depth_ == 0 && begins_line() && !names_a_table()) {
        return "a table's name begins with a letter, a digit, _, - or a quote";
      }
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
      if (c == '.') {
        ++dots_;
      } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{' || c == ']') {
        dots_ = 0;
      }
      if (depth_ > ParsedToml::kMostDepth) {
        return fmt::format("nested more than {} deep", ParsedToml::kMostDepth);
      }
      if (dots_ >= ParsedToml::kMostKeyParts) {
        return fmt::format("a key of more than {} parts", ParsedToml::kMostKeyParts);
      }
      ++at_;
    }
    return "";
  }
  bool begins_line() const {
    return text_.substr(line_start_, at_ - line_start_).find_first_not_of(" \t\r") ==
           std::string_view::npos;
  }
  // toml++ takes for granted that it does.
  bool names_a_table() const {
    std::size_t at = at_ + 1;
    if (at < text_.size() && text_[at] == '[') ++at;
    at = std::min(text_.find_first_not_of(" \t", at), text_.size());
    if (at == text_.size()) return true;  // an error that it finds by itself
    const char c = text_[at];
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '"' || c == '\'' || c == ']';
  }
  SourcePlace place() const {
    return {place_.line, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
  }

 private:
  // To after its end, or the end of the line of one that has none.
  void skip_text(char mark) {
    const std::string triple(3, mark);
    if (text_.substr(at_).starts_with(triple)) {
      const std::size_t close = text_.find(triple, at_ + 3);
      const std::size_t end = close == std::string_view::npos ? text_.size() : close + 3;
      for (; at_ < end; ++at_) {
        if (text_[at_] != '\n') continue;
        ++place_.line;
        line_start_ = at_ + 1;
      }
      return;
    }
    for (++at_; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\' && mark == '"') {
        ++at_;
      } else if (text_[at_] == mark) {
        ++at_;
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  SourcePlace place_ = {1, 1};
  std::size_t depth_ = 0;
  std::size_t dots_ = 0;
};

SourcePlace place_of(const toml::source_position& position) {
  return {static_cast<std::uint32_t>(position.line), static_cast<std::uint32_t>(position.column)};
}

TomlNode convert(const toml::node& node);

void convert_table(const toml::table& table, TomlNode& to) {
  to.type = TomlNode::Type::kTable;
  std::vector<TomlNode> items;
  std::vector<std::string> keys;
  std::vector<SourcePlace> places;
  for (auto&& [key, value] : table) {
    keys.emplace_back(key.str());
    places.push_back(place_of(key.source().begin));
    items.push_back(convert(value));
  }
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  for (const std::size_t i : order) {
    to.items.push_back(std::move(items[i]));
    to.keys.push_back(std::move(keys[i]));
    to.key_places.push_back(places[i]);
  }
}

TomlNode convert(const toml::node& node) {
  TomlNode to;
  to.place = place_of(node.source().begin);
  if (const auto* table = node.as_table()) {
    convert_table(*table, to);
  } else if (const auto* array = node.as_array()) {
    to.type = TomlNode::Type::kArray;
    for (const toml::node& item : *array) to.items.push_back(convert(item));
  } else if (const auto* text = node.as_string()) {
    to.type = TomlNode::Type::kText;
    to.text = text->get();
  } else if (const auto* whole = node.as_integer()) {
    to.type = TomlNode::Type::kNumber;
    to.number = static_cast<double>(whole->get());
  } else if (const auto* real = node.as_floating_point()) {
    to.type = TomlNode::Type::kNumber;
    to.number = real->get();
  } else if (const auto* logic = node.as_boolean()) {
    to.type = TomlNode::Type::kLogic;
    to.logic = logic->get();
  }
  return to;
}

}  // namespace

const TomlNode* TomlNode::find(std::string_view key) const {
  const auto found = std::find(keys.begin(), keys.end(), key);
  return found != keys.end() ? &items[static_cast<std::size_t>(found - keys.begin())] : nullptr;
}

ParsedToml parse_toml(std::string_view text) {
  ParsedToml parsed;
  parsed.place = {1, 1};
  if (text.size() > ParsedToml::kMostBytes) {
    parsed.problem = "a playbook has at most 1 MiB";
    return parsed;
  }
  if (!is_valid_utf8(text)) {
    parsed.problem = "the text is not valid UTF-8";
    return parsed;
  }
  TomlScan scan(text);
  parsed.problem = scan.problem();
  if (!parsed.problem.empty()) {
    parsed.place = scan.place();
    return parsed;
  }
  try {
    const toml::parse_result result = toml::parse(text);
    if (!result) {
      parsed.problem = std::string(result.error().description());
      parsed.place = place_of(result.error().source().begin);
      return parsed;
    }
    convert_table(result.table(), parsed.root);
  } catch (const BrokenAssumption&) {
    parsed.problem = "this is not TOML, and nobody can say where";
  }
  return parsed;
}

}  // namespace proofline
