// SPDX-License-Identifier: Apache-2.0
#include "workflow/mcp/json_rpc.h"

#include <fmt/format.h>
#include <rapidjson/error/en.h>

#include <cstdint>
#include <utility>

#include "base/json_object.h"
#include "base/json_writer.h"

namespace proofline {
namespace {

std::string json_string(std::string_view text) {
  return json_text([&](JsonWriter& json) { json.text(text); });
}

RpcMessage invalid(std::string id, RpcError code, std::string problem) {
  RpcMessage message;
  message.id = std::move(id);
  message.code = code;
  message.problem = std::move(problem);
  return message;
}

}  // namespace

std::string rpc_key_text(const rapidjson::Value& value) {
  if (value.IsString()) return json_string({value.GetString(), value.GetStringLength()});
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  return "";
}

RpcMessage parse_rpc(std::string_view line) {
  rapidjson::Document document;
  // As parse_json_object().
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      line.data(), line.size());
  if (document.HasParseError()) {
    return invalid("", RpcError::kParse,
                   fmt::format("not JSON: {} at byte {}",
                               rapidjson::GetParseError_En(document.GetParseError()),
                               document.GetErrorOffset()));
  }
  if (document.IsArray()) {
    return invalid("", RpcError::kInvalidRequest,
                   "batches are not part of the protocol: send one message per line");
  }
  if (!document.IsObject()) {
    return invalid("", RpcError::kInvalidRequest, "a message is a JSON object");
  }
  std::string id;
  const rapidjson::Value* id_value = json_member(document, "id");
  if (id_value != nullptr) {
    id = rpc_key_text(*id_value);
    if (id.empty()) {
      return invalid("", RpcError::kInvalidRequest, "an id is a string or a whole number");
    }
  }
  const rapidjson::Value* version = json_member(document, "jsonrpc");
  if (version == nullptr || !version->IsString() ||
      std::string_view(version->GetString(), version->GetStringLength()) != "2.0") {
    return invalid(id, RpcError::kInvalidRequest, "\"jsonrpc\" must be \"2.0\"");
  }
  const rapidjson::Value* method = json_member(document, "method");
  RpcMessage message;
  message.id = id;
  if (method == nullptr) {
    if (json_member(document, "result") == nullptr && json_member(document, "error") == nullptr) {
      return invalid(id, RpcError::kInvalidRequest, "\"method\" is missing");
    }
    message.kind = RpcMessage::Kind::kResponse;
    return message;
  }
  if (!method->IsString()) {
    return invalid(id, RpcError::kInvalidRequest, "\"method\" must be a string");
  }
  message.method.assign(method->GetString(), method->GetStringLength());
  // It stays where it is when the document moves.
  message.params = json_member(document, "params");
  if (message.params != nullptr && !message.params->IsObject()) {
    return invalid(id, RpcError::kInvalidParams, "\"params\" must be an object");
  }
  message.kind = id_value != nullptr ? RpcMessage::Kind::kRequest : RpcMessage::Kind::kNotification;
  message.document = std::move(document);
  return message;
}

std::string rpc_result(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string rpc_error(std::string_view id, RpcError code, std::string_view message,
                      std::string_view data) {
  std::string line = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) line += fmt::format(R"("id":{},)", id);
  line += fmt::format(R"("error":{{"code":{},"message":{})", static_cast<int>(code),
                      json_string(message));
  if (!data.empty()) line += fmt::format(R"(,"data":{})", data);
  return line + "}}";
}

std::string rpc_notification(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":{},"params":{}}})", json_string(method), params);
}

void LineSplitter::feed(std::string_view piece,
                        const std::function<void(std::string_view line)>& take,
                        const std::function<void()>& too_long) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (!skipping_ && begun_.size() + part.size() > most_bytes_) {
      skipping_ = true;
      begun_.clear();
      begun_.shrink_to_fit();
    }
    if (!skipping_) begun_ += part;
    if (end == std::string_view::npos) return;
    piece.remove_prefix(end + 1);
    if (skipping_) {
      skipping_ = false;
      too_long();
      continue;
    }
    std::string line;
    line.swap(begun_);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) take(line);
  }
}

}  // namespace proofline
