// SPDX-License-Identifier: Apache-2.0
#include "playbook/file/read_playbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"
#include "playbook/file/playbook_keys.h"

namespace proofline {
namespace {

using Type = TomlNode::Type;

constexpr std::uint32_t kLastRow = 374;

std::string_view type_name(Type type) {
  switch (type) {
    case Type::kText: return "a text";
    case Type::kNumber: return "a number";
    case Type::kLogic: return "true or false";
    case Type::kArray: return "a list";
    case Type::kTable: return "a table";
    case Type::kOther: return "a date";
  }
  return "";
}

// toml++ counts characters, we count bytes.
std::size_t byte_of_column(std::string_view line, std::uint32_t column) {
  std::size_t byte = 0;
  for (std::uint32_t i = 1; i < column && byte < line.size(); ++i) {
    ++byte;
    while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xc0U) == 0x80U) ++byte;
  }
  return byte;
}

// The file, what is wrong with it, and what all of its tables need.
class PlaybookFile {
 public:
  PlaybookFile(std::string_view text, const std::string& path) : lines_(lines_of(text)) {
    read_.playbook.path = path;
  }

  Playbook& playbook() { return read_.playbook; }
  ReadPlaybook take() { return std::move(read_); }

  void problem(const SourcePlace& place, std::string message) {
    if (read_.problems.size() >= kMostProblems) return;
    read_.problems.push_back(
        {read_.playbook.path, place, std::move(message), std::string(line(place.line)), false});
  }

  // Expressions begin after their quote, so that columns can point into them.
  std::optional<PlaybookExpression> expression(const TomlNode& node) {
    PlaybookExpression result;
    std::string_view rest = line(node.place.line);
    rest.remove_prefix(byte_of_column(rest, node.place.column));
    const bool plain = (rest.starts_with('\'') || rest.starts_with('"')) &&
                       rest.substr(1).starts_with(node.text) &&
                       node.text.find('\n') == std::string::npos;
    if (!plain) {
      problem(node.place, "an expression stands in one line, between single quotes");
      return std::nullopt;
    }
    result.place = {node.place.line, node.place.column + 1};
    ParsedExpression parsed = parse_expression(node.text);
    for (const ExpressionProblem& one : parsed.problems) {
      problem({result.place.line, result.place.column + one.at}, one.message);
    }
    if (!parsed.ok()) return std::nullopt;
    result.expression = std::move(parsed.expression);
    return result;
  }

  std::optional<ToldValue> scalar(const TomlNode& node, std::string_view key) {
    switch (node.type) {
      case Type::kText: return told_value(node.text);
      case Type::kNumber: return ToldValue{node.number, ""};
      case Type::kLogic: return ToldValue{node.logic, ""};
      default: break;
    }
    problem(node.place, fmt::format("{} must be a number, a text, true or false", key));
    return std::nullopt;
  }

 private:
  std::string_view line(std::uint32_t number) const {
    return number > 0 && number <= lines_.size() ? lines_[number - 1] : std::string_view();
  }

  std::vector<std::string_view> lines_;
  ReadPlaybook read_;
};

// One table, whose keys are asked for by name; the remaining keys are unknown.
class TomlKeys final : public PlaybookKeys {
 public:
  TomlKeys(PlaybookFile& file, const TomlNode& table) : file_(file), table_(table) {}

