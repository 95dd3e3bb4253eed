// SPDX-License-Identifier: Apache-2.0
//
// A result is a kernel launch, range, graph or command list with its metrics. This is the hot path
// of the reader: a full-set launch has over 2,000 metrics, and nearly all of its bytes are
// instances and sections, which are stepped over unread unless asked for.
#include "readers/ncu/ncu_rep_result.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "base/byte_cursor.h"
#include "model/profile/kernel_name.h"
#include "readers/ncu/ncu_rep_context.h"
#include "vocabulary/metric_unit.h"
#include "vocabulary/stall_reasons.h"

namespace proofline::ncu_file {
namespace {

// The four kinds of result hold the same things under different field numbers; 0 = not there.
struct ResultFields {
  protozero::pbf_tag_type metrics, time, nvtx, context, stream, clocks, context_name, stream_name,
      host_stack, python_stack, references, unsupported, green_context, rules, sections, highest;
};

constexpr ResultFields kKernelFields = {13, 14, 21, 22, 23, 25, 26, 27,
                                        28, 32, 0,  20, 30, 19, 17, 35};
constexpr ResultFields kRangeFields = {4, 5, 10, 11, 0, 12, 13, 0, 14, 17, 15, 9, 16, 20, 7, 21};
constexpr ResultFields kGraphFields = {4, 5, 10, 11, 12, 13, 14, 15, 16, 19, 17, 9, 18, 22, 7, 23};
constexpr ResultFields kCommandListFields = {4,  5,  10, 11, 12, 13, 14, 15,
                                             16, 22, 17, 9,  0,  21, 7,  25};

const ResultFields& fields_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::kKernel: return kKernelFields;
    case LaunchKind::kRange: return kRangeFields;
    case LaunchKind::kGraph: return kGraphFields;
    case LaunchKind::kCommandList: return kCommandListFields;
  }
  return kKernelFields;
}

// A view into the message: there are millions of values, so no strings are copied.
using RawValue = std::variant<std::monostate, double, std::uint64_t, std::string_view>;

// The value of a message that is one integer and nothing else, as most are.
std::optional<std::uint64_t> lone_integer(std::string_view bytes) {
  constexpr std::uint8_t kInteger = 5 << 3U;  // of field 5
  constexpr std::size_t kLongest = 1 + 10;    // varints of more bytes are damaged
  ByteCursor cursor(bytes);
  if (bytes.size() > kLongest || cursor.u8() != kInteger) return std::nullopt;
  const std::uint64_t integer = cursor.uleb();
  return cursor.ok() && cursor.at_end() ? std::optional(integer) : std::nullopt;
}

RawValue decode_raw_value(std::string_view bytes) {
  if (const auto integer = lone_integer(bytes)) return *integer;
  RawValue value;
  Message message = message_of(bytes);
  while (message.next()) {
    switch (message.tag()) {
      case 1: value = text_view_of(message); break;
      case 2: value = float_of(message); break;
      case 3: value = double_of(message); break;
      case 4:
      case 5: value = integer_of(message); break;
      default: message.skip();
    }
  }
  return value;
}

// Appends to a column, whose first value sets its type; doubles among integers turn it into
// doubles. False, and nothing appended: an absent value, or text among numbers.
bool append(Column& column, const RawValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return false;
  if (std::holds_alternative<std::monostate>(column)) {
    if (std::holds_alternative<double>(value)) column = std::vector<double>{};
    if (std::holds_alternative<std::uint64_t>(value)) column = std::vector<std::uint64_t>{};
    if (std::holds_alternative<std::string_view>(value)) column = std::vector<std::string>{};
  }
  if (auto* integers = std::get_if<std::vector<std::uint64_t>>(&column)) {
    if (const auto* integer = std::get_if<std::uint64_t>(&value)) {
      integers->push_back(*integer);
      return true;
    }
    if (!std::holds_alternative<double>(value)) return false;
    column = std::vector<double>(integers->begin(), integers->end());
  }
  if (auto* reals = std::get_if<std::vector<double>>(&column)) {
    if (const auto* real = std::get_if<double>(&value)) {
      reals->push_back(*real);
    } else if (const auto* integer = std::get_if<std::uint64_t>(&value)) {
      reals->push_back(static_cast<double>(*integer));
    } else {
      return false;
    }
    return true;
  }
  auto* texts = std::get_if<std::vector<std::string>>(&column);
  const auto* text = std::get_if<std::string_view>(&value);
  if (texts == nullptr || text == nullptr) return false;
  texts->emplace_back(*text);
  return true;
}

