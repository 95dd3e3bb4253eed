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
}  // namespace proofline

namespace proofline::terminal_view_test {
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
  EXPECT_NE(text.find("aaa...1...zzz"), std::string::npos) << text;
  EXPECT_NE(text.find("aaa...2...zzz"), std::string::npos) << text;
  EXPECT_EQ(text.find('#'), std::string::npos) << text;
  EXPECT_EQ(widest_line(text), 60U) << text;
}

// What differs is too long to be shown: only a hash is left.
TEST(TerminalView, AHashTellsNamesApartThatDifferTooMuch) {
  const std::string b = std::string(15, 'x') + std::string(50, 'b') + std::string(15, 'z');
  const std::string c = std::string(15, 'x') + std::string(50, 'c') + std::string(15, 'z');
  const std::string text = rendered({{kernels({b, c})}}, {46, false});
  EXPECT_NE(text.find("#" + short_hash(b)), std::string::npos) << text;
  EXPECT_NE(text.find("#" + short_hash(c)), std::string::npos) << text;
  EXPECT_EQ(widest_line(text), 46U) << text;
}

// Nothing is left to shorten: the columns that do not fit go on below, each with the first one.
TEST(TerminalView, ATableGoesOnBelowItself) {
  Table table;
  table.columns = {{"#", Align::kRight}, {"Time", Align::kRight}, {"Share", Align::kRight}};
  table.rows = {{{"0", true}, {"12.35 us", true}, {"99.5 %"}},
                {{"1", true}, {"1 us", true}, {"-"}}};
  EXPECT_EQ(rendered({{table}}, {16, false}),
            "#      Time\n"
            "-  --------\n"
            "0  12.35 us\n"
            "1      1 us\n"
            "\n"
            "#   Share\n"
            "-  ------\n"
            "0  99.5 %\n"
            "1       -\n");
}

TEST(TerminalView, AToneHasASignBesideItsColour) {
  Point point{"", "KEEP: it is faster", "", {}};
  point.tone = Tone::kGood;
  const Document document{{Points{{point}}, Properties{{{"FAIL", "no"}}, {Tone::kBad}}}};
  EXPECT_EQ(rendered(document), "KEEP: it is faster\n\nFAIL  no\n");
  EXPECT_EQ(rendered(document, {80, true}),
            "\x1b[32m+ KEEP: it is faster\x1b[0m\n\n\x1b[31mx FAIL\x1b[0m  no\n");
  EXPECT_EQ(rendered(document, {80, false, true}),
            "\u2713 KEEP: it is faster\n\n\u2717 FAIL  no\n");
}

TEST(TerminalView, DrawsBarsInUnicode) {
  const Document document{{Bars{{{"Share", {{"dram", 0.5, "50 %", 0.8}}, ""}}}}};
  const std::string text = rendered(document, {30, false, true});
  EXPECT_NE(text.find("\u2588\u2588"), std::string::npos) << text;
  EXPECT_NE(text.find("\u2591"), std::string::npos) << text;
  EXPECT_EQ(text.find('#'), std::string::npos) << text;
}

TEST(TerminalView, ValuesOfPropertiesWrap) {
  const Document document{{Properties{
      {{"name", "one two three four five six seven eight"}, {"path", std::string(60, 'p')}}}}};
  EXPECT_EQ(widest_line(rendered(document, {40, false})), 40U);
  EXPECT_EQ(widest_line(rendered(document)), 66U);
}

TEST(TerminalView, LeavesOutDispensableColumns) {
  Table table;
  table.columns = {{"Kernel"},
                   {"Launches", Align::kRight, false, true},
                   {"Time", Align::kRight},
                   {"Share", Align::kRight, false, true}};
  table.rows = {{{"copy"}, {"1", true}, {"12.5", true}, {"99 %"}}};
  EXPECT_EQ(widest_line(rendered({{table}}, {29, false})), 29U);
  EXPECT_EQ(rendered({{table}}, {28, false}),
            "Kernel  Launches  Time\n"
            "------  --------  ----\n"
            "copy           1  12.5\n");
  EXPECT_EQ(rendered({{table}}, {10, false}),
            "Kernel  Time\n"
            "------  ----\n"
            "copy    12.5\n");
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
            "four-and-a-ve\n"
            "ry-long-word\n"
            "five\n"
            "\n"
            "loss: alpha\n"
            "      beta\n"
            "      gamma\n"
            "      delta\n");
  EXPECT_EQ(rendered({{Paragraph{"about 12.5 % of it"}}}, {9, false}), "about\n12.5 % of\nit\n");
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