  // To be called last.
  void finish() {
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      const std::string& key = table_.keys[i];
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string near = did_you_mean(key, known_);
      file_.problem(
          table_.key_places[i],
          fmt::format(
              "unknown key {}{}", quote(key),
              near.empty() ? fmt::format("; known are {}", fmt::join(known_, ", ")) : near));
    }
  }

  void begin(PlaybookItem& item) override {
    item.place = table_.place;
    item.playbook = file_.playbook().id;
  }

  void text(std::string_view key, std::string& to, Need need) override {
    if (const TomlNode* node = take(key, Type::kText, need)) to = node->text;
  }

  void id(std::string_view key, std::string& to) override {
    text(key, to, Need::kRequired);
    if (to.empty() || is_expression_name(to)) return;
    file_.problem(table_.place,
                  fmt::format("{} {} must be letters, digits, - and _, and begin with a letter",
                              key, quote(to)));
  }

  void choice(std::string_view key, std::string& to, Words words, Need need) override {
    const TomlNode* node = take(key, Type::kText, need);
    if (node == nullptr) return;
    to = node->text;
    check_word(*node, key, to, words);
  }

  void texts(std::string_view key, std::vector<std::string>& to) override {
    if (const TomlNode* node = take(key)) add_texts(*node, key, to);
  }

  void choices(std::string_view key, std::vector<std::string>& to, Words words,
               Need need) override {
    const TomlNode* node = take(key);
    if (node == nullptr) {
      if (need == Need::kRequired) missing(key);
      return;
    }
    add_texts(*node, key, to);
    for (const std::string& word : to) check_word(*node, key, word, words);
  }

  void number(std::string_view key, std::optional<double>& to) override {
    if (const TomlNode* node = take(key, Type::kNumber)) to = node->number;
  }

  void count(std::string_view key, std::uint32_t& to, std::uint32_t least,
             std::uint32_t most) override {
    const TomlNode* node = take(key, Type::kNumber);
    if (node == nullptr) return;
    if (node->number >= least && node->number <= most && node->number == std::floor(node->number)) {
      to = static_cast<std::uint32_t>(node->number);
    } else {
      file_.problem(node->place,
                    fmt::format("{} must be a whole number from {} to {}", key, least, most));
    }
  }

  void logic(std::string_view key, bool& to) override {
    if (const TomlNode* node = take(key, Type::kLogic)) to = node->logic;
  }

  // It is written into the run's folder and nowhere else.
  void file_name(std::string_view key, std::string& to) override {
    const TomlNode* node = take(key, Type::kText);
    if (node == nullptr) return;
    to = node->text;
    if (to.find('/') != std::string::npos || to.starts_with('.')) {
      file_.problem(node->place, fmt::format("{} is a plain name, without a folder", key));
    }
  }

  void format(std::string_view key, std::uint32_t known) override {
    const TomlNode* node = take(key, Type::kNumber);
    if (node == nullptr || node->number == known) return;
    file_.problem(table_.place, fmt::format("format {} is newer than this program, which knows {}",
                                            node->number, known));
  }

  void expression(std::string_view key, std::optional<PlaybookExpression>& to, Need need) override {
    if (const TomlNode* node = take(key, Type::kText, need)) to = file_.expression(*node);
  }

  void condition(std::string_view key, std::optional<PlaybookExpression>& to) override {
    const TomlNode* node = take(key, Type::kText, Need::kRequired);
    if (node != nullptr && node->text != "otherwise") to = file_.expression(*node);
  }

  void expressions(std::string_view key, std::vector<PlaybookExpression>& to) override {
    const TomlNode* node = take(key, Type::kArray);
    if (node == nullptr) return;
    for (const TomlNode& item : node->items) {
      if (item.type != Type::kText) {
        file_.problem(item.place, fmt::format("{} must be a list of expressions", key));
      } else if (auto parsed = file_.expression(item)) {
        to.push_back(std::move(*parsed));
      }
    }
  }

  void rows(std::string_view key, std::vector<std::uint32_t>& to) override {
    const TomlNode* node = take(key, Type::kText);
    if (node == nullptr) return;
    std::string_view rest = node->text;
    while (!rest.empty()) {
      std::string_view part = trim(take_until(',', rest));
      const auto first = whole_number(take_until('-', part));
      const auto last = part.empty() ? first : whole_number(part);
      if (!first || !last || *first == 0 || *last < *first || *last > kLastRow) {
        file_.problem(node->place, "rows are numbers and ranges: \"15, 28-31\"");
        return;
      }
      for (std::uint32_t row = *first; row <= *last; ++row) to.push_back(row);
    }
  }

  void values(std::string_view key, Workload& to, Need need) override {
    if (const TomlNode* node = take(key, Type::kTable, need)) add_values(*node, "", to);
  }

  void workload(std::string_view key, Playbook& playbook) override {
    constexpr std::string_view kArgs = "args";
    const TomlNode* node = take(key, Type::kTable);
    if (node == nullptr) return;
    add_values(*node, kArgs, playbook.workload);
    TomlKeys(file_, *node).texts(kArgs, playbook.args);
  }

  void sweep(std::string_view key, PlaybookTask& task) override {
    const TomlNode* node = take(key, Type::kTable);
    if (node == nullptr) return;
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      if (node->items[i].type != Type::kArray) {
        file_.problem(node->items[i].place, "a sweep has a list of values for each key");
        continue;
      }
      std::vector<ToldValue> values;
      for (const TomlNode& one : node->items[i].items) {
        if (auto value = file_.scalar(one, node->keys[i])) values.push_back(std::move(*value));
      }
      task.sweep.emplace_back(node->keys[i], std::move(values));
    }
  }

  void fields(std::string_view key, std::vector<DeliverablePart::Field>& to) override {
    const TomlNode* node = take(key, Type::kArray);
    if (node == nullptr) return;
    for (const TomlNode& field : node->items) {
      const bool pair = field.type == Type::kArray && field.items.size() == 2 &&
                        field.items[0].type == Type::kText && field.items[1].type == Type::kText;
      if (!pair) {
        file_.problem(field.place, "a field is [\"label\", 'expression']");
      } else if (auto parsed = file_.expression(field.items[1])) {
        to.push_back({field.items[0].text, std::move(*parsed)});
      }
    }
  }

  void lets(std::string_view key, Playbook& playbook) override {
    const TomlNode* node = take(key, Type::kTable);
    if (node == nullptr) return;
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      const std::string& name = node->keys[i];
      const TomlNode& value = node->items[i];
      if (!is_expression_name(name)) {
        file_.problem(node->key_places[i], "a name must be letters, digits, - and _");
      } else if (value.type != Type::kText) {
        file_.problem(value.place,
                      fmt::format("{} must be an expression between single quotes", name));
      } else if (auto parsed = file_.expression(value)) {
        playbook.lets[name] = std::move(parsed->expression);
        playbook.let_places[name] = parsed->place;
        playbook.let_order.push_back(name);
      }
    }
  }

  void kind(std::string_view key, PlaybookPhase& phase) override {
    const TomlNode* node = take(key, Type::kText, Need::kRequired);
    if (node == nullptr || node->text.empty()) return;
    const PhaseKindInfo* kind = find_phase_kind(node->text);
    if (kind == nullptr) {
      std::vector<std::string_view> names;
      for (const PhaseKindInfo& one : kPhaseKinds) names.push_back(one.name);
      file_.problem(node->place, fmt::format("{} must be one of {}, not {}", key,
                                             fmt::join(names, ", "), quote(node->text)));
      return;
    }
    phase.does = kind->kind;
    for (const PhaseKey& one : kind->keys()) {
      if (auto values = setting(one); !values.empty()) {
        phase.settings[std::string(one.name)] = std::move(values);
      }
    }
  }

  void table(std::string_view key, Need need, const Describe& describe) override {
    const TomlNode* node = take(key, Type::kTable);
    if (node != nullptr) {
      read_table(*node, describe);
    } else if (need == Need::kRequired && table_.find(key) == nullptr) {
      file_.problem({1, 1}, fmt::format("[{}] with id and title is missing", key));
    }
  }

  void tables(std::string_view key, Need need, const Describe& describe) override {
    const TomlNode* list = take(key, Type::kArray, need);
    if (list == nullptr) return;
    for (const TomlNode& table : list->items) {
      if (table.type == Type::kTable) {
        read_table(table, describe);
      } else {
        file_.problem(table.place, fmt::format("{} must be a list of tables: [[{}]]", key, key));
      }
    }
  }

 private:
  const TomlNode* take(std::string_view key) {
    known_.push_back(key);
    return table_.find(key);
  }
  const TomlNode* take(std::string_view key, Type type, Need need = Need::kOptional) {
    const TomlNode* node = take(key);
    if (node == nullptr) {
      if (need == Need::kRequired) missing(key);
      return nullptr;
    }
    if (node->type == type) return node;
    file_.problem(node->place, fmt::format("{} must be {}, this is {}", key, type_name(type),
                                           type_name(node->type)));
    return nullptr;
  }
  void missing(std::string_view key) {
    file_.problem(table_.place, fmt::format("{} is missing", key));
  }

  void check_word(const TomlNode& node, std::string_view key, const std::string& word,
                  Words words) {
    if (is_one_of(word, words)) return;
    file_.problem(node.place,
                  fmt::format("{} must be one of {}, not {}", key,
                              fmt::join(words.begin(), words.end(), ", "), quote(word)));
  }

  void add_texts(const TomlNode& node, std::string_view key, std::vector<std::string>& to) {
    if (node.type == Type::kText) {
      to.push_back(node.text);
      return;
    }
    const auto refuse = [&](const TomlNode& what) {
      file_.problem(what.place, fmt::format("{} must be a list of texts", key));
    };
    if (node.type != Type::kArray) return refuse(node);
    for (const TomlNode& item : node.items) {
      if (item.type == Type::kText) {
        to.push_back(item.text);
      } else {
        refuse(item);
      }
    }
  }

  // `but`: a key that is none of the values.
  void add_values(const TomlNode& table, std::string_view but, Workload& to) {
    for (std::size_t i = 0; i < table.keys.size(); ++i) {
      const std::string& key = table.keys[i];
      if (key == but) continue;
      if (!is_expression_name(key)) {
        file_.problem(table.key_places[i], "a key must be letters, digits, - and _");
      } else if (auto value = file_.scalar(table.items[i], key)) {
        to[key] = std::move(*value);
      }
    }
  }

  static std::optional<std::uint32_t> whole_number(std::string_view text) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
  }

  // As texts; none where the key is absent.
  std::vector<std::string> setting(const PhaseKey& key) {
    std::vector<std::string> values;
    switch (key.type) {
      case PhaseKey::Type::kTexts: texts(key.name, values); break;
      case PhaseKey::Type::kText:
        if (const TomlNode* node = take(key.name, Type::kText)) values = {node->text};
        break;
      case PhaseKey::Type::kNumber:
        if (const TomlNode* node = take(key.name, Type::kNumber)) {
          values = {fmt::format("{}", node->number)};
        }
        break;
      case PhaseKey::Type::kLogic:
        if (const TomlNode* node = take(key.name, Type::kLogic)) {
          values = {node->logic ? "true" : "false"};
        }
        break;
    }
    return values;
  }

  void read_table(const TomlNode& table, const Describe& describe) {
    TomlKeys keys(file_, table);
    describe(keys);
    keys.finish();
  }

  PlaybookFile& file_;
  const TomlNode& table_;
  std::vector<std::string_view> known_;
};

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = take_until('\n', text);
    lines.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
  }
  return lines;
}

ReadPlaybook read_playbook(std::string_view text, const std::string& path) {
  PlaybookFile file(text, path);
  const ParsedToml toml = parse_toml(text);
  if (!toml.problem.empty()) {
    file.problem(toml.place, toml.problem);
    return file.take();
  }
  TomlKeys root(file, toml.root);
  describe_playbook(root, file.playbook());
  root.finish();
  return file.take();
}

}  // namespace proofline
