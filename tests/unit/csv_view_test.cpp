// SPDX-License-Identifier: Apache-2.0
//
// The CSV view: tables and nothing else.

#include <gtest/gtest.h>

#include <string>

#include "views/view.h"

namespace proofline {
View csv();
}  // namespace proofline

namespace proofline::csv_view_test {
namespace {

std::string rendered(const Document& document) {
  Presentation presentation;
  presentation.document = [&document] { return document; };
  std::string text;
  Output output(text);
  csv().render(presentation, {}, output);
  return text;
}

TEST(CsvView, QuotesEveryField) {
  Table table;
  table.columns = {{"ID"}, {"Kernel Name", Align::kLeft, true}, {"dram \"x\"", Align::kRight}};
  table.rows = {{{"0", true}, {"copy(float4 *, int)"}, {"-1.5", true}},
                {{"1", true}, {"=cmd()"}, {"1e+06", true}}};
  EXPECT_EQ(rendered({{table}}),
            "\"ID\",\"Kernel Name\",\"dram \"\"x\"\"\"\n"
            "\"0\",\"copy(float4 *, int)\",\"-1.5\"\n"
            "\"1\",\"'=cmd()\",\"1e+06\"\n");
}

TEST(CsvView, PrintsTablesOnly) {
  Table table;
  table.columns = {{"a"}};
  table.rows = {{{"x"}}};
  const Document document{{Heading{"title"}, Callout{true, "lost"}, table, Paragraph{"words"},
                           Properties{{{"name", "value"}}}, table}};
  EXPECT_EQ(rendered(document), "\"a\"\n\"x\"\n\n\"a\"\n\"x\"\n");
  EXPECT_EQ(rendered({}), "");
}

TEST(CsvView, TakesTheRowsThatAResultDeclares) {
  Table table;
  table.columns = {{"a"}};
  Presentation presentation;
  presentation.document = [&] { return Document{{table, table}}; };
  presentation.rows = [&] { return Document{{table}}; };
  presentation.headline = "KEEP";
  presentation.notes = {{NoteKind::kLoss, "here", "lost", 1}};
  std::string text;
  Output output(text);
  csv().render(presentation, {}, output);
  output.flush();
  EXPECT_EQ(text, "\"a\"\n") << "a headline and notes have no place";
  EXPECT_EQ(csv().form, Form::kRows) << "so that they are said elsewhere";
}

TEST(CsvView, BarsAreRows) {
  const Document document{{Bars{{{"Share of peak", {{"dram", 0.8612345, "86.1 %", 0.8}}, "words"},
                                 {"Waits", {{"=barrier", 0.0, "0 %", {}}}, ""}}}}};
  EXPECT_EQ(rendered(document),
            "\"Share of peak\",\"Share\"\n\"dram\",\"0.861235\"\n"
            "\n\"Waits\",\"Share\"\n\"'=barrier\",\"0\"\n");
}

TEST(CsvView, DoesNotShorten) {
  const std::string name(100'000, 'x');
  Table table;
  table.columns = {{"a", Align::kLeft, true}};
  table.rows = {{{name}}};
  EXPECT_EQ(rendered({{table}}), "\"a\"\n\"" + name + "\"\n");
}

}  // namespace
}  // namespace proofline::csv_view_test
