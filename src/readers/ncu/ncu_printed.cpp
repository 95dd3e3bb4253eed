// SPDX-License-Identifier: Apache-2.0
//
// From the strings of a row to a metric of a launch. One metric often is in several sections:
// the first value is kept, equal ones are the same value again. A label whose metric is unknown, or
// whose value contradicts the one already there, is kept under "<section>/<label>", so that nothing
// printed is lost and nothing is kept under a wrong name.
#include "readers/ncu/ncu_printed.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "model/profile/kernel_name.h"
#include "vocabulary/metric_unit.h"

namespace proofline {
namespace {

constexpr std::string_view kFlagged = "(!)";  // before values that ncu could not collect

bool is_absent(std::string_view text) {
  return text.empty() || text == "n/a" || text == "no data" || text == "N/A";
}

// A cell that lists instances: "12 (1; 2; 3)", "(1; 2; 3)", "all (all)".
struct SplitCell {
  std::string_view scalar;
  std::string_view items;
  bool has_items = false;
};

SplitCell split_cell(std::string_view text, DecimalMark mark) {
  const SplitCell whole{text, {}, false};
  if (text.empty() || text.back() != ')') return whole;
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) return whole;
  const std::string_view items = text.substr(open + 1, text.size() - open - 2);
  const auto is_number = [mark](std::string_view piece) {
    return !std::holds_alternative<std::monostate>(parse_number(piece, 0, mark));
  };
  if (open == 0) {
    const bool triple = items.find(';') == std::string_view::npos &&
                        items.find(", ") != std::string_view::npos;  // "(256, 1, 1)"
    return triple ? whole : SplitCell{{}, items, true};
  }
  if (text[open - 1] != ' ') return whole;
  const std::string_view scalar = text.substr(0, open - 1);
  // Of text there is one instance, which may have its key before it.
  const bool again =
      items.size() >= scalar.size() && items.substr(items.size() - scalar.size()) == scalar;
  return again || is_number(scalar) ? SplitCell{scalar, items, true} : whole;
}

// Calls visit(item) for each of "a; b; c".
template <class Visit>
void for_each_item(std::string_view items, Visit visit) {
  for (;;) {
    const std::size_t end = items.find(';');
    visit(trim(items.substr(0, end)));
    if (end == std::string_view::npos) return;
    items.remove_prefix(end + 1);
  }
}

// Values as narrow as they come: whole numbers, else numbers, else text.
Column to_column(const std::vector<std::string_view>& texts, int exponent, DecimalMark mark) {
  std::vector<Number> numbers;
  numbers.reserve(texts.size());
  bool whole = true;
  for (const std::string_view text : texts) {
    Number number = is_absent(text) ? Number(std::nan("")) : parse_number(text, exponent, mark);
    if (std::holds_alternative<std::monostate>(number)) {
      return std::vector<std::string>(texts.begin(), texts.end());
    }
    whole = whole && std::holds_alternative<std::uint64_t>(number);
    numbers.push_back(number);
  }
  if (whole) {
    std::vector<std::uint64_t> column;
    column.reserve(numbers.size());
    for (const Number& number : numbers) column.push_back(std::get<std::uint64_t>(number));
    return column;
  }
  std::vector<double> column;
  column.reserve(numbers.size());
  for (const Number& number : numbers) {
    const auto* integer = std::get_if<std::uint64_t>(&number);
    column.push_back(integer != nullptr ? static_cast<double>(*integer) : std::get<double>(number));
  }
  return column;
}

std::uint64_t key_of(std::size_t launch, MetricId id) {
  return (static_cast<std::uint64_t>(launch) << 32U) | id;
}

std::string label_name(const PrintedMetric& metric) {
  std::string name(metric.section);
  if (!name.empty()) name += '/';
  if (!metric.table.empty()) name.append(metric.table) += '/';
  return name.append(metric.name);
}

}  // namespace

void PrintedSurvey::see(const PrintedMetric& metric) {
  version_.see(metric.section, metric.name, metric.unit);
  see_value(metric.value);
}

void PrintedSurvey::see_value(std::string_view cell) {
  marks_.see(cell.substr(0, cell.find(" (")));
}

std::size_t PrintedProfile::process(std::optional<std::uint32_t> pid, std::string_view name,
                                    std::string_view host) {
  std::string key = pid ? std::to_string(*pid) : std::string();
  key.append(1, '\0').append(name).append(1, '\0').append(host);
  const auto [found, is_new] = processes_.try_emplace(std::move(key), profile_.processes.size());
  if (is_new) profile_.processes.push_back({pid, std::string(host), std::string(name), {}});
  return found->second;
}

