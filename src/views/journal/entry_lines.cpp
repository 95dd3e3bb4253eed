// SPDX-License-Identifier: Apache-2.0
#include "views/journal/entry_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_object.h"
#include "base/option.h"
#include "base/text.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostEntryLines = 300;  // of an entry
constexpr int kDeepest = 4;                   // ours are less deep

std::string_view view_of(const rapidjson::Value& text) {
  return {text.GetString(), text.GetStringLength()};
}

bool is_time(std::string_view name) { return name.ends_with("_ns"); }

// "diff_stat" -> "diff stat"; a time's value says its unit itself.
std::string label_of(std::string_view name) {
  std::string label(name.substr(0, name.size() - (is_time(name) ? 3 : 0)));
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string number_text(const rapidjson::Value& number, std::string_view name) {
  constexpr double kSixDigits = 1e6;
  if (is_time(name)) return time_text(number.GetDouble());
  if (number.IsUint64()) return std::to_string(number.GetUint64());
  const double value = number.GetDouble();
  return std::abs(value) < kSixDigits ? fmt::format("{:.6g}", value) : fmt::format("{:.6e}", value);
}

bool is_list_of_objects(const rapidjson::Value& value) {
  return value.IsArray() && !value.Empty() && value[0].IsObject();
}

// Nothing where there is nothing to say: null, "", [] and {}. The lists of objects in an object
// that has a line of its own stand below it.
std::string inline_text(const rapidjson::Value& value, std::string_view name, int depth) {
  if (value.IsString()) return std::string(view_of(value));
  if (value.IsBool()) return value.GetBool() ? "yes" : "no";
  if (value.IsNumber()) return number_text(value, name);
  if (depth > kDeepest) return "...";
  std::string text;
  const auto add = [&](std::string_view before, const rapidjson::Value& item,
                       std::string_view item_name) {
    const std::string words = inline_text(item, item_name, depth + 1);
    if (words.empty()) return;
    if (!text.empty()) text += ", ";
    text += before;
    text += item.IsObject() ? "(" + words + ")" : words;
  };
  if (value.IsArray()) {
    for (const rapidjson::Value& item : value.GetArray()) add("", item, name);
  } else if (value.IsObject()) {
    for (const auto& member : value.GetObject()) {
      if (depth == 0 && is_list_of_objects(member.value)) continue;
      add(label_of(view_of(member.name)) + " ", member.value, view_of(member.name));
    }
  }
  return text;
}

class LineWriter {
 public:
  void add_members(const rapidjson::Value& object) {
    for (const auto& member : object.GetObject()) {
      const std::string_view name = view_of(member.name);
      if (!member.value.IsArray()) {
        add(name, member.value);
        continue;
      }
      for (const rapidjson::Value& item : member.value.GetArray()) add_item(name, item);
    }
  }

  std::vector<Point::Line> finish() {
    if (left_out_ > 0) lines_.push_back({"", fmt::format("... and {} lines more", left_out_)});
    return std::move(lines_);
  }

 private:
  void add(std::string_view name, const rapidjson::Value& value) {
    if (lines_.size() >= kMostEntryLines) {
      ++left_out_;
      return;
    }
    const std::string text = inline_text(value, name, 0);
    std::string label = label_of(name);
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      add_line(std::exchange(label, ""), trim(line));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
  }

  void add_line(std::string label, std::string_view text) {
    if (lines_.size() < kMostEntryLines) {
      lines_.push_back({std::move(label), std::string(text)});
    } else {
      ++left_out_;
    }
  }

  void add_item(std::string_view name, const rapidjson::Value& item) {
    add(name, item);
    if (!item.IsObject()) return;
    for (const auto& member : item.GetObject()) {
      if (!is_list_of_objects(member.value)) continue;
      for (const rapidjson::Value& below : member.value.GetArray())
        add(view_of(member.name), below);
    }
  }

  std::vector<Point::Line> lines_;
  std::size_t left_out_ = 0;
};

}  // namespace

std::vector<Point::Line> entry_lines(const JournalEntry& entry) {
  const rapidjson::Document body = parse_json_object(entry.body);
  if (body.IsNull()) {
    return {
        {"", fmt::format(
                 "its text ({} bytes) cannot be read as a JSON object; {} json prints it as it is",
                 entry.body.size(), option("format"))}};
  }
  LineWriter writer;
  writer.add_members(body);
  return writer.finish();
}

}  // namespace proofline
