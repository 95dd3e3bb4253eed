// SPDX-License-Identifier: Apache-2.0
//
// Protocol faults are errors of JSON-RPC; whatever a tool itself says, that it failed included, is
// its result, so that a model can read it and do better.
#include "workflow/mcp/mcp_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "proofline/version.h"
#include "workflow/mcp/mcp_resources.h"

namespace proofline {
namespace {

// Newest first.
constexpr std::string_view kRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26"};
constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostNamedPaths = 256;
constexpr std::chrono::seconds kHeartbeat{1};
// What comes sooner after another is left out.
constexpr std::chrono::milliseconds kBetweenProgress{100};

constexpr std::string_view kInstructions =
    "Evidence-driven optimisation of GPU kernels. Begin with diagnose on a report of Nsight "
    "Compute; explain tells what a name means. Durations under ncu's replay explain but do not "
    "decide: bench and try time two programs alternately and do. bench and try run the commands "
    "that you give them, no other tool runs a program of yours. Paths are relative to the folder "
    "that the server was started in.";

std::optional<std::string> text_member(const rapidjson::Value* object, std::string_view name) {
  const rapidjson::Value* value = object != nullptr ? json_member(*object, name) : nullptr;
  if (value == nullptr || !value->IsString()) return std::nullopt;
  return std::string(value->GetString(), value->GetStringLength());
}

// The members of one object, as JSON.
template <class Write>
std::string json_object(const Write& write_members) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    write_members(json);
    json.end_object();
  });
}

std::string string_text(std::string_view text) {
  return json_text([&](JsonWriter& json) { json.text(text); });
}

// `structured` is a JSON object, or "" where there is none.
std::string tool_result(std::string_view text, std::string_view structured, bool is_error,
                        std::optional<int> exit_code) {
  std::string result =
      fmt::format(R"({{"content":[{{"type":"text","text":{}}}])", string_text(text));
  if (!structured.empty()) result += fmt::format(R"(,"structuredContent":{})", structured);
  result += fmt::format(R"(,"isError":{})", is_error);
  if (exit_code) result += fmt::format(R"(,"_meta":{{"proofline/exit-code":{}}})", *exit_code);
  return result + "}";
}

// Without the end of the line and our own name.
std::string_view said_text(std::string_view line) {
  constexpr std::string_view kName = "proofline: ";
  line = trim(line);
  if (line.starts_with(kName)) line.remove_prefix(kName.size());
  return line;
}

std::string failure_text(const CallEnd& end) {
  if (end.too_long) {
    return fmt::format(
        "the result is longer than {} bytes; choose less with kernel, launch or metrics",
        group_digits(kMostCallOutput));
  }
  const std::string_view said = trim(end.errors);
  return said.empty() ? "proofline " + end_text(end.end) : std::string(said);
}

}  // namespace

void McpSession::take(std::string_view line) {
  const RpcMessage message = parse_rpc(line);
  switch (message.kind) {
    case RpcMessage::Kind::kInvalid: return refuse(message.id, message.code, message.problem);
    case RpcMessage::Kind::kRequest: return request(message);
    case RpcMessage::Kind::kNotification: return notification(message);
    case RpcMessage::Kind::kResponse: return;  // to nothing: we ask nothing
  }
}

void McpSession::take_too_long() {
  refuse("", RpcError::kInvalidRequest, "the message is too long");
}

