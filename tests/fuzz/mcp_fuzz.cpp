// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of what `proofline mcp` reads. Whatever the bytes are, each line becomes a
// message that can be answered in one line of JSON, and arguments a command line in which nothing
// of a client's is taken for a flag.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json_object.h"
#include "promise.h"
#include "workflow/mcp/json_rpc.h"
#include "workflow/mcp/mcp_tools.h"

namespace {

using namespace proofline;

void check_answer(std::string_view line) {
  require(line.find('\n') == std::string_view::npos, "an answer is one line");
  require(parse_json_object(line).IsObject(), "an answer is JSON");
}

// Inputs of every kind, under the names that the seeds have.
const Tool& fuzzed_tool() {
  using Type = ToolInput::Type;
  static const Tool kTool = {
      .name = "tool",
      .inputs = {{.name = "files", .list = true, .file = true},
                 {.name = "command", .type = Type::kCommand},
                 {.name = "a", .type = Type::kCommand, .flag = "--a"},
                 {.name = "kernel", .flag = "--kernel"},
                 {.name = "launch", .type = Type::kInteger, .flag = "--launch", .list = true},
                 {.name = "time_limit", .type = Type::kNumber, .flag = "--time-limit"},
                 {.name = "time_by", .flag = "--time-by", .choices = {"cupti", "wall"}},
                 {.name = "facts", .type = Type::kSwitch, .flag = "--facts"},
                 {.name = "brief",
                  .type = Type::kSwitch,
                  .flag = "--brief",
                  .on = true,
                  .unless = {"facts"}}}};
  return kTool;
}

void check_message(std::string_view line) {
  const RpcMessage message = parse_rpc(line);
  if (message.kind == RpcMessage::Kind::kInvalid) {
    require(!message.problem.empty(), "what is wrong is told");
    return check_answer(rpc_error(message.id, message.code, message.problem));
  }
  if (message.kind != RpcMessage::Kind::kRequest) return;
  require(!message.id.empty(), "a request has an id");
  check_answer(rpc_result(message.id, "{}"));
  const Tool& tool = fuzzed_tool();
  const auto command = tool_command(tool, message.params);
  if (!command) {
    return check_answer(rpc_error(message.id, RpcError::kInvalidParams, command.error().message));
  }
  require(command->arguments.front() == tool.name, "the command is the tool's");
  for (const std::string& word : command->arguments) {
    require(word.find('\0') == std::string::npos, "no argument ends early");
    if (word == "--") break;  // no flag follows it
    require(word == tool.name || word.starts_with("--"), "a value is not taken for a flag");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostBytes = 1024;
  LineSplitter splitter(kMostBytes);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto take = [](std::string_view line) {
    require(!line.empty() && line.size() <= kMostBytes, "lines are bounded");
    check_message(line);
  };
  const std::size_t half = size / 2;  // lines go on over pieces
  splitter.feed(text.substr(0, half), take, [] {});
  splitter.feed(text.substr(half), take, [] {});
  return 0;
}
