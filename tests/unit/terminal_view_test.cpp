// SPDX-License-Identifier: Apache-2.0
//
// The terminal view: layout, shortening, wrapping, and strangers' text made harmless.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "views/view.h"

namespace proofline {

View terminal();

namespace {

std::string rendered(const Document& document, const ViewOptions& options = {}) {
  Presentation presentation;
  presentation.document = [&document] { return document; };
  std::string text;
  Output output(text);
  terminal().render(presentation, options, output);
  return text;
}

Table kernels(std::vector<std::string> names) {
  Table table;
  table.columns = {
      {"ID", Align::kRight}, {"Kernel", Align::kLeft, true}, {"Time", Align::kRight}, {"Limiter"}};
  for (std::size_t i = 0; i < names.size(); ++i)
    table.rows.push_back(
        {{std::to_string(i), true}, {names[i]}, {std::to_string(1000 * i) + ".5", true}, {""}});
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(TerminalView, IsFoundByName) {
  ASSERT_NE(find_view("terminal"), nullptr);
  EXPECT_EQ(find_view("terminal")->name, "terminal");
  EXPECT_EQ(find_view("no such view"), nullptr);
}

TEST(TerminalView, LaysOutADocument) {
  const Document document{{Heading{"Kernels"}, kernels({"copy", "gemm<128>"}),
                           Properties{{{"Device", "NVIDIA H200"}, {"OS", "Linux"}}},
                           Callout{false, "clocks were not locked"}, Callout{true, "1 launch lost"},
                           Paragraph{"The end."}}};
  EXPECT_EQ(rendered(document),
            "Kernels\n"
            "\n"
            "ID  Kernel       Time  Limiter\n"
            "--  ---------  ------  -------\n"
            " 0  copy          0.5\n"
            " 1  gemm<128>  1000.5\n"
            "\n"
            "Device  NVIDIA H200\n"
            "OS      Linux\n"
            "\n"
            "note: clocks were not locked\n"
            "loss: 1 launch lost\n"
            "\n"
            "The end.\n");
}

TEST(TerminalView, ColoursOnRequest) {
  const Document document{{Heading{"Title"}, Callout{false, "text"}}};
  EXPECT_EQ(rendered(document, {80, true}), "\x1b[1mTitle\x1b[0m\n\n\x1b[33mnote: \x1b[0mtext\n");
}

TEST(TerminalView, ShortensElasticColumnsToFit) {
  const Document document{{kernels({"void cutlass::Kernel<float, 128, 64>(Params)", "copy"})}};
  EXPECT_EQ(rendered(document, {44, false}),
            "ID  Kernel                     Time  Limiter\n"
            "--  -----------------------  ------  -------\n"
            " 0  void cutla...4>(Params)     0.5\n"
            " 1  copy                     1000.5\n");
  EXPECT_EQ(rendered(document).find("..."), std::string::npos);
}

TEST(TerminalView, TellsNamesApartThatLookTheSame) {
  const std::string start(30, 'a');
  const std::string end(30, 'z');
  const Document document{{kernels({start + "1" + end, start + "2" + end, start + "1" + end})}};
  const std::string text = rendered(document, {60, false});
  EXPECT_NE(text.find("#" + short_hash(start + "1" + end)), std::string::npos) << text;
  EXPECT_NE(text.find("#" + short_hash(start + "2" + end)), std::string::npos) << text;
  EXPECT_EQ(widest_line(text), 60U) << text;
}

TEST(TerminalView, KeepsEighteenColumnsOfAName) {
  const std::string half(50, 'a');
  const Document document{{kernels({half + "b" + half, half + "c" + half})}};
  EXPECT_EQ(rendered(document, {1, false}),
            "ID  Kernel                Time  Limiter\n"
            "--  ------------------  ------  -------\n"
            " 0  aaa...aaa#" +
                short_hash(half + "b" + half) + "     0.5\n" + " 1  aaa...aaa#" +
                short_hash(half + "c" + half) + "  1000.5\n");
}

TEST(TerminalView, AlignsWideCharacters) {
  Table table;
  table.columns = {{"Name"}, {"n", Align::kRight}};
  table.rows = {{{"\u6838\u5fc3\u51fd"}, {"1", true}}, {{"core"}, {"2", true}}};
  EXPECT_EQ(rendered({{table}}),
            "Name    n\n"
            "------  -\n"
            "\u6838\u5fc3\u51fd  1\n"
            "core    2\n");
}

TEST(TerminalView, WrapsProseAtSpaces) {
  const Document document{{Paragraph{"one two three four-and-a-very-long-word five"},
                           Callout{true, "alpha beta gamma delta"}}};
  EXPECT_EQ(rendered(document, {13, false}),
            "one two three\n"
            "four-and-a-very-long-word\n"
            "five\n"
            "\n"
            "loss: alpha\n"
            "      beta\n"
            "      gamma\n"
            "      delta\n");
  EXPECT_EQ(rendered(document),
            "one two three four-and-a-very-long-word five\n"
            "\n"
            "loss: alpha beta gamma delta\n");
}

TEST(TerminalView, ProseStaysReadableOnAWideTerminal) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word ";
  const std::string text = rendered({{Paragraph{words}}}, {300, false});
  EXPECT_LE(widest_line(text), 100U);
  EXPECT_EQ(text.find(" \n"), std::string::npos);
}

TEST(TerminalView, EscapesStrangersText) {
  const std::string evil = "\x1b]52;c;x\x07\n\u202e";
  const std::string shown = "\\x1b]52;c;x\\x07\\n\\u202e";
  Table table;
  table.columns = {{evil}};
  table.rows = {{{evil}}};
  const Document document{
      {Heading{evil}, Paragraph{evil}, table, Properties{{{evil, evil}}}, Callout{false, evil}}};
  EXPECT_EQ(rendered(document), shown + "\n\n" + shown + "\n\n" + shown + "\n" +
                                    std::string(shown.size(), '-') + "\n" + shown + "\n\n" + shown +
                                    "  " + shown + "\n\nnote: " + shown + "\n");
}

TEST(TerminalView, OneLongCellDoesNotPadTheOthers) {
  std::vector<std::string> names(1000, "short");
  names[0] = std::string(1'000'000, 'x');
  EXPECT_LT(rendered({{kernels(names)}}).size(), 1'300'000U);
  EXPECT_EQ(widest_line(rendered({{kernels(names)}}, {80, false})), 80U);
}

TEST(TerminalView, EmptyBlocksAreFine) {
  EXPECT_EQ(rendered({}), "");
  EXPECT_EQ(rendered({{Table{}}}), "");
  EXPECT_EQ(rendered({{Paragraph{""}}}), "\n");
  EXPECT_EQ(rendered({{kernels({})}}), "ID  Kernel  Time  Limiter\n--  ------  ----  -------\n");
}

TEST(TerminalView, RaggedTableIsOurBug) {
  Table table;
  table.columns = {{"a"}, {"b"}};
  table.rows = {{{"x"}}};
  EXPECT_THROW(rendered({{table}}), CheckFailed);
}

}  // namespace
}  // namespace proofline
