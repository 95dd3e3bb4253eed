// SPDX-License-Identifier: Apache-2.0
//
// What `proofline mcp` makes of lines and of a client's arguments.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/split_command.h"
#include "workflow/mcp/json_rpc.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline::mcp_test {
namespace {

using Words = std::vector<std::string>;

Words arguments_of(std::string_view tool, const char* json) {
  rapidjson::Document given;
  given.Parse(json);
  const auto command = tool_command(*find_mcp_tool(tool), &given);
  return command ? command->arguments : Words{command.error().message};
}

TEST(McpTools, MakesACommandLine) {
  EXPECT_EQ(arguments_of("diagnose", R"({"files":["-a","b"],"kernel":"--x","launch":[3,4]})"),
            (Words{"diagnose", "--format=json", "--kernel=--x", "--launch=3", "--launch=4",
                   "--brief", "--", "-a", "b"}));
  EXPECT_EQ(arguments_of("diagnose", R"({"files":["a"],"detail":"full"})"),
            (Words{"diagnose", "--format=json", "--", "a"}));
  EXPECT_EQ(arguments_of("show", R"({"file":"a","metrics":["x*","y"],"all":true,"session":false})"),
            (Words{"show", "--format=json", "--metrics=x*,y", "--all", "--", "a"}));
  EXPECT_EQ(arguments_of("try", R"({"hypothesis":"-h","command":["./b","-n"],"a":["./a"]})"),
            (Words{"try", "--format=json", "--a='./a'", "--", "-h", "./b", "-n"}));
}

TEST(McpTools, NoDisassemblerRuns) {
  EXPECT_EQ(arguments_of("sass", R"({"file":"a"})"),
            (Words{"sass", "--format=json", "--disassembler=native", "--", "a"}));
}

TEST(McpTools, CommandsSurviveTheirQuotes) {
  const Words words = arguments_of("bench", R"({"a":["it's","$x|y*","","\"\\"],"b":["c"]})");
  const std::string flag = "--a=";
  ASSERT_TRUE(words[2].starts_with(flag));
  EXPECT_EQ(split_command(words[2].substr(flag.size())).value(),
            (Words{"it's", "$x|y*", "", "\"\\"}));
}

TEST(McpTools, SaysWhatIsWrong) {
  EXPECT_EQ(arguments_of("diagnose", "{}"), Words{"\"files\" is missing"});
  EXPECT_EQ(arguments_of("diagnose", R"({"files":[]})"),
            Words{"\"files\" must be a list that is not empty"});
  EXPECT_EQ(arguments_of("diagnose", R"({"files":["a"],"detail":"x"})"),
            Words{"\"detail\" must be one of brief, full, facts"});
  EXPECT_EQ(arguments_of("explain", R"({"nam":"x"})"),
            Words{"\"nam\" is no argument of explain (did you mean name?); it takes name"});
  EXPECT_EQ(arguments_of("explain", "[]"), Words{"\"arguments\" must be an object"});
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
