// SPDX-License-Identifier: Apache-2.0
#include "readers/sqlite/sqlite_schema.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/characters.h"

namespace proofline {
namespace {

bool is_name_character(char c) {
  return is_alphanumeric(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

struct Token {
  std::string_view text;  // a quoted name without its quotes
  bool quoted = false;

  bool is(std::string_view word) const { return !quoted && equal_but_case(text, word); }
};

class SqlTokens {
 public:
  explicit SqlTokens(std::string_view sql) : left_(sql) {}

  std::optional<Token> next() {
    skip_blanks();
    if (left_.empty()) return std::nullopt;
    const char first = left_.front();
    if (first == '"' || first == '`' || first == '\'' || first == '[') {
      // A doubled quote within a name stays doubled: no column that we look for has one.
      const char closing = first == '[' ? ']' : first;
      std::size_t end = 1;
      while (end < left_.size() && left_[end] != closing) ++end;
      const Token token{left_.substr(1, end - 1), true};
      left_.remove_prefix(std::min(end + 1, left_.size()));
      return token;
    }
    std::size_t size = 1;
    if (is_name_character(first)) {
      while (size < left_.size() && is_name_character(left_[size])) ++size;
    }
    const Token token{left_.substr(0, size), false};
    left_.remove_prefix(size);
    return token;
  }

 private:
  void skip_blanks() {
    while (!left_.empty()) {
      std::size_t end = 0;
      if (left_.starts_with("--")) {
        end = left_.find('\n');
      } else if (left_.starts_with("/*")) {
        end = left_.find("*/", 2);
        if (end != left_.npos) end += 2;
      } else {
        end = left_.find_first_not_of(" \t\r\n\f");
        if (end == 0) return;
      }
      left_.remove_prefix(std::min(end, left_.size()));
    }
  }

  std::string_view left_;
};

// The words of one definition between commas; those in parentheses are left out.
struct Definition {
  std::vector<Token> words;

  bool has(std::string_view word) const {
    return std::any_of(words.begin() + 1, words.end(),
                       [&](const Token& token) { return token.is(word); });
  }
  bool is_constraint() const {
    for (const std::string_view word : {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}) {
      if (words.front().is(word)) return true;
    }
    return false;
  }
};

void add_column(const Definition& definition, SqliteTable& table) {
  if (definition.words.empty() || definition.is_constraint()) return;
  if (definition.has("AS")) table.refusal = "has computed columns";
  if (definition.words.size() > 1 && definition.words[1].is("INTEGER") &&
      definition.has("PRIMARY")) {
    table.row_number = table.columns.size();
  }
  table.columns.emplace_back(definition.words.front().text);
}

void parse_columns(std::string_view sql, SqliteTable& table) {
  SqlTokens tokens(sql);
  std::optional<Token> token = tokens.next();
  while (token && !token->is("(")) token = tokens.next();
  Definition definition;
  std::size_t depth = 1;
  while (depth > 0 && (token = tokens.next())) {
    if (token->is("(")) ++depth;
    if (token->is(")")) --depth;
    const bool ends = depth == 0 || (depth == 1 && token->is(","));
    if (ends) {
      add_column(definition, table);
      definition.words.clear();
    } else if (depth == 1 && !token->is(")")) {
      definition.words.push_back(*token);
    }
  }
  while ((token = tokens.next())) {
    if (token->is("WITHOUT")) table.refusal = "is a table without row numbers";
  }
}

}  // namespace

std::optional<std::size_t> SqliteTable::find_column(std::string_view column) const {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (equal_but_case(columns[i], column)) return i;
  }
  return std::nullopt;
}

std::optional<SqliteTable> parse_sqlite_schema(std::string_view type, std::string_view name,
                                               std::int64_t root_page, std::string_view sql) {
  if (type != "table" && type != "view") return std::nullopt;
  SqliteTable table;
  table.name = name;
  if (type == "view") {
    table.refusal = "is a view";
  } else if (root_page <= 0 || root_page > std::numeric_limits<std::uint32_t>::max()) {
    table.refusal = "is a virtual table";
  } else {
    table.root_page = static_cast<std::uint32_t>(root_page);
    parse_columns(sql, table);
  }
  return table;
}

}  // namespace proofline