void McpSession::request(const RpcMessage& message) {
  const std::string& method = message.method;
  if (method == "ping") return answer(message.id, "{}");
  if (method == "initialize") return initialize(message);
  if (!initialized_) {
    return refuse(message.id, RpcError::kInvalidRequest, "the session begins with initialize");
  }
  // Everything is on the first page.
  if (method.ends_with("/list") && message.params != nullptr &&
      json_member(*message.params, "cursor") != nullptr) {
    return refuse(message.id, RpcError::kInvalidParams, "there is no such cursor");
  }
  if (method == "tools/list") {
    return answer(message.id, json_object([&](JsonWriter& json) {
                    json.array("tools", tools_,
                               [&](const Tool& tool) { write_tool_description(tool, json); });
                  }));
  }
  if (method == "resources/list") {
    return answer(message.id, json_object([&](JsonWriter& json) {
                    write_resources(mcp_resources(named_), json);
                  }));
  }
  if (method == "resources/templates/list") {
    return answer(message.id,
                  json_object([](JsonWriter& json) { write_resource_templates(json); }));
  }
  if (method == "tools/call") return call_tool(message);
  if (method == "resources/read") return read_resource(message);
  refuse(message.id, RpcError::kMethodNotFound, fmt::format("no method {}", quote(method)));
}

void McpSession::notification(const RpcMessage& message) {
  if (message.method != "notifications/cancelled" || message.params == nullptr) return;
  const rapidjson::Value* id = json_member(*message.params, "requestId");
  if (id != nullptr) cancel(rpc_key_text(*id));
}

void McpSession::initialize(const RpcMessage& message) {
  const auto wanted = text_member(message.params, "protocolVersion");
  if (!wanted) {
    return refuse(message.id, RpcError::kInvalidParams, "\"protocolVersion\" must be a string");
  }
  if (initialized_) {
    return refuse(message.id, RpcError::kInvalidRequest, "the session was initialized before");
  }
  initialized_ = true;
  const std::string_view* revision =
      std::find(std::begin(kRevisions), std::end(kRevisions), std::string_view(*wanted));
  if (revision == std::end(kRevisions)) revision = std::begin(kRevisions);
  answer(message.id, json_object([&](JsonWriter& json) {
           json.member("protocolVersion", *revision);
           json.key("capabilities");
           json.begin_object();
           for (const std::string_view capability : {"tools", "resources"}) {
             json.key(capability);
             json.begin_object();
             json.end_object();
           }
           json.end_object();
           json.key("serverInfo");
           json.begin_object();
           json.member("name", "proofline");
           json.member("title", "Proofline");
           json.member("version", kVersion);
           json.end_object();
           json.member("instructions", kInstructions);
         }));
}

void McpSession::call_tool(const RpcMessage& message) {
  const auto name = text_member(message.params, "name");
  if (!name) return refuse(message.id, RpcError::kInvalidParams, "\"name\" must be a string");
  const auto tool = std::find_if(tools_.begin(), tools_.end(),
                                 [&](const Tool& one) { return one.name == *name; });
  if (tool == tools_.end()) {
    return refuse(message.id, RpcError::kInvalidParams, fmt::format("no tool {}", quote(*name)));
  }
  auto command = tool_command(*tool, json_member(*message.params, "arguments"));
  if (!command) {
    return answer(message.id, tool_result(command.error().message, "", true, std::nullopt));
  }
  for (std::string& file : command->files) {
    if (named_.size() < kMostNamedPaths) named_.insert(std::move(file));
  }
  enqueue(message, {message.id, std::move(command->arguments), "", "", ""});
}

void McpSession::read_resource(const RpcMessage& message) {
  const auto uri = text_member(message.params, "uri");
  if (!uri) return refuse(message.id, RpcError::kInvalidParams, "\"uri\" must be a string");
  auto read = resource_read(*uri);
  if (!read) {
    return send_(rpc_error(message.id, RpcError::kResourceNotFound, "there is no such resource",
                           json_object([&](JsonWriter& json) { json.member("uri", *uri); })));
  }
  const bool at_hand = read->command.empty();
  Call call{message.id, std::move(read->command), "", *uri, std::move(read->media_type)};
  if (!at_hand) return enqueue(message, std::move(call));
  CallEnd end;
  end.output = std::move(read->text);
  finish_resource(call, end, false);
}

