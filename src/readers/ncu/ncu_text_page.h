// SPDX-License-Identifier: Apache-2.0
//
// Walks over what ncu printed and reports what it finds, in order: processes, kernels, values and
// rule texts. It understands the details page, the raw page and summaries of all versions, whole or
// as pasted; everything else between them is skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "readers/ncu/ncu_printed.h"
#include "readers/ncu/ncu_text_lines.h"

namespace proofline {

class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void process(const ProcessLine& line) = 0;
  virtual void kernel(const KernelLine& line) = 0;
  virtual void metric(const PrintedMetric& metric) = 0;
  virtual bool wants_rules() const = 0;
  // `text` is without line ends.
  virtual void rule(std::string_view section, std::string_view code, std::string_view text) = 0;
  virtual void note(NoteKind kind, std::uint64_t line, std::string_view what) = 0;
};

class TextPage {
 public:
  TextPage(std::string_view text, TextSink& sink) : text_(text), sink_(sink) {}

  void read();
  std::uint64_t used_bytes() const { return used_; }

 private:
  enum class Table {
    kNone,
    kTitle,   // of the raw page, where the title comes before the only rule
    kOpened,  // after a rule
    kTitled,  // after a rule and a title
    kRows,
    kForeign,  // a table, but not of metrics
  };

  // Each returns whether the line is of use.
  bool read_line(std::string_view line);
  bool read_structure(std::string_view text);
  bool read_table_rule(std::string_view line, const TableRule& rule);
  bool read_table_line(std::string_view line);
  bool read_row(std::string_view line);
  bool read_other(std::string_view line);

  void begin_kernel(const KernelLine& line);
  void begin_section(std::string_view name);
  void begin_values();
  void drop_pending();
  void end_row();
  void end_rule();
  void end_block();
  void end_input();
  void see_rule_text(std::string_view line);

  std::string_view text_;
  TextSink& sink_;
  std::uint64_t line_ = 0;
  bool line_ended_ = true;  // the current line has its line end
  std::uint64_t used_ = 0;

  KernelLine device_;                  // of the summary that follows
  std::optional<KernelLine> pending_;  // a kernel that has nothing yet
  std::uint64_t pending_line_ = 0;
  bool kernel_open_ = false;
  std::set<std::string, std::less<>> sections_;  // of this kernel

  std::string section_;
  std::string body_;  // label of the body item
  bool in_body_ = false;

  Table table_ = Table::kNone;
  bool raw_ = false;
  TableRule rule_;
  struct Row {
    bool open = false;
    bool cut = false;
    std::string name;
    std::string unit;
    std::array<std::string, 3> values;
    bool name_fills_column = false;
    bool value_fills_column = false;
  };
  Row row_;

  // Signs of a text that ends too early. ncu indents all that it prints, pads the lines of rule
  // texts with blanks, and ends these with an empty line; what was pasted may have lost all three.
  bool cut_line_ = false;       // the last line has no end, and is none of those that may lack it
  bool empty_section_ = false;  // nothing came below its heading yet
  bool open_text_ = false;      // the empty line after a rule's text has not come yet
  std::size_t padded_width_ = 0;

  std::string advice_code_;
  std::string advice_;
  std::size_t advice_indent_ = 0;
};

}  // namespace proofline