std::size_t PrintedProfile::begin_launch(Launch launch) {
  launch.function = short_function_name(launch.name);
  profile_.launches.push_back(std::move(launch));
  choose_launch(profile_.launches.size() - 1);
  return current_;
}

void PrintedProfile::choose_launch(std::size_t index) {
  if (index == current_ && compute_capability_ >= 0) return;
  current_ = index;
  compute_capability_ = compute_capability_number(profile_.launches[index].compute_capability);
  last_label_.clear();
}

Value PrintedProfile::read_value(std::string_view text, int exponent) {
  if (is_absent(text)) return std::monostate{};
  const Number number = parse_number(text, exponent, style_.mark);
  if (const auto* integer = std::get_if<std::uint64_t>(&number)) return *integer;
  if (const auto* real = std::get_if<double>(&number)) {
    if (std::isfinite(*real)) return *real;
    ++not_finite_;
    return std::monostate{};
  }
  return std::string(text);
}

std::unique_ptr<Instances> PrintedProfile::read_instances(std::string_view items, int exponent) {
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  for_each_item(items, [&](std::string_view item) {
    const std::size_t colon = item.rfind(": ");
    if (colon != std::string_view::npos) keys.push_back(item.substr(0, colon));
    values.push_back(item);
  });
  auto instances = std::make_unique<Instances>();
  if (keys.size() == values.size()) {
    for (std::size_t i = 0; i < keys.size(); ++i) values[i].remove_prefix(keys[i].size() + 2);
    instances->correlation = std::vector<std::string>(keys.begin(), keys.end());
  }
  instances->values = to_column(values, exponent, style_.mark);
  return instances;
}

std::unique_ptr<Instances> PrintedProfile::read_summary(const PrintedMetric& metric, int exponent) {
  auto instances = std::make_unique<Instances>();
  instances->correlation = std::vector<std::string>{"minimum", "maximum"};
  instances->values = to_column({metric.minimum, metric.maximum}, exponent, style_.mark);
  return instances;
}

PrintedProfile::Cell PrintedProfile::read_cell(std::string_view text, int exponent,
                                               bool with_instances) {
  text = trim(text);
  if (text.substr(0, kFlagged.size()) == kFlagged) text = trim(text.substr(kFlagged.size()));
  const SplitCell split = split_cell(text, style_.mark);
  Cell cell{read_value(split.scalar, exponent), nullptr, split.has_items};
  if (split.has_items && with_instances) cell.instances = read_instances(split.items, exponent);
  return cell;
}

// The metric's name, or where there is none the label with its section.
std::string PrintedProfile::name_of(const PrintedMetric& metric, std::string_view base_unit) {
  std::string label = label_name(metric);
  repeat_ = label == last_label_ ? repeat_ + 1 : 0;
  last_label_ = label;
  PrintedLabel printed{metric.section,      metric.table,   metric.name, base_unit,
                       compute_capability_, style_.version, repeat_};
  if (auto name = metric_of_label(printed)) return *std::move(name);
  // Without a section it is the raw page, which has names only.
  const bool is_label = !metric.section.empty() || metric.name.find(' ') != std::string_view::npos;
  if (is_label) unknown_labels_.insert(label);
  return label;
}

void PrintedProfile::add(const PrintedMetric& metric) {
  const ScaledUnit unit = parse_unit(metric.unit);
  std::string name = name_of(metric, unit.base);
  const bool with_instances = options_.wants_instances(name);
  Cell cell = read_cell(metric.value, unit.exponent, with_instances);
  if (!metric.maximum.empty()) {
    cell.has_instances = true;
    if (with_instances) cell.instances = read_summary(metric, unit.exponent);
  }
  insert(std::move(name), unit.base, std::move(cell), metric);
}

// False if the launch has another value under this name.
bool PrintedProfile::insert_new(std::string_view name, std::string_view unit, Cell& cell) {
  // ncu prints no unit for a metric that it could not collect.
  const bool unit_known = !unit.empty() || !std::holds_alternative<std::monostate>(cell.value);
  const MetricId id = profile_.metric_names.intern(name, unit_known ? unit : metric_unit(name));
  auto& metrics = launch().metrics;
  const auto [place, is_new] = places_.try_emplace(key_of(current_, id), Place{metrics.size(), 0});
  if (!is_new) {
    Metric& known = metrics[place->second.index];
    if (std::holds_alternative<std::monostate>(cell.value) || known.value == cell.value)
      return true;
    if (std::holds_alternative<std::monostate>(known.value)) {
      known.value = std::move(cell.value);
      known.has_instances = cell.has_instances;
      known.instances = std::move(cell.instances);
      return true;
    }
    ++place->second.copies;
    return false;
  }
  metrics.push_back({id, cell.has_instances, std::move(cell.value), std::move(cell.instances)});
  return true;
}

