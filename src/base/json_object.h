// SPDX-License-Identifier: Apache-2.0
//
// JSON that anybody may have written, parsed: bounded in memory, and without the stack.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <string_view>

namespace proofline {

// Null where the text is not a JSON object, or larger than any that we write.
rapidjson::Document parse_json_object(std::string_view text);

// The member of an object; null where there is none.
const rapidjson::Value* json_member(const rapidjson::Value& object, std::string_view name);

// Its text; "" where there is none.
std::string json_text(const rapidjson::Value& object, std::string_view name);

}  // namespace proofline