void reserve(Column& column, std::size_t size) {
  std::visit(
      [&](auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::monostate>) {
          values.reserve(size);
        }
      },
      column);
}

// Whether an instance is a correlation of less than 128 bytes and the integer zero, and nothing
// else.
bool is_zero(std::string_view element) {
  constexpr std::string_view kValue("\x12\x02\x28\x00", 4);  // field 2, with field 5 = 0
  return element.size() >= 2 + kValue.size() && element[0] == '\x0a' &&
         static_cast<unsigned char>(element[1]) == element.size() - 2 - kValue.size() &&
         element.ends_with(kValue);
}

// `field` is at the first instance of a metric; reads it and all that follow.
std::unique_ptr<Instances> decode_instances(Message& field, bool with_zeros, Tally& tally) {
  // An instance by address takes 16 bytes or more in the file and as many here.
  constexpr std::size_t kLeastBytes = 16;
  const std::size_t most = with_zeros ? field.length() / kLeastBytes + 1 : 0;
  auto instances = std::make_unique<Instances>();
  bool correlated = true;
  bool reserved = false;  // once the first one has given the columns' types
  do {
    if (field.tag() != 3) {
      field.skip();
      continue;
    }
    const std::string_view bytes = bytes_of(field);
    if (!with_zeros && is_zero(bytes)) continue;
    RawValue correlation;
    RawValue value;
    for (Message element = message_of(bytes); element.next();) {
      switch (element.tag()) {
        case 1: correlation = decode_raw_value(bytes_of(element)); break;
        case 2: value = decode_raw_value(bytes_of(element)); break;
        default: element.skip();
      }
    }
    if (!append(instances->values, value)) {
      ++tally.invalid_values;
      continue;
    }
    correlated = correlated && append(instances->correlation, correlation);
    if (!reserved) {
      reserve(instances->values, most);
      reserve(instances->correlation, most);
      reserved = true;
    }
  } while (field.next());
  // Half a correlation would assign values to the wrong place.
  if (!correlated) instances->correlation = std::monostate{};
  return instances;
}

void decode_metric(std::string_view bytes, StringTable& strings, MetricNames& names, Tally& tally,
                   std::vector<Metric>& metrics) {
  Message field = message_of(bytes);
  const StringTable::Entry* name = nullptr;
  Metric metric{};
  while (field.next()) {
    switch (field.tag()) {
      case 1: name = strings.metric(integer_of(field), names); break;
      case 2: metric.value = decode_value(bytes_of(field)); break;
      case 3:
        metric.has_instances = true;
        // Protobuf writes fields in the order of their numbers, so only instances follow.
        if (name != nullptr && name->with_instances) {
          metric.instances = decode_instances(field, name->with_zeros, tally);
        } else {
          tally.skipped_bytes += field.length();
          field = Message{};
        }
        break;
      default: field.skip();
    }
  }
  if (name == nullptr) {
    ++tally.bad_name_ids;
    return;
  }
  if (const auto* real = std::get_if<double>(&metric.value)) {
    if (!std::isfinite(*real)) ++tally.invalid_values;
  }
  metric.id = name->id;
  metrics.push_back(std::move(metric));
}

Dim3 decode_dim3(Message message) {
  Dim3 dim = {1, 1, 1};
  while (message.next()) {
    if (message.tag() >= 1 && message.tag() <= 3) {
      dim[message.tag() - 1] = integer_of(message);
    } else {
      message.skip();
    }
  }
  return dim;
}

ClockStatus decode_clocks(Message message) {
  ClockStatus clocks;
  while (message.next()) {
    switch (message.tag()) {
      case 1: clocks.lock_requested = flag_of(message); break;
      case 2: clocks.locked = flag_of(message); break;
      default: message.skip();
    }
  }
  return clocks;
}

// Fields that only one kind of result has. False: not one of them.
bool decode_own_field(LaunchKind kind, Message& field, Launch& launch) {
  if (kind == LaunchKind::kCommandList && field.tag() == 18) {
    launch.name = text_of(field);
    return true;
  }
  if (kind != LaunchKind::kKernel) return false;
  switch (field.tag()) {
    case 5: launch.mangled = text_of(field); return true;
    case 6: launch.function = text_of(field); return true;
    case 7: launch.name = text_of(field); return true;
    case 10: launch.grid = decode_dim3(submessage_of(field)); return true;
    case 11: launch.block = decode_dim3(submessage_of(field)); return true;
    case 15:
      for (Message source = submessage_of(field); source.next();) {
        if (source.tag() == 1) {
          launch.modules.push_back(integer_of(source));
        } else {
          source.skip();
        }
      }
      return true;
    default: return false;
  }
}