void McpSession::enqueue(const RpcMessage& message, Call call) {
  if (waiting_.size() >= kMostWaiting) {
    return refuse(message.id, RpcError::kInternal,
                  fmt::format("{} calls wait already; wait for their answers", kMostWaiting));
  }
  const auto same = [&](const Call& other) { return other.id == call.id; };
  if (call.id == running_ || std::any_of(waiting_.begin(), waiting_.end(), same)) {
    return refuse(message.id, RpcError::kInvalidRequest, "a request with this id is under way");
  }
  const rapidjson::Value* meta = json_member(*message.params, "_meta");
  const rapidjson::Value* token =
      meta != nullptr && meta->IsObject() ? json_member(*meta, "progressToken") : nullptr;
  if (token != nullptr) call.progress_token = rpc_key_text(*token);
  waiting_.push_back(std::move(call));
}

// A request that was cancelled gets no answer; one that is not there was answered before.
void McpSession::cancel(const std::string& id) {
  if (id.empty()) return;
  if (id == running_) cancelled_ = true;
  std::erase_if(waiting_, [&](const Call& call) { return call.id == id; });
}

void McpSession::report_progress(const Call& call, std::string_view what) {
  if (call.progress_token.empty() || cancelled_) return;
  send_(rpc_notification("notifications/progress",
                         fmt::format(R"({{"progressToken":{},"progress":{},"message":{}}})",
                                     call.progress_token, ++progress_, string_text(what))));
}

void McpSession::work(const std::function<bool()>& receive) {
  using Clock = std::chrono::steady_clock;
  const Call call = std::move(waiting_.front());
  waiting_.pop_front();
  running_ = call.id;
  cancelled_ = false;
  progress_ = 0;
  const auto started = Clock::now();
  auto heard = started;
  const auto tell = [&](std::string_view what) {
    if (progress_ > 0 && Clock::now() - heard < kBetweenProgress) return;
    heard = Clock::now();
    report_progress(call, what);
  };
  bool gone = false;
  const CallEvents events{[&](std::string_view line) { tell(said_text(line)); },
                          [&] {
                            gone = gone || !receive();
                            if (Clock::now() - heard >= kHeartbeat) {
                              const auto past = std::chrono::duration_cast<std::chrono::seconds>(
                                  Clock::now() - started);
                              tell(fmt::format("running for {} s", past.count()));
                            }
                            return !gone && !cancelled_;
                          }};
  const auto end = run_call(program_, call.arguments, events);
  running_.clear();
  if (!cancelled_ && !gone) finish(call, end);
}

void McpSession::finish(const Call& call, const Result<CallEnd>& result) {
  if (!result) {
    if (!call.uri.empty()) return refuse(call.id, RpcError::kInternal, result.error().message);
    return answer(call.id, tool_result(result.error().message, "", true, std::nullopt));
  }
  const CallEnd& end = *result;
  const bool ended = end.end.ending == Ending::kExited;
  if (!call.uri.empty()) {
    // Losses (4) are told in the text itself.
    const bool read = ended && (end.end.exit_code == 0 || end.end.exit_code == 4);
    return finish_resource(call, end, !read);
  }
  const rapidjson::Document output = parse_json_object(end.output);
  if (!ended || !output.IsObject()) {
    return answer(call.id, tool_result(failure_text(end), "", true,
                                       ended ? std::optional(end.end.exit_code) : std::nullopt));
  }
  const std::string_view json = trim(end.output);
  answer(call.id,
         tool_result(json, json, json_member(output, "error") != nullptr, end.end.exit_code));
}

void McpSession::finish_resource(const Call& call, const CallEnd& end, bool failed) {
  if (failed) {
    return send_(rpc_error(call.id, RpcError::kResourceNotFound, said_text(failure_text(end)),
                           json_object([&](JsonWriter& json) { json.member("uri", call.uri); })));
  }
  answer(call.id, json_object([&](JsonWriter& json) {
           json.key("contents");
           json.begin_array();
           json.begin_object();
           json.member("uri", call.uri);
           json.member("mimeType", call.media_type);
           json.member("text", end.output);
           json.end_object();
           json.end_array();
         }));
}

}  // namespace proofline
