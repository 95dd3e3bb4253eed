// SPDX-License-Identifier: Apache-2.0
#include "views/layout/table_fit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace proofline {
namespace {

// An elastic column keeps this much: an ellipsis and a hash that tells names apart.
constexpr std::size_t kMinElasticWidth = 18;
// Any other text keeps this much, before a table is split.
constexpr std::size_t kMinTextWidth = 10;
// Without a terminal nothing has to fit; beyond this a name hides the columns after it.
constexpr std::size_t kWidestName = 120;
constexpr std::string_view kEllipsis = "...";

FittedTable escaped(const Table& table) {
  FittedTable fitted{table.columns, {}, {{}}, {{}}};
  for (const TableColumn& column : table.columns) {
    fitted.rows[0].push_back(escape_terminal(column.title));
    fitted.tones[0].push_back(Tone::kNone);
  }
  for (const std::vector<Cell>& row : table.rows) {
    CHECK(row.size() == table.columns.size(), "every row has a cell for each column");
    fitted.rows.emplace_back();
    fitted.tones.emplace_back();
    for (const Cell& cell : row) {
      fitted.rows.back().push_back(escape_terminal(cell.text));
      fitted.tones.back().push_back(cell.tone);
    }
  }
  return fitted;
}

std::vector<std::size_t> natural_widths(const FittedTable& table) {
  std::vector<std::size_t> widths(table.columns.size());
  for (const std::vector<std::string>& row : table.rows) {
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] = std::max(widths[c], display_width(row[c]));
  }
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), kColumnGap.size() * (widths.size() - 1));
}

// Leaves out what is dispensable, from the right, until the rest can be made to fit.
void drop_columns(FittedTable& table, std::size_t available) {
  std::vector<std::size_t> least = natural_widths(table);
  for (std::size_t c = 0; c < least.size(); ++c) {
    if (table.columns[c].elastic) least[c] = std::min(least[c], kMinElasticWidth);
  }
  std::size_t total = total_width(least);
  for (std::size_t c = table.columns.size(); c-- > 0 && total > available;) {
    if (!table.columns[c].dispensable) continue;
    total -= least[c] + kColumnGap.size();
    const auto place = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + place);
    for (auto& row : table.rows) row.erase(row.begin() + place);
    for (auto& row : table.tones) row.erase(row.begin() + place);
  }
}

