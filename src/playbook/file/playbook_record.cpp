// SPDX-License-Identifier: Apache-2.0
//
// The JSON schema (draft 2020-12) of a playbook file, for editors that complete and check keys.
#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/record_schema.h"
#include "playbook/file/playbook_keys.h"

namespace proofline {
namespace {

constexpr std::string_view kExpression = "an expression over facts, between single quotes";
constexpr std::string_view kNamePattern = "^[A-Za-z][A-Za-z0-9_-]*$";

// Writes the properties of one table.
class SchemaKeys final : public PlaybookKeys {
 public:
  explicit SchemaKeys(JsonWriter& json) : json_(json) {}

  // A table without other keys than those that are described.
  static void write_table(JsonWriter& json, const Describe& describe) {
    SchemaKeys keys(json);
    json.member("type", "object");
    json.member("additionalProperties", false);
    json.key("properties");
    json.begin_object();
    describe(keys);
    json.end_object();
    json.array("required", keys.required_, [&](std::string_view key) { json.text(key); });
  }

  void begin(PlaybookItem&) override {}
  void text(std::string_view key, std::string&, Need need) override {
    property(key, need, [&] { json_.member("type", "string"); });
  }
  void id(std::string_view key, std::string&) override {
    property(key, Need::kRequired, [&] {
      json_.member("type", "string");
      json_.member("pattern", kNamePattern);
    });
  }
  void choice(std::string_view key, std::string&, Words words, Need need) override {
    property(key, need, [&] { words_member(words); });
  }
  void texts(std::string_view key, std::vector<std::string>&) override {
    property(key, Need::kOptional, [&] { text_or_list([&] { json_.member("type", "string"); }); });
  }
  void choices(std::string_view key, std::vector<std::string>&, Words words, Need need) override {
    property(key, need, [&] { text_or_list([&] { words_member(words); }); });
  }
  void number(std::string_view key, std::optional<double>&) override {
    property(key, Need::kOptional, [&] { json_.member("type", "number"); });
  }
  void count(std::string_view key, std::uint32_t&, std::uint32_t least,
             std::uint32_t most) override {
    property(key, Need::kOptional, [&] {
      json_.member("type", "integer");
      json_.member("minimum", std::uint64_t{least});
      json_.member("maximum", std::uint64_t{most});
    });
  }
  void logic(std::string_view key, bool&) override {
    property(key, Need::kOptional, [&] { json_.member("type", "boolean"); });
  }
  void file_name(std::string_view key, std::string&) override {
    property(key, Need::kOptional, [&] {
      json_.member("type", "string");
      json_.member("pattern", "^[^./][^/]*$");
    });
  }
  void format(std::string_view key, std::uint32_t known) override {
    property(key, Need::kOptional, [&] { json_.member("const", std::uint64_t{known}); });
  }
  void expression(std::string_view key, std::optional<PlaybookExpression>&, Need need) override {
    property(key, need, [&] { text_meaning(kExpression); });
  }
  void condition(std::string_view key, std::optional<PlaybookExpression>&) override {
    property(key, Need::kRequired, [&] { text_meaning("an expression, or 'otherwise'"); });
  }
  void expressions(std::string_view key, std::vector<PlaybookExpression>&) override {
    property(key, Need::kOptional, [&] { list_of([&] { text_meaning(kExpression); }); });
  }
  void rows(std::string_view key, std::vector<std::uint32_t>&) override {
    property(key, Need::kOptional, [&] { text_meaning("of the requirements: \"15, 28-31\""); });
  }
  void values(std::string_view key, Workload&, Need need) override {
    property(key, need, [&] { any_keys([&] { scalar_types(); }); });
  }
  void workload(std::string_view key, Playbook& playbook) override {
    property(key, Need::kOptional, [&] {
      any_keys([&] { scalar_types(); });
      json_.key("properties");
      json_.begin_object();
      SchemaKeys(json_).texts("args", playbook.args);
      json_.end_object();
    });
  }
  void sweep(std::string_view key, PlaybookTask&) override {
    property(key, Need::kOptional, [&] { any_keys([&] { list_of([&] { scalar_types(); }); }); });
  }
  void lets(std::string_view key, Playbook&) override {
    property(key, Need::kOptional, [&] { any_keys([&] { text_meaning(kExpression); }); });
  }
  void fields(std::string_view key, std::vector<DeliverablePart::Field>&) override {
    property(key, Need::kOptional, [&] {
      list_of([&] {
        json_.member("type", "array");
        json_.member("description", "a label and an expression");
        json_.key("items");
        object([&] { json_.member("type", "string"); });
        json_.member("minItems", std::uint64_t{2});
        json_.member("maxItems", std::uint64_t{2});
      });
    });
  }
  void kind(std::string_view key, PlaybookPhase&) override {
    property(key, Need::kRequired, [&] {
      json_.array("enum", kPhaseKinds, [&](const PhaseKindInfo& one) { json_.text(one.name); });
    });
    for (const PhaseKindInfo& info : kPhaseKinds) {
      for (const PhaseKey& own : info.keys()) setting(own);
    }
  }
  void table(std::string_view key, Need need, const Describe& describe) override {
    property(key, need, [&] { write_table(json_, describe); });
  }
  void tables(std::string_view key, Need need, const Describe& describe) override {
    property(key, need, [&] { list_of([&] { write_table(json_, describe); }); });
  }

 private:
  template <class Write>
  void object(const Write& write) {
    json_.begin_object();
    write();
    json_.end_object();
  }
  template <class Write>
  void property(std::string_view key, Need need, const Write& write) {
    json_.key(key);
    object(write);
    if (need == Need::kRequired) required_.push_back(key);
  }
  template <class Write>
  void list_of(const Write& write_item) {
    json_.member("type", "array");
    json_.key("items");
    object(write_item);
  }
  template <class Write>
  void any_keys(const Write& write_value) {
    json_.member("type", "object");
    json_.key("additionalProperties");
    object(write_value);
  }
  template <class Write>
  void text_or_list(const Write& write_text) {
    json_.key("anyOf");
    json_.begin_array();
    object(write_text);
    object([&] { list_of(write_text); });
    json_.end_array();
  }
  void words_member(Words words) {
    json_.array("enum", words, [&](std::string_view word) { json_.text(word); });
  }
  void text_meaning(std::string_view meaning) {
    json_.member("type", "string");
    json_.member("description", meaning);
  }
  void scalar_types() {
    json_.array("type", Words{"number", "string", "boolean"},
                [&](std::string_view type) { json_.text(type); });
  }
  void setting(const PhaseKey& key) {
    property(key.name, Need::kOptional, [&] {
      switch (key.type) {
        case PhaseKey::Type::kText: json_.member("type", "string"); break;
        case PhaseKey::Type::kNumber: json_.member("type", "number"); break;
        case PhaseKey::Type::kLogic: json_.member("type", "boolean"); break;
        case PhaseKey::Type::kTexts: text_or_list([&] { json_.member("type", "string"); }); break;
      }
    });
  }

  JsonWriter& json_;
  std::vector<std::string_view> required_;
};

void write_playbook_schema(JsonWriter& json) {
  Playbook playbook;
  SchemaKeys::write_table(json, [&](PlaybookKeys& keys) { describe_playbook(keys, playbook); });
}

}  // namespace

ResultSchema playbook_record() {
  return {"playbook",
          "A playbook, for editors; docs/playbooks.md explains it",
          {},
          write_playbook_schema};
}

}  // namespace proofline
