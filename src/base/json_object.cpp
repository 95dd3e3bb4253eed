// SPDX-License-Identifier: Apache-2.0
#include "base/json_object.h"

#include <cstddef>

namespace proofline {
namespace {

// Parsed, a hostile text takes up to some tens of times its size.
constexpr std::size_t kMostJsonBytes = std::size_t{8} << 20;

}  // namespace

rapidjson::Document parse_json_object(std::string_view text) {
  rapidjson::Document document;
  if (text.size() > kMostJsonBytes) return document;
  // Iterative: nesting takes memory, never the stack. Not kParseFullPrecisionFlag, with which
  // rapidjson reads "0.0e59" as 3.4e38: the last digits of a number do not matter here.
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) document.SetNull();
  return document;
}

const rapidjson::Value* json_member(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value key(
      rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size())));
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

std::string json_text(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* value = json_member(object, name);
  if (value == nullptr || !value->IsString()) return "";
  return {value->GetString(), value->GetStringLength()};
}

}  // namespace proofline
