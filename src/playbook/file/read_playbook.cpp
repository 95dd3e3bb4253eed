// SPDX-License-Identifier: Apache-2.0
#include "playbook/file/read_playbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"

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

class PlaybookFile {
 public:
  PlaybookFile(std::string_view text, const std::string& path)
      : text_(text), lines_(lines_of(text)) {
    read_.playbook.path = path;
  }

  ReadPlaybook run() {
    const ParsedToml toml = parse_toml(text_);
    if (!toml.problem.empty()) {
      problem(toml.place, toml.problem);
      return std::move(read_);
    }
    read_root(toml.root);
    return std::move(read_);
  }

 private:
  // One table, whose keys are asked for by name; those that nobody asks for are unknown.
  class Keys {
   public:
    Keys(PlaybookFile& file, const TomlNode& table) : file_(file), table_(table) {}

    const TomlNode& table() const { return table_; }

    const TomlNode* take(std::string_view key) {
      known_.push_back(key);
      return table_.find(key);
    }
    const TomlNode* take(std::string_view key, Type type) {
      const TomlNode* node = take(key);
      if (node == nullptr || node->type == type) return node;
      file_.problem(node->place, fmt::format("{} must be {}, this is {}", key, type_name(type),
                                             type_name(node->type)));
      return nullptr;
    }
    void text(std::string_view key, std::string& to, bool required = false) {
      const TomlNode* node = take(key, Type::kText);
      if (node != nullptr) to = node->text;
      if (node == nullptr && required && table_.find(key) == nullptr) missing(key);
    }
    void missing(std::string_view key) {
      file_.problem(table_.place, fmt::format("{} is missing", key));
    }
    void number(std::string_view key, std::optional<double>& to) {
      if (const TomlNode* node = take(key, Type::kNumber)) to = node->number;
    }
    void logic(std::string_view key, bool& to) {
      if (const TomlNode* node = take(key, Type::kLogic)) to = node->logic;
    }
    // A text or a list of texts.
    void texts(std::string_view key, std::vector<std::string>& to) {
      const TomlNode* node = take(key);
      if (node == nullptr) return;
      if (node->type == Type::kText) {
        to.push_back(node->text);
        return;
      }
      if (node->type != Type::kArray) {
        file_.problem(node->place, fmt::format("{} must be a list of texts", key));
        return;
      }
      for (const TomlNode& item : node->items) {
        if (item.type == Type::kText) {
          to.push_back(item.text);
        } else {
          file_.problem(item.place, fmt::format("{} must be a list of texts", key));
        }
      }
    }
    void choice(std::string_view key, std::string& to,
                std::initializer_list<std::string_view> words, bool required = false) {
      const TomlNode* node = take(key, Type::kText);
      if (node == nullptr) {
        if (required && table_.find(key) == nullptr) missing(key);
        return;
      }
      to = node->text;
      if (is_one_of(node->text, words)) return;
      file_.problem(node->place,
                    fmt::format("{} must be one of {}, not {}", key,
                                fmt::join(words.begin(), words.end(), ", "), quote(node->text)));
    }
    void expression(std::string_view key, std::optional<PlaybookExpression>& to) {
      if (const TomlNode* node = take(key, Type::kText)) to = file_.expression(*node);
    }
    void expressions(std::string_view key, std::vector<PlaybookExpression>& to) {
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

    // To be called last.
    void finish() {
      for (std::size_t i = 0; i < table_.keys.size(); ++i) {
        const std::string& key = table_.keys[i];
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        const auto near = nearest(key, known_, 1);
        file_.problem(
            table_.key_places[i],
            fmt::format("unknown key {}{}", quote(key),
                        near.empty() ? fmt::format("; known are {}", fmt::join(known_, ", "))
                                     : fmt::format("; did you mean {}?", near.front())));
      }
    }

   private:
    PlaybookFile& file_;
    const TomlNode& table_;
    std::vector<std::string_view> known_;
  };

  std::string_view line(std::uint32_t number) const {
    return number > 0 && number <= lines_.size() ? lines_[number - 1] : std::string_view();
  }

  void problem(const SourcePlace& place, std::string message) {
    if (read_.problems.size() >= kMostProblems) return;
    read_.problems.push_back(
        {read_.playbook.path, place, std::move(message), std::string(line(place.line)), false});
  }

  // Expressions begin behind their quote, so that columns can point into them.
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

