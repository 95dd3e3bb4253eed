// SPDX-License-Identifier: Apache-2.0
//
// members() of an entry says its format: a BodyWriter walks it to write the JSON, a BodyReader to
// read it.
#include "store/entries/entry_codec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/redact.h"
#include "model/journal/attempt_states.h"

namespace proofline {
namespace {

// The values of an enumeration, which are stored by name.
template <class Enum>
constexpr std::array<Enum, 0> kValues{};
template <>
constexpr auto kValues<AttemptState> = kAttemptStates;
template <>
constexpr std::array kValues<GateState> = {GateState::kPassed, GateState::kFailed,
                                           GateState::kNotRun};
template <>
constexpr std::array kValues<DecisionVerdict> = {
    DecisionVerdict::kKeep, DecisionVerdict::kRevert, DecisionVerdict::kInconclusive,
    DecisionVerdict::kInvalid, DecisionVerdict::kNoDifference};

class BodyWriter {
 public:
  template <class T>
  using Of = const T;

  explicit BodyWriter(JsonWriter& json) : json_(json) {}

  template <class T>
  void operator()(std::string_view name, const T& member) {
    json_.key(name);
    write(member);
  }
  // Not written where it is not there: what was stored before it was known stays as it is.
  template <class T>
  void if_there(std::string_view name, const std::optional<T>& member) {
    if (member) (*this)(name, *member);
  }
  void required(std::string_view name, double member) { (*this)(name, member); }
  void command(std::string_view name, const std::string& command) {
    (*this)(name, redact_command(command));
  }
  void commands(std::string_view name, std::vector<std::string> commands) {
    for (std::string& command : commands) command = redact_command(command);
    (*this)(name, commands);
  }

  template <class T>
  requires std::is_class_v<T>
  void write(const T& object) {
    json_.begin_object();
    members(*this, object);
    json_.end_object();
  }

 private:
  void write(const std::string& text) { json_.text(text); }
  void write(bool value) { json_.boolean(value); }
  void write(double number) { json_.number(number); }
  void write(std::uint64_t number) { json_.number(number); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void write(Enum value) { json_.text(to_string(value)); }
  template <class T>
  void write(const std::optional<T>& value) {
    if (!value) return json_.null();
    write(*value);
  }
  template <class T>
  void write(const std::vector<T>& items) {
    json_.begin_array();
    for (const T& item : items) write(item);
    json_.end_array();
  }

  JsonWriter& json_;
};

class BodyReader {
 public:
  template <class T>
  using Of = T;

  explicit BodyReader(const rapidjson::Value& object) : object_(object) {}

  template <class T>
  bool operator()(std::string_view name, T& member) {
    const rapidjson::Value* value = json_member(object_, name);
    return value != nullptr && read(*value, member);
  }
  template <class T>
  void if_there(std::string_view name, std::optional<T>& member) {
    (*this)(name, member);
  }
  // An object without it is none.
  void required(std::string_view name, double& member) {
    if (!(*this)(name, member)) complete_ = false;
  }
  void command(std::string_view name, std::string& command) { (*this)(name, command); }
  void commands(std::string_view name, std::vector<std::string>& commands) {
    (*this)(name, commands);
  }

  template <class T>
  requires std::is_class_v<T>
  static bool read(const rapidjson::Value& value, T& object) {
    if (!value.IsObject()) return false;
    BodyReader reader(value);
    members(reader, object);
    return reader.complete_;
  }