Document findings() {
  return {{Heading{"kernel 0"}, Points{{{"", "Bound by DRAM.", "", {{"", "grid 8"}}}}},
           Points{{{"1.", "tail-effect", "high", {{"", "The last wave."}, {"next", "more blocks"}}},
                   {"10.", "small-grid", "", {}}}}}};
}

TEST(TerminalView, PointsStandOut) {
  EXPECT_EQ(rendered(findings()),
            "kernel 0\n"
            "Bound by DRAM.\n"
            "grid 8\n"
            "\n"
            "1. tail-effect  high\n"
            "   The last wave.\n"
            "   next: more blocks\n"
            "10. small-grid\n");
  EXPECT_NE(rendered(findings(), {100, true}).find("1. \x1b[1mtail-effect\x1b[0m  high\n"),
            std::string::npos);
}

TEST(TerminalView, PointsWrapBelowTheirText) {
  const Document document{
      {Points{{{"1.", "one two three", "four", {{"next", "alpha beta gamma delta"}}}}}}};
  EXPECT_EQ(rendered(document, {16, false}),
            "1. one two three\n"
            "   four\n"
            "   next: alpha\n"
            "         beta\n"
            "         gamma\n"
            "         delta\n");
  EXPECT_EQ(rendered(document, {12, true}),
            "1. \x1b[1mone two\x1b[0m\n"
            "   \x1b[1mthree\x1b[0m\n"
            "   four\n"
            "   next: alpha\n"
            "         beta\n"
            "         gamma\n"
            "         delta\n");
}

Bars two_groups() {
  return {{{"Share of peak",
            {{"dram", 0.861, "86.1 %", 0.8}, {"l2", 0.42, "42 %", {}}, {"issue", 0, "0 %", {}}},
            ""},
           {"Warps wait for", {{"long_scoreboard", 0.63, "63 %", {}}}, "Memory 71 %."}}};
}

TEST(TerminalView, BarsStandSideBySide) {
  EXPECT_EQ(rendered({{two_groups()}}, {80, false}),
            "Share of peak (| = threshold)        Warps wait for\n"
            "dram   ################|...  86.1 %  long_scoreboard  #############.......  63 %\n"
            "l2     ########............    42 %\n"
            "issue  ....................     0 %\n"
            "Memory 71 %.\n");
}

TEST(TerminalView, BarsStackWhereThereIsNoRoom) {
  EXPECT_EQ(rendered({{two_groups()}}, {40, false}),
            "Share of peak (| = threshold)\n"
            "dram   ###################|#...  86.1 %\n"
            "l2     ##########..............    42 %\n"
            "issue  ........................     0 %\n"
            "Warps wait for\n"
            "long_scoreboard  ###########......  63 %\n"
            "Memory 71 %.\n");
}

TEST(TerminalView, BarsBeyondTheScaleAreFullOrEmpty) {
  const Bars bars{{{"x", {{"a", 1.61, "161 %", 2.0}, {"b", -1, "?", -3.0}}, ""}}};
  EXPECT_EQ(rendered({{bars}}, {20, false}),
            "x (| = threshold)\n"
            "a  #########|  161 %\n"
            "b  |.........      ?\n");
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
  const Document more{{Points{{{"1.", evil, evil, {{evil, evil}}}}},
                       Bars{{{evil, {{evil, 0.5, evil, {}}}, evil}}}}};
  const std::string text = rendered(more);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
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
}  // namespace proofline::terminal_view_test
