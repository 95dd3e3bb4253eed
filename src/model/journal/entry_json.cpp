// SPDX-License-Identifier: Apache-2.0
#include "model/journal/entry_json.h"

#include <cstddef>

namespace proofline {
namespace {

// Parsed, a hostile body takes up to some tens of times its size.
constexpr std::size_t kMostBytes = std::size_t{8} << 20;

std::string string_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

rapidjson::Document parse_entry_body(std::string_view body) {
  rapidjson::Document document;
  if (body.size() > kMostBytes) return document;
  // Iterative: nesting takes memory, never the stack.
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(body.data(),
                                                                                      body.size());
  if (document.HasParseError() || !document.IsObject()) document.SetNull();
  return document;
}

const rapidjson::Value* body_member(const rapidjson::Value& object, std::string_view name) {
  if (!object.IsObject()) return nullptr;
  const rapidjson::Value key(
      rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string body_text(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* value = body_member(object, name);
  return value != nullptr && value->IsString() ? string_of(*value) : "";
}

std::optional<double> body_number(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* value = body_member(object, name);
  if (value == nullptr || !value->IsNumber()) return std::nullopt;
  return value->GetDouble();
}

std::vector<std::string> body_texts(const rapidjson::Value& object, std::string_view name) {
  std::vector<std::string> texts;
  const rapidjson::Value* list = body_member(object, name);
  if (list == nullptr || !list->IsArray()) return texts;
  for (const rapidjson::Value& value : list->GetArray()) {
    if (value.IsString()) texts.push_back(string_of(value));
  }
  return texts;
}

std::vector<const rapidjson::Value*> body_objects(const rapidjson::Value& object,
                                                  std::string_view name) {
  std::vector<const rapidjson::Value*> objects;
  const rapidjson::Value* list = body_member(object, name);
  if (list == nullptr || !list->IsArray()) return objects;
  for (const rapidjson::Value& value : list->GetArray()) {
    if (value.IsObject()) objects.push_back(&value);
  }
  return objects;
}

}  // namespace proofline
