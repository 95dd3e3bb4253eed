// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC 2.0 as the Model Context Protocol uses it: one message a line, no batches, ids are
// strings or whole numbers. Whatever a line holds, it becomes a message; memory is bounded by the
// line's size.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace proofline {

enum class RpcError {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kResourceNotFound = -32002,  // of the Model Context Protocol
};

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse, kInvalid };

  Kind kind = Kind::kInvalid;
  std::string id;  // as JSON; "" there is none, or none that could be told
  std::string method;
  const rapidjson::Value* params = nullptr;  // an object of `document`; null: there are none
  rapidjson::Document document;
  // Of kInvalid.
  RpcError code = RpcError::kInvalidRequest;
  std::string problem;
};

RpcMessage parse_rpc(std::string_view line);

// A value that is text or a whole number, as JSON; "" where it is neither.
std::string rpc_key_text(const rapidjson::Value& value);

// Lines to send, without their end; `result`, `params` and `data` are JSON. An error without an id
// answers what none could be told of: the protocol knows no null there.
std::string rpc_result(std::string_view id, std::string_view result);
std::string rpc_error(std::string_view id, RpcError code, std::string_view message,
                      std::string_view data = "");
std::string rpc_notification(std::string_view method, std::string_view params);

// Pieces of a stream to lines. One that is longer than the limit is not kept: it is told once, when
// it ends.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void feed(std::string_view piece, const std::function<void(std::string_view line)>& take,
            const std::function<void()>& too_long);

 private:
  std::size_t most_bytes_;
  std::string begun_;
  bool skipping_ = false;
};

}  // namespace proofline
