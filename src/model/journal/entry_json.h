// SPDX-License-Identifier: Apache-2.0
//
// The JSON of a journal's entries, read. A body may come from anybody who can write to the journal,
// so whatever is not of the expected type counts as absent.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

// Null where the text is not a JSON object, or larger than any that we write.
rapidjson::Document parse_entry_body(std::string_view body);

// The member of an object; null where there is none, or no object.
const rapidjson::Value* body_member(const rapidjson::Value& object, std::string_view name);
std::string body_text(const rapidjson::Value& object, std::string_view name);
std::optional<double> body_number(const rapidjson::Value& object, std::string_view name);
// The strings of a list.
std::vector<std::string> body_texts(const rapidjson::Value& object, std::string_view name);
// The objects of a list.
std::vector<const rapidjson::Value*> body_objects(const rapidjson::Value& object,
                                                  std::string_view name);

}  // namespace proofline