  void read_root(const TomlNode& root) {
    Keys keys(*this, root);
    read_header(keys);
    read_workload(keys);
    read_lets(keys);
    Playbook& playbook = read_.playbook;
    read_items(keys, "case", playbook.cases, &PlaybookFile::read_case);
    read_items(keys, "kernel", playbook.kernels, &PlaybookFile::read_kernel);
    read_items(keys, "phase", playbook.phases, &PlaybookFile::read_phase);
    read_items(keys, "check", playbook.checks, &PlaybookFile::read_check);
    read_tasks(keys);
    read_items(keys, "tree", playbook.tree, &PlaybookFile::read_node);
    read_items(keys, "known", playbook.known, &PlaybookFile::read_known);
    read_items(keys, "deliverable", playbook.deliverables, &PlaybookFile::read_deliverable);
    read_items(keys, "command", playbook.commands, &PlaybookFile::read_command);
    keys.finish();
  }

  void read_header(Keys& root) {
    const TomlNode* node = root.take("playbook", Type::kTable);
    if (node == nullptr) {
      if (root.table().find("playbook") == nullptr) {
        problem({1, 1}, "[playbook] with id and title is missing");
      }
      return;
    }
    Keys keys(*this, *node);
    Playbook& playbook = read_.playbook;
    keys.text("id", playbook.id, true);
    keys.text("title", playbook.title, true);
    keys.text("version", playbook.version);
    keys.texts("uses", playbook.uses);
    std::optional<double> format;
    keys.number("format", format);
    if (format && *format != 1) {
      problem(node->place,
              fmt::format("format {} is newer than this program, which knows 1", *format));
    }
    if (!playbook.id.empty() && !is_expression_name(playbook.id)) {
      problem(node->place, "id must be letters, digits, - and _, and begin with a letter");
    }
    keys.finish();
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

  void read_values(const TomlNode& table, Workload& to, bool args) {
    for (std::size_t i = 0; i < table.keys.size(); ++i) {
      const std::string& key = table.keys[i];
      if (args && key == "args") continue;
      if (!is_expression_name(key)) {
        problem(table.key_places[i], "a key must be letters, digits, - and _");
      } else if (auto value = scalar(table.items[i], key)) {
        to[key] = std::move(*value);
      }
    }
  }

  void read_workload(Keys& root) {
    const TomlNode* node = root.take("workload", Type::kTable);
    if (node == nullptr) return;
    read_values(*node, read_.playbook.workload, true);
    Keys keys(*this, *node);
    keys.texts("args", read_.playbook.args);
  }

  void read_lets(Keys& root) {
    const TomlNode* node = root.take("let", Type::kTable);
    if (node == nullptr) return;
    Playbook& playbook = read_.playbook;
    for (std::size_t i = 0; i < node->keys.size(); ++i) {
      const std::string& name = node->keys[i];
      const TomlNode& value = node->items[i];
      if (!is_expression_name(name)) {
        problem(node->key_places[i], "a name must be letters, digits, - and _");
        continue;
      }
      if (value.type != Type::kText) {
        problem(value.place, fmt::format("{} must be an expression between single quotes", name));
        continue;
      }
      auto parsed = expression(value);
      if (!parsed) continue;
      playbook.lets[name] = std::move(parsed->expression);
      playbook.let_places[name] = parsed->place;
      playbook.let_order.push_back(name);
    }
  }

  template <class Item>
  void read_items(Keys& root, std::string_view kind, std::vector<Item>& to,
                  void (PlaybookFile::*read)(Keys&, Item&)) {
    const TomlNode* list = root.take(kind, Type::kArray);
    if (list == nullptr) return;
    for (const TomlNode& table : list->items) {
      if (table.type != Type::kTable) {
        problem(table.place, fmt::format("{} must be a list of tables: [[{}]]", kind, kind));
        continue;
      }
      Keys keys(*this, table);
      Item item;
      read_common(keys, item);
      (this->*read)(keys, item);
      keys.finish();
      to.push_back(std::move(item));
    }
  }

  void read_common(Keys& keys, PlaybookItem& item) {
    item.place = keys.table().place;
    item.playbook = read_.playbook.id;
    keys.text("id", item.id, true);
    keys.text("title", item.title);
    keys.text("why", item.why);
    if (const TomlNode* rows = keys.take("rows", Type::kText)) read_rows(*rows, item.rows);
    if (!item.id.empty() && !is_expression_name(item.id)) {
      problem(item.place, fmt::format("id {} must be letters, digits, - and _, and begin with a "
                                      "letter",
                                      quote(item.id)));
    }
  }

  // "15, 28-31"
  void read_rows(const TomlNode& node, std::vector<std::uint32_t>& to) {
    std::string_view rest = node.text;
    while (!rest.empty()) {
      std::string_view part = trim(take_until(',', rest));
      std::uint32_t first = 0;
      std::uint32_t last = 0;
      const auto number = [](std::string_view text, std::uint32_t& value) {
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, value);
        return read.ec == std::errc() && read.ptr == end;
      };
      const std::string_view low = take_until('-', part);
      bool good = number(low, first);
      last = first;
      if (!part.empty()) good = good && number(part, last);
      if (!good || first == 0 || last < first || last > kLastRow) {
        problem(node.place, "rows are numbers and ranges: \"15, 28-31\"");
        return;
      }
      for (std::uint32_t row = first; row <= last; ++row) to.push_back(row);
    }
  }