void PrintedProfile::insert(std::string name, std::string_view unit, Cell cell,
                            const PrintedMetric& metric) {
  if (insert_new(name, unit, cell)) return;
  const std::string label = label_name(metric);
  if (name != label) {
    unknown_labels_.insert(label);
    if (insert_new(label, unit, cell)) return;
  }
  const auto id = profile_.metric_names.find(label);
  const std::size_t copies = places_[key_of(current_, *id)].copies;
  insert_new(label + '#' + std::to_string(copies + 1), unit, cell);
}

void PrintedProfile::add_rule(NvidiaRule rule) {
  auto& rules = launch().nvidia_rules;
  const bool continues = !rule.id.empty() && !rules.empty() && rules.back().id == rule.id &&
                         rules.back().section == rule.section;
  if (!continues) {
    rules.push_back(std::move(rule));
    return;
  }
  for (auto& message : rule.messages) rules.back().messages.push_back(std::move(message));
  if (!rules.back().speedup) rules.back().speedup = rule.speedup;
}

PrintedProfile::WideColumn PrintedProfile::column(std::string_view name,
                                                  std::optional<std::string_view> unit) {
  const ScaledUnit scaled =
      unit ? parse_unit(*unit) : ScaledUnit{0, std::string(metric_unit(name))};
  return {profile_.metric_names.intern(name, scaled.base), scaled.exponent,
          options_.wants_instances(name)};
}

void PrintedProfile::add(const WideColumn& column, std::string_view cell) {
  Cell read = read_cell(cell, column.exponent, column.with_instances);
  launch().metrics.push_back(
      {column.id, read.has_instances, std::move(read.value), std::move(read.instances)});
}

void PrintedProfile::note(NoteKind kind, std::uint64_t line, std::string_view what) {
  for (Note& known : profile_.notes) {
    if (known.kind == kind && known.what == what) {
      ++known.count;
      return;
    }
  }
  const std::string place = line == 0 ? std::string() : "line " + std::to_string(line);
  profile_.notes.push_back({kind, place, std::string(what), 1});
}

void PrintedProfile::finish() {
  for (Launch& launch : profile_.launches) {
    const auto by_id = [](const Metric& a, const Metric& b) { return a.id < b.id; };
    if (!std::is_sorted(launch.metrics.begin(), launch.metrics.end(), by_id)) {
      std::stable_sort(launch.metrics.begin(), launch.metrics.end(), by_id);
    }
  }
  if (!unknown_labels_.empty()) {
    profile_.notes.push_back({NoteKind::kInfo, "",
                              "labels with no known metric are kept as \"section/label\"",
                              unknown_labels_.size()});
  }
  if (not_finite_ > 0) {
    profile_.notes.push_back(
        {NoteKind::kInfo, "", "values that are not finite are taken as absent", not_finite_});
  }
  if (style_.mark == DecimalMark::kComma) {
    profile_.notes.push_back({NoteKind::kInfo, "", "numbers are read with a decimal comma", 1});
  }
}

std::size_t byte_order_mark_size(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.substr(0, kMark.size()) == kMark ? kMark.size() : 0;
}

std::optional<std::uint32_t> parse_u32(std::string_view text) {
  text = trim(text);
  std::uint32_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Dim3> parse_dim3(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
  }
  Dim3 dim{};
  for (std::size_t i = 0; i < dim.size(); ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == dim.size())) return std::nullopt;
    const std::string_view part = trim(text.substr(0, comma));
    const auto end = std::from_chars(part.data(), part.data() + part.size(), dim[i]);
    if (end.ec != std::errc{} || end.ptr != part.data() + part.size()) return std::nullopt;
    if (comma != std::string_view::npos) text.remove_prefix(comma + 1);
  }
  return dim;
}

std::optional<RuleMessageKind> rule_kind(std::string_view code) {
  if (code == "OPT") return RuleMessageKind::kOptimization;
  if (code == "WRN") return RuleMessageKind::kWarning;
  if (code == "ERR") return RuleMessageKind::kError;
  if (code == "INF" || code == "OK") return RuleMessageKind::kOk;
  return std::nullopt;
}

}  // namespace proofline
