// SPDX-License-Identifier: Apache-2.0
//
// The Markdown view: GitHub's structure for ours, and none for a stranger's text.

#include <gtest/gtest.h>

#include <string>

#include "views/view.h"

namespace proofline {
View markdown();
}  // namespace proofline

namespace proofline::markdown_view_test {
namespace {

std::string rendered(const Document& document) {
  Presentation presentation;
  presentation.document = [&document] { return document; };
  std::string text;
  Output output(text);
  markdown().render(presentation, {}, output);
  return text;
}

std::string paragraph(const std::string& text) { return rendered({{Paragraph{text}}}); }

TEST(MarkdownView, LaysOutADocument) {
  Table table;
  table.columns = {{"Kernel", Align::kLeft, true}, {"Time", Align::kRight}};
  table.rows = {{{"copy"}, {"12.5", true}}};
  const Document document{{Heading{"Kernels"}, table, Properties{{{"Device", "NVIDIA H200"}}},
                           Callout{false, "clocks were not locked"}, Callout{true, "1 launch lost"},
                           Paragraph{"The end."}}};
  EXPECT_EQ(rendered(document),
            "## Kernels\n"
            "\n"
            "| Kernel | Time |\n"
            "|:--|--:|\n"
            "| copy | 12.5 |\n"
            "\n"
            "- Device: NVIDIA H200\n"
            "\n"
            "> **note:** clocks were not locked\n"
            "\n"
            "> **loss:** 1 launch lost\n"
            "\n"
            "The end.\n");
}

TEST(MarkdownView, PointsAreAListBelowAVerdict) {
  const Document document{
      {Points{{{"", "Bound by DRAM.", "", {{"", "grid 8"}}}}},
       Points{{{"1.", "uncoalesced-global", "high", {{"", "It is so."}, {"next", "do"}}},
               {"2.", "tail-effect", "", {}}}}}};
  EXPECT_EQ(rendered(document),
            "**Bound by DRAM.**\n"
            "\n"
            "grid 8\n"
            "\n"
            "1. **uncoalesced-global** (high)\n"
            "   - It is so.\n"
            "   - next: do\n"
            "2. **tail-effect**\n");
}

TEST(MarkdownView, BarsAreTables) {
  const Document document{
      {Bars{{{"Share of peak", {{"dram", 0.5, "50 %", 0.8}, {"l2", 0.0, "0 %", {}}}, "More."},
             {"Waits", {{"barrier", 7, "700 %", {}}}, ""}}}}};
  const auto blocks = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "\u2588";
    return text;
  };
  EXPECT_EQ(rendered(document), "| Share of peak | | |\n|:--|--:|:--|\n| dram | 50 % | " +
                                    blocks(10) +
                                    " (threshold 80 %) |\n| l2 | 0 % |  |\n\nMore.\n"
                                    "\n| Waits | | |\n|:--|--:|:--|\n| barrier | 700 % | " +
                                    blocks(20) + " |\n");
}

TEST(MarkdownView, NamesStayReadable) {
  EXPECT_EQ(paragraph("smsp__average_warps of my_kernel at kernel.cu:42, 1.5 ms (-3 %)"),
            "smsp__average_warps of my_kernel at kernel.cu:42, 1.5 ms (-3 %)\n");
  EXPECT_EQ(paragraph("at::native::reduce_kernel(int)"), "at::native::reduce_kernel(int)\n");
}

TEST(MarkdownView, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(paragraph("a|b `c` *d* [e](f) <g> ~h~ &amp; $i$ \\"),
            "a\\|b \\`c\\` \\*d\\* \\[e\\](f) \\<g\\> \\~h\\~ \\&amp; \\$i\\$ \\\\\n");
  EXPECT_EQ(paragraph("__global__ f_"), "\\_\\_global\\_\\_ f\\_\n");
  EXPECT_EQ(paragraph("a\nb\x1b[31m"), "a\\\\nb\\\\x1b\\[31m\n");
  EXPECT_EQ(paragraph("see https://evil and www.evil"), "see https\\://evil and www\\.evil\n");
  EXPECT_EQ(paragraph("ask @owner"), "ask @<!-- -->owner\n");
}

TEST(MarkdownView, NothingStartsALineThatMeansMore) {
  EXPECT_EQ(paragraph("# title #"), "\\# title \\#\n");
  EXPECT_EQ(paragraph("- item"), "\\- item\n");
  EXPECT_EQ(paragraph("1. item"), "1\\. item\n");
  EXPECT_EQ(paragraph("12) item"), "12\\) item\n");
  EXPECT_EQ(paragraph("==="), "\\===\n");
  EXPECT_EQ(paragraph("    code"), "code\n");
  EXPECT_EQ(paragraph("  ::error file=a::b"), "\\::error file=a::b\n");
}

// Whatever the text, a table has its rows and a document its lines.
TEST(MarkdownView, StrangersTextKeepsTheShape) {
  const std::string evil = "x|\n| y |\r\n::warning::z\n```\n<script>";
  Table table;
  table.columns = {{evil}, {"b"}};
  table.rows = {{{evil}, {evil}}};
  const Document document{{Heading{evil}, table, Properties{{{evil, evil}}}, Callout{true, evil},
                           Points{{{"1.", evil, evil, {{evil, evil}}}}},
                           Bars{{{evil, {{evil, 0.5, evil, {}}}, evil}}}}};
  const std::string text = rendered(document);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 18) << text;
  EXPECT_EQ(text.find("\n::"), std::string::npos);
  EXPECT_EQ(text.find("\n```"), std::string::npos);
  EXPECT_EQ(text.find("<script"), text.find("\\<script") + 1);
}

}  // namespace
}  // namespace proofline::markdown_view_test
