// SPDX-License-Identifier: Apache-2.0
//
// What `proofline mcp` makes of lines and of a client's arguments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/split_command.h"
#include "workflow/mcp/json_rpc.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline::mcp_test {
namespace {

using Words = std::vector<std::string>;

using Type = ToolInput::Type;

// Inputs of every kind. What the commands themselves offer, tests/cli/mcp_test.py looks at.
Tool tool() {
  return {.name = "look",
          .title = "Look",
          .what = "Look at files.",
          .inputs = {{.name = "text", .help = "A text", .required = true},
                     {.name = "files", .help = "Files", .list = true, .file = true},
                     {.name = "command", .type = Type::kCommand, .help = "A program"},
                     {.name = "a", .type = Type::kCommand, .flag = "--a", .help = "Another one"},
                     {.name = "kernel", .flag = "--kernel", .help = "A name"},
                     {.name = "launch",
                      .type = Type::kInteger,
                      .flag = "--launch",
                      .help = "Numbers",
                      .list = true},
                     {.name = "limit", .type = Type::kNumber, .flag = "--limit", .help = "Seconds"},
                     {.name = "by", .flag = "--by", .help = "How", .choices = {"cupti", "wall"}},
                     {.name = "facts", .type = Type::kSwitch, .flag = "--facts", .help = "All"},
                     {.name = "brief",
                      .type = Type::kSwitch,
                      .flag = "--brief",
                      .help = "Little",
                      .on = true,
                      .unless = {"facts"}}},
          .always = {"--format=json"}};
}

Words arguments_of(const char* json) {
  rapidjson::Document given;
  given.Parse(json);
  const auto command = tool_command(tool(), &given);
  return command ? command->arguments : Words{command.error().message};
}

TEST(McpTools, MakesACommandLine) {
  EXPECT_EQ(arguments_of(R"({"text":"-t","files":["-a","b"],"kernel":"--x","launch":[3,4]})"),
            (Words{"look", "--format=json", "--kernel=--x", "--launch=3", "--launch=4", "--brief",
                   "--", "-t", "-a", "b"}));
  EXPECT_EQ(arguments_of(R"({"text":"t","command":["./b","-n"],"a":["./a"],"brief":false})"),
            (Words{"look", "--format=json", "--a='./a'", "--", "t", "./b", "-n"}));
  EXPECT_EQ(arguments_of(R"({"text":"t","limit":0.5,"by":"wall","facts":true,"kernel":null})"),
            (Words{"look", "--format=json", "--limit=0.5", "--by=wall", "--facts", "--", "t"}));
}

TEST(McpTools, KnowsTheFilesAmongTheArguments) {
  rapidjson::Document given;
  given.Parse(R"({"text":"t","files":["a","b"]})");
  EXPECT_EQ(tool_command(tool(), &given)->files, (Words{"a", "b"}));
}

TEST(McpTools, CommandsSurviveTheirQuotes) {
  const Words words = arguments_of(R"({"text":"t","a":["it's","$x|y*","","\"\\"]})");
  const std::string flag = "--a=";
  ASSERT_TRUE(words[2].starts_with(flag));
  EXPECT_EQ(split_command(words[2].substr(flag.size())).value(),
            (Words{"it's", "$x|y*", "", "\"\\"}));
}

TEST(McpTools, SaysWhatIsWrong) {
  EXPECT_EQ(arguments_of("{}"), Words{"\"text\" is missing"});
  EXPECT_EQ(arguments_of("[]"), Words{"\"arguments\" must be an object"});
  EXPECT_EQ(arguments_of(R"({"text":"t","command":[]})"),
            Words{"\"command\" must be a list that is not empty"});
  EXPECT_EQ(arguments_of(R"({"text":"t","files":"a"})"),
            Words{"\"files\" must be a list of strings"});
  EXPECT_EQ(arguments_of(R"({"text":"t","by":"x"})"), Words{"\"by\" must be one of cupti, wall"});
  EXPECT_EQ(arguments_of(R"({"text":"t","launch":[-1]})"),
            Words{"\"launch\" must be a whole number, not below zero"});
  EXPECT_EQ(arguments_of(R"({"text":"t","limit":-1})"),
            Words{"\"limit\" must be a number, not below zero"});
  EXPECT_EQ(arguments_of(R"({"text":"t","kernal":"x"})"),
            Words{"\"kernal\" is no argument of look (did you mean kernel?); it takes text, files, "
                  "command, a, kernel, launch, limit, by, facts, brief"});
}

TEST(McpTools, DescribesItsInputs) {
  Tool one = tool();
  one.inputs = {one.inputs[1], one.inputs[7], one.inputs[9]};
  const std::string text = json_text([&](JsonWriter& json) { write_tool_description(one, json); });
  EXPECT_EQ(text, R"({"name":"look","title":"Look","description":"Look at files.","inputSchema":)"
                  R"({"type":"object","properties":{)"
                  R"("files":{"type":"array","items":{"type":"string"},"description":"Files"},)"
                  R"("by":{"type":"string","enum":["cupti","wall"],"description":"How"},)"
                  R"("brief":{"type":"boolean","default":true,"description":"Little"}},)"
                  R"("required":[],"additionalProperties":false},)"
                  R"("annotations":{"title":"Look","readOnlyHint":true,"openWorldHint":false}})");
}

TEST(McpLines, AreSplit) {
  LineSplitter splitter(4);
  Words lines;
  int long_ones = 0;
  const auto feed = [&](std::string_view piece) {
    splitter.feed(
        piece, [&](std::string_view line) { lines.emplace_back(line); }, [&] { ++long_ones; });
  };
  feed("ab");
  feed("c\n\n\r\nab");
  EXPECT_EQ(lines, (Words{"abc"}));
  feed("cd\nabc");
  feed("de");
  feed("fghi\nxy\r\n");
  EXPECT_EQ(lines, (Words{"abc", "abcd", "xy"}));
  EXPECT_EQ(long_ones, 1);
}

TEST(McpMessages, AreTold) {
  EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":"a","method":"m"})").kind,
            RpcMessage::Kind::kRequest);
  EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":"a","method":"m"})").id, "\"a\"");
  EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","method":"m"})").kind, RpcMessage::Kind::kNotification);
  EXPECT_EQ(parse_rpc(R"({"jsonrpc":"2.0","id":1,"result":{}})").kind, RpcMessage::Kind::kResponse);
  const RpcMessage bad = parse_rpc(R"({"jsonrpc":"2.0","id":1,"method":"m","params":1})");
  EXPECT_EQ(bad.code, RpcError::kInvalidParams);
  EXPECT_EQ(bad.id, "1");
  EXPECT_EQ(rpc_error("", RpcError::kParse, "x"),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}})");
}

}  // namespace
}  // namespace proofline::mcp_test