// Takes from the widest of those that may give until the table fits or none can give more.
template <class MayGive>
void shrink(std::vector<std::size_t>& widths, std::size_t available, std::size_t least,
            const MayGive& may_give) {
  // None needs more than the whole terminal, so that few steps are left for the loop below.
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (may_give(c)) widths[c] = std::min(widths[c], std::max(available, least));
  }
  std::size_t total = total_width(widths);
  while (total > available) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool can_give = may_give(c) && widths[c] > least;
      if (can_give && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

// Where names look alike once shortened: what differs between them, between what they share. Empty
// where that does not fit either.
std::string elide_around_difference(std::string_view text, std::size_t start, std::size_t end,
                                    std::size_t width) {
  const std::string_view middle = text.substr(start, text.size() - start - end);
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  if (!ascii || middle.size() + 2 * kEllipsis.size() + 2 > width) return "";
  const std::size_t around = width - middle.size() - 2 * kEllipsis.size();
  const std::size_t head = std::min(around / 2, start);
  const std::size_t tail = std::min(around - head, end);
  std::string shown(text.substr(0, head));
  if (head < start) shown += kEllipsis;
  shown += middle;
  if (tail < end) shown += kEllipsis;
  return shown + std::string(text.substr(text.size() - tail));
}

std::size_t common_start(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

// Different texts that would look the same: each with a short form that none other of the column
// has.
std::map<std::string, std::string> told_apart(const std::set<std::string>& alike, std::size_t width,
                                              std::set<std::string>& used) {
  const std::string& first = *alike.begin();
  std::size_t start = first.size();
  std::size_t end = first.size();
  std::size_t shortest = first.size();
  for (const std::string& text : alike) {
    start = std::min(start, common_start(first, text));
    const std::string a(first.rbegin(), first.rend());
    const std::string b(text.rbegin(), text.rend());
    end = std::min(end, common_start(a, b));
    shortest = std::min(shortest, text.size());
  }
  end = std::min(end, shortest - start);
  std::map<std::string, std::string> forms;
  for (const std::string& text : alike) {
    // One of them may be the others without what differs.
    std::string form = text.size() == start + end
                           ? elide_middle(text, width)
                           : elide_around_difference(text, start, end, width);
    if (form.empty() || !used.insert(form).second) {
      const std::string mark = "#" + short_hash(text);
      form = width > mark.size() ? elide_middle(text, width - mark.size()) + mark
                                 : elide_middle(text, width);
      used.insert(form);
    }
    forms[text] = std::move(form);
  }
  return forms;
}

// Of words the first ones say most; names are told apart by their ends too.
std::string elide_end(std::string text, std::size_t width) {
  if (display_width(text) <= width) return text;
  while (!text.empty() && display_width(text) + kEllipsis.size() > width) {
    // A character as a whole.
    while ((static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
    text.pop_back();
  }
  return text.append(kEllipsis);
}

void elide_column(FittedTable& table, std::size_t column, std::size_t width) {
  std::map<std::string, std::set<std::string>> alike;  // by what they look like
  for (const auto& row : table.rows) alike[elide_middle(row[column], width)].insert(row[column]);
  std::unordered_map<std::string, std::string> forms;
  std::set<std::string> used;
  for (const auto& [form, texts] : alike) {
    if (texts.size() > 1) continue;
    forms[*texts.begin()] = form;
    used.insert(form);
  }
  for (const auto& [form, texts] : alike) {
    if (texts.size() == 1) continue;
    for (auto& [text, other] : told_apart(texts, width, used)) forms[text] = other;
  }
  for (auto& row : table.rows) row[column] = forms[row[column]];
}

// Widths with which it fits, as far as shortening goes; the cells with it.
void shorten(FittedTable& table, std::size_t width) {
  const std::vector<std::size_t> natural = natural_widths(table);
  table.widths = natural;
  const std::vector<TableColumn>& columns = table.columns;
  if (width == 0) {
    for (std::size_t c = 0; c < natural.size(); ++c) {
      if (columns[c].names) table.widths[c] = std::min(natural[c], kWidestName);
    }
  } else {
    shrink(table.widths, width, kMinElasticWidth,
           [&](std::size_t c) { return columns[c].elastic; });
    shrink(table.widths, width, kMinTextWidth,
           [&](std::size_t c) { return columns[c].align == Align::kLeft; });
  }
  for (std::size_t c = 0; c < natural.size(); ++c) {
    if (table.widths[c] >= natural[c]) continue;
    if (columns[c].elastic && !columns[c].prose) {
      elide_column(table, c, table.widths[c]);
    } else {
      for (auto& row : table.rows) row[c] = elide_end(row[c], table.widths[c]);
    }
  }
  for (std::size_t& one : table.widths) one = std::min(one, kMaxPadding);
}

FittedTable part_of(const FittedTable& table, const std::vector<std::size_t>& columns) {
  FittedTable part;
  const auto take = [&](const auto& from, auto& to) {
    for (const std::size_t c : columns) to.push_back(from[c]);
  };
  take(table.columns, part.columns);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    take(table.rows[r], part.rows.emplace_back());
    take(table.tones[r], part.tones.emplace_back());
  }
  return part;
}

// As many columns to a part as fit after the first one when shortened.
std::vector<FittedTable> split(const FittedTable& whole, const std::vector<std::size_t>& widths,
                               std::size_t available) {
  std::vector<std::vector<std::size_t>> groups{{0}};
  std::size_t used = widths[0];
  for (std::size_t c = 1; c < widths.size(); ++c) {
    const std::size_t more = kColumnGap.size() + widths[c];
    if (groups.back().size() > 1 && used + more > available) {
      groups.push_back({0});
      used = widths[0];
    }
    groups.back().push_back(c);
    used += more;
  }
  std::vector<FittedTable> parts;
  for (const std::vector<std::size_t>& columns : groups) {
    shorten(parts.emplace_back(part_of(whole, columns)), available);
  }
  return parts;
}

}  // namespace

std::vector<FittedTable> fit_table(const Table& table, std::size_t width) {
  FittedTable whole = escaped(table);
  if (width != 0) drop_columns(whole, width);
  FittedTable fitted = whole;
  shorten(fitted, width);
  if (width == 0 || total_width(fitted.widths) <= width) return {std::move(fitted)};
  return split(whole, fitted.widths, width);
}

}  // namespace proofline