  void read_case(Keys& keys, PlaybookCase& item) {
    if (const TomlNode* set = keys.take("set", Type::kTable)) {
      read_values(*set, item.set, false);
    } else if (keys.table().find("set") == nullptr) {
      keys.missing("set");
    }
    keys.texts("args", item.args);
  }

  void read_kernel(Keys& keys, KernelLock& item) {
    keys.text("name", item.name, true);
    keys.text("cc", item.cc);
    keys.text("grid", item.grid);
    keys.text("block", item.block);
    keys.texts("expect", item.expect);
    keys.texts("forbid", item.forbid);
    keys.text("sha256", item.sha256);
    keys.number("unique_bytes", item.unique_bytes);
    keys.number("flops", item.flops);
  }

  void read_phase(Keys& keys, PlaybookPhase& item) {
    std::string does;
    keys.text("does", does, true);
    keys.expression("when", item.when);
    keys.texts("args", item.args);
    keys.texts("cases", item.cases);
    keys.texts("kernels", item.kernels);
    if (does.empty()) return;
    const PhaseKindInfo* kind = find_phase_kind(does);
    if (kind == nullptr) {
      std::vector<std::string_view> names;
      for (const PhaseKindInfo& one : kPhaseKinds) names.push_back(one.name);
      problem(keys.table().find("does")->place,
              fmt::format("does must be one of {}, not {}", fmt::join(names, ", "), quote(does)));
      return;
    }
    item.does = kind->kind;
    for (const PhaseKey& key : kind->keys()) read_setting(keys, key, item);
  }

  void read_setting(Keys& keys, const PhaseKey& key, PlaybookPhase& item) {
    std::vector<std::string> values;
    switch (key.type) {
      case PhaseKey::Type::kTexts: keys.texts(key.name, values); break;
      case PhaseKey::Type::kText:
        if (const TomlNode* node = keys.take(key.name, Type::kText)) values = {node->text};
        break;
      case PhaseKey::Type::kNumber:
        if (const TomlNode* node = keys.take(key.name, Type::kNumber)) {
          values = {fmt::format("{}", node->number)};
        }
        break;
      case PhaseKey::Type::kLogic:
        if (const TomlNode* node = keys.take(key.name, Type::kLogic)) {
          values = {node->logic ? "true" : "false"};
        }
        break;
    }
    if (!values.empty()) item.settings[std::string(key.name)] = std::move(values);
  }

  void read_check(Keys& keys, PlaybookCheck& item) {
    std::optional<PlaybookExpression> expr;
    keys.expression("expr", expr);
    if (expr) item.expr = std::move(*expr);
    if (keys.table().find("expr") == nullptr) keys.missing("expr");
    std::string kind = "must";
    keys.choice("kind", kind, {"must", "should", "hypothesis"});
    item.kind = kind == "should"       ? CheckKind::kShould
                : kind == "hypothesis" ? CheckKind::kHypothesis
                                       : CheckKind::kMust;
    keys.expression("when", item.when);
    keys.text("kernel", item.kernel);
    keys.text("case", item.in_case);
    keys.text("fix", item.fix);
    keys.text("capture", item.capture);
    keys.logic("ours", item.ours);
  }

  // Tasks and options are one kind of record, in the order of the file within each.
  void read_tasks(Keys& root) {
    auto& tasks = read_.playbook.tasks;
    read_items(root, "task", tasks, &PlaybookFile::read_task);
    const std::size_t first = tasks.size();
    read_items(root, "option", tasks, &PlaybookFile::read_task);
    for (std::size_t i = first; i < tasks.size(); ++i) tasks[i].option = true;
  }