void decode_references(Message& field, Launch& launch) {
  if (field.wire_type() == protozero::pbf_wire_type::varint) {
    launch.modules.push_back(integer_of(field));
    return;
  }
  expect(field, protozero::pbf_wire_type::length_delimited);
  for (const std::uint64_t reference : field.get_packed_uint64())
    launch.modules.push_back(reference);
}

// Sorted for look-up; of two metrics with one name the first stays. Positions are sorted and each
// metric is moved once, into a vector without room to spare: metrics are most of a profile's
// memory.
std::vector<Metric> sorted(std::vector<Metric> metrics, Tally& tally) {
  std::vector<std::pair<MetricId, std::uint32_t>> order;
  order.reserve(metrics.size());
  for (std::uint32_t i = 0; i < metrics.size(); ++i) order.emplace_back(metrics[i].id, i);
  std::sort(order.begin(), order.end());
  const auto last = std::unique(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return false;
    if (metrics[a.second].value != metrics[b.second].value) ++tally.duplicate_values;
    return true;
  });
  std::vector<Metric> result;
  result.reserve(static_cast<std::size_t>(last - order.begin()));
  for (auto at = order.begin(); at != last; ++at) {
    result.push_back(std::move(metrics[at->second]));
  }
  return result;
}

}  // namespace

void StringTable::append(Message table) {
  while (table.next()) {
    if (table.tag() == 1) {
      strings_.push_back(text_of(table));
    } else {
      table.skip();
    }
  }
  entries_.resize(strings_.size());
}

const StringTable::Entry* StringTable::metric(std::uint64_t index, MetricNames& names) {
  if (index >= entries_.size()) return nullptr;
  Entry& entry = entries_[index];
  if (entry.id == Entry{}.id) {
    entry.id = names.intern(strings_[index], metric_unit(strings_[index]));
    entry.with_instances = options_.wants_instances(strings_[index]);
    entry.with_zeros = options_.instances || !is_stall_sample(strings_[index]);
  }
  return &entry;
}

Value decode_value(std::string_view bytes) {
  return std::visit(
      [](const auto& value) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string_view>) {
          return std::string(value);
        } else {
          return value;
        }
      },
      decode_raw_value(bytes));
}

Launch decode_result(LaunchKind kind, Message message, const ReadOptions& options,
                     StringTable& strings, MetricNames& names, Tally& tally) {
  const ResultFields& fields = fields_of(kind);
  Launch launch;
  launch.kind = kind;
  std::vector<Metric> metrics;
  metrics.reserve(names.size());
  while (message.next()) {
    const auto tag = message.tag();
    if (tag == fields.metrics) {
      decode_metric(bytes_of(message), strings, names, tally, metrics);
    } else if (decode_own_field(kind, message, launch)) {
      continue;
    } else if (tag == fields.time) {
      launch.unix_time = integer_of(message);
    } else if (tag == fields.nvtx) {
      launch.nvtx = decode_nvtx(submessage_of(message));
    } else if (tag == fields.context) {
      launch.context = integer32_of(message);
    } else if (tag == fields.stream) {
      launch.stream = integer32_of(message);
    } else if (tag == fields.clocks) {
      launch.clocks = decode_clocks(submessage_of(message));
    } else if (tag == fields.context_name) {
      launch.context_name = text_of(message);
    } else if (tag == fields.stream_name) {
      launch.stream_name = text_of(message);
    } else if (tag == fields.host_stack) {
      launch.host_stack = decode_stack(submessage_of(message));
    } else if (tag == fields.python_stack) {
      launch.python_stack = decode_stack(submessage_of(message));
    } else if (tag == fields.references) {
      decode_references(message, launch);
    } else if (tag == fields.unsupported) {
      launch.unsupported_device = flag_of(message);
    } else if (tag == fields.green_context) {
      launch.green_context = flag_of(message);
    } else if (tag == fields.rules && options.nvidia_rules) {
      launch.nvidia_rules.push_back(decode_rule(submessage_of(message)));
    } else {
      if (tag > fields.highest) ++tally.unknown_fields;
      tally.skipped_bytes += skip_field(message);
    }
  }
  launch.metrics = sorted(std::move(metrics), tally);
  // ncu takes the end of an ABI tag for the function's name: "v1,cw51cXTL]".
  if (abi_tags(launch.name) != std::string::npos) {
    launch.function = short_function_name(launch.name);
  }
  return launch;
}

}  // namespace proofline::ncu_file