 private:
  static bool read(const rapidjson::Value& value, std::string& text) {
    if (value.IsString()) text.assign(value.GetString(), value.GetStringLength());
    return value.IsString();
  }
  static bool read(const rapidjson::Value& value, bool& truth) {
    truth = value.IsTrue();
    return value.IsBool();
  }
  static bool read(const rapidjson::Value& value, double& number) {
    if (value.IsNumber()) number = value.GetDouble();
    return value.IsNumber();
  }
  static bool read(const rapidjson::Value& value, std::uint64_t& number) {
    if (value.IsUint64()) number = value.GetUint64();
    return value.IsUint64();
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static bool read(const rapidjson::Value& value, Enum& named) {
    std::string name;
    if (!read(value, name)) return false;
    const auto& all = kValues<Enum>;
    const auto* found =
        std::find_if(all.begin(), all.end(), [&](Enum one) { return to_string(one) == name; });
    if (found != all.end()) named = *found;
    return found != all.end();
  }
  template <class T>
  static bool read(const rapidjson::Value& value, std::optional<T>& optional) {
    T present{};
    if (!read(value, present)) return false;
    optional = std::move(present);
    return true;
  }
  template <class T>
  static bool read(const rapidjson::Value& value, std::vector<T>& items) {
    if (!value.IsArray()) return false;
    for (const rapidjson::Value& one : value.GetArray()) {
      T item{};
      if (read(one, item)) items.push_back(std::move(item));
    }
    return true;
  }

  const rapidjson::Value& object_;
  bool complete_ = true;
};

template <class Entry, class Codec>
using Of = typename Codec::template Of<Entry>;

template <class Codec>
void members(Codec& codec, Of<GainRange, Codec>& range) {
  codec.required("low", range.low);
  codec.required("high", range.high);
}

template <class Codec>
void members(Codec& codec, Of<AttemptItem, Codec>& item) {
  codec("playbook", item.playbook);
  codec("id", item.id);
  codec("kernel", item.kernel);
  codec("gpu", item.gpu);
  codec("cc", item.cc);
  codec("answers", item.answers);
  codec("play", item.play);
}

template <class Codec>
void members(Codec& codec, Of<Intent, Codec>& intent) {
  codec("hypothesis", intent.hypothesis);
  codec("kind", intent.kind);
  codec("expected", intent.expected);
  codec("risk", intent.risk);
  codec("commit", intent.commit);
  codec("diff_stat", intent.diff_stat);
  codec.commands("commands", intent.commands);
  codec.if_there("item", intent.item);
}

template <class Codec>
void members(Codec& codec, Of<Gate, Codec>& gate) {
  codec("name", gate.name);
  codec("state", gate.state);
  codec("detail", gate.detail);
}

template <class Codec>
void members(Codec& codec, Of<CorrectnessEntry, Codec>& entry) {
  codec("gates", entry.gates);
  codec("run", entry.run);
}

template <class Codec>
void members(Codec& codec, Of<RecordedMeasurement, Codec>& measurement) {
  codec("configuration", measurement.configuration);
  codec("state", measurement.state);
  codec("reason", measurement.reason);
  codec("correctness", measurement.correctness);
  codec("max_abs_error", measurement.max_abs_error);
  codec("max_rel_error", measurement.max_rel_error);
  codec("median_ns", measurement.median_ns);
  codec("low_ns", measurement.low_ns);
  codec("high_ns", measurement.high_ns);
  codec("samples", measurement.samples);
  codec("throttled", measurement.throttled);
  codec("throttled_only", measurement.throttled_only);
}

template <class Codec>
void members(Codec& codec, Of<RecordedSide, Codec>& side) {
  codec("label", side.label);
  codec.command("command", side.command);
  codec("gpu", side.gpu);
  codec("driver", side.driver);
  codec("locked_sm_mhz", side.locked_sm_mhz);
  codec("measurements", side.measurements);
}

template <class Codec>
void members(Codec& codec, Of<BenchmarkEntry, Codec>& entry) {
  codec("interleaved", entry.interleaved);
  codec("sides", entry.sides);
  codec("run", entry.run);
}

template <class Codec>
void members(Codec& codec, Of<ProfileEntry, Codec>& entry) {
  codec("explanation", entry.explanation);
  codec("run", entry.run);
}

template <class Codec>
void members(Codec& codec, Of<AcceptanceEntry, Codec>& entry) {
  codec("state", entry.state);
  codec("text", entry.text);
}

template <class Codec>
void members(Codec& codec, Of<RecordedRatio, Codec>& ratio) {
  codec("ratio", ratio.ratio);
  codec("low", ratio.low);
  codec("high", ratio.high);
}

template <class Codec>
void members(Codec& codec, Of<RecordedChange, Codec>& change) {
  codec("configuration", change.configuration);
  codec("change", change.change);
  codec("a_ns", change.a_ns);
  codec("b_ns", change.b_ns);
  codec("time", change.time);
  codec("cycles", change.cycles);
  codec("pairs", change.pairs);
  codec("throttled", change.throttled);
  codec("flags", change.flags);
}

template <class Codec>
void members(Codec& codec, Of<DecisionEntry, Codec>& entry) {
  codec("verdict", entry.verdict);
  codec("reason", entry.reason);
  codec("a", entry.a);
  codec.command("a_label", entry.a_label);
  codec("b", entry.b);
  codec.command("b_label", entry.b_label);
  codec("confidence", entry.confidence);
  codec("threshold", entry.threshold);
  codec("overall", entry.overall);
  codec("gates", entry.gates);
  codec("configurations", entry.configurations);
  codec("unmatched", entry.unmatched);
  codec("explanation", entry.explanation);
  codec("next", entry.next);
  codec("run", entry.run);
}

template <class Codec>
void members(Codec& codec, Of<CloseEntry, Codec>& entry) {
  codec("state", entry.state);
  codec("reason", entry.reason);
}

template <class Codec>
void members(Codec& codec, Of<BaselineEntry, Codec>& entry) {
  codec("name", entry.name);
  codec("path", entry.path);
  codec("side", entry.side);
  codec("sha256", entry.sha256);
  codec("interleaved", entry.interleaved);
  codec("sides", entry.sides);
}

template <class Codec>
void members(Codec& codec, Of<NoteEntry, Codec>& entry) {
  codec("text", entry.text);
}

template <class Codec>
void members(Codec& codec, Of<MissedEntry, Codec>& entry) {
  codec("chain", entry.chain);
  codec("sequence", entry.sequence);
  codec("hash", entry.hash);
}

template <class Codec>
void members(Codec& codec, Of<UnknownEntry, Codec>& entry) {
  codec("run", entry.run);
}

// Makes the content be of this kind where it has the name.
template <class... Entry>
void become(std::string_view kind, std::variant<Entry...>& content) {
  (void)((Entry::kKind == kind && (content.template emplace<Entry>(), true)) || ...);
}

}  // namespace

std::string encode_entry(const EntryContent& content) {
  return json_text([&](JsonWriter& json) {
    BodyWriter writer(json);
    std::visit([&](const auto& entry) { writer.write(entry); }, content);
  });
}

NewEntry new_entry(std::string id, std::string attempt, const EntryContent& content) {
  const auto kind = std::visit([](const auto& entry) { return entry.kKind; }, content);
  return {std::move(id), std::move(attempt), std::string(kind), encode_entry(content)};
}

std::optional<EntryContent> decode_entry(const JournalEntry& entry) {
  const rapidjson::Document body = parse_json_object(entry.body);
  if (body.IsNull()) return std::nullopt;
  EntryContent content = UnknownEntry{};
  become(entry.kind, content);
  std::visit([&](auto& of_its_kind) { BodyReader::read(body, of_its_kind); }, content);
  return content;
}

}  // namespace proofline