  void read_task(Keys& keys, PlaybookTask& item) {
    keys.texts("change", item.change);
    if (keys.table().find("change") == nullptr) keys.missing("change");
    for (const std::string& kind : item.change) {
      if (is_one_of(kind,
                    {"sync", "structure", "memory", "shared", "numerics", "launch", "host"})) {
        continue;
      }
      problem(keys.table().find("change")->place,
              fmt::format("a change is sync, structure, memory, shared, numerics, launch or host, "
                          "not {}",
                          quote(kind)));
    }
    keys.expression("when", item.when);
    keys.texts("after", item.after);
    keys.texts("steps", item.steps);
    keys.expressions("accept", item.accept);
    keys.expressions("legal", item.legal);
    if (const TomlNode* sweep = keys.take("sweep", Type::kTable)) read_sweep(*sweep, item);
    keys.text("expect", item.expect);
    keys.text("confidence", item.confidence);
    keys.text("complexity", item.complexity);
    keys.text("risk", item.risk);
    std::optional<double> priority;
    keys.number("priority", priority);
    if (priority) {
      if (*priority != 1 && *priority != 2 && *priority != 3) {
        problem(keys.table().find("priority")->place, "priority is 1, 2 or 3");
      } else {
        item.priority = static_cast<std::uint32_t>(*priority);
      }
    }
    keys.text("state", item.state);
    keys.text("hypothesis", item.hypothesis);
    keys.texts("answers", item.answers);
  }

  void read_sweep(const TomlNode& node, PlaybookTask& item) {
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (node.items[i].type != Type::kArray) {
        problem(node.items[i].place, "a sweep has a list of values for each key");
        continue;
      }
      std::vector<ToldValue> values;
      for (const TomlNode& one : node.items[i].items) {
        if (auto value = scalar(one, node.keys[i])) values.push_back(std::move(*value));
      }
      item.sweep.emplace_back(node.keys[i], std::move(values));
    }
  }

  void read_node(Keys& keys, TreeNode& item) {
    const TomlNode* when = keys.take("when", Type::kText);
    if (when == nullptr) {
      if (keys.table().find("when") == nullptr) keys.missing("when");
    } else if (when->text != "otherwise") {
      item.when = expression(*when);
    }
    keys.text("say", item.say);
    keys.texts("next", item.next);
  }

  void read_known(Keys& keys, KnownChange& item) {
    keys.text("what", item.what, true);
    keys.choice("state", item.state, {"kept", "reverted", "failed"}, true);
    keys.text("gain", item.gain);
    keys.text("source", item.source, true);
    keys.texts("answers", item.answers);
  }

  void read_deliverable(Keys& keys, PlaybookDeliverable& item) {
    keys.text("file", item.file);
    // It is written into the run's folder and nowhere else.
    if (item.file.find('/') != std::string::npos || item.file.starts_with('.')) {
      problem(keys.table().find("file")->place, "file is a plain name, without a folder");
    }
    keys.choice("each", item.each, {"kernel", "case", "run"});
    const TomlNode* parts = keys.take("parts", Type::kArray);
    if (parts == nullptr) {
      if (keys.table().find("parts") == nullptr) keys.missing("parts");
      return;
    }
    for (const TomlNode& part : parts->items) {
      if (part.type != Type::kTable) {
        problem(part.place, "a part is {text = ...}, {fields = ...} or {table = ...}");
        continue;
      }
      Keys part_keys(*this, part);
      item.parts.push_back(read_part(part_keys));
      part_keys.finish();
    }
  }

  DeliverablePart read_part(Keys& keys) {
    DeliverablePart part;
    keys.text("text", part.text);
    keys.choice("table", part.table,
                {"stalls", "pipes", "hot", "lanes", "timeline", "checks", "hypotheses", "options",
                 "attempts", "pairs", "cases", "forecast", "kernels", "commands"});
    const TomlNode* fields = keys.take("fields", Type::kArray);
    if (fields != nullptr) {
      for (const TomlNode& field : fields->items) {
        const bool pair = field.type == Type::kArray && field.items.size() == 2 &&
                          field.items[0].type == Type::kText && field.items[1].type == Type::kText;
        if (!pair) {
          problem(field.place, "a field is [\"label\", 'expression']");
        } else if (auto parsed = expression(field.items[1])) {
          part.fields.push_back({field.items[0].text, std::move(*parsed)});
        }
      }
    }
    return part;
  }

  void read_command(Keys& keys, PlaybookCommand& item) { keys.text("command", item.command, true); }

  std::string_view text_;
  std::vector<std::string_view> lines_;
  ReadPlaybook read_;
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
  return PlaybookFile(text, path).run();
}

}  // namespace proofline
