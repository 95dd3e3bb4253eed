// SPDX-License-Identifier: Apache-2.0
//
// What the readers of ncu's CSV and of its printed text share: they find rows of strings, and here
// rows become launches with metrics under their real names, in base units. A page is read twice:
// the survey finds what one row alone does not tell, the second pass fills the profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/units.h"
#include "model/profile/profile.h"
#include "readers/ncu/ncu_labels.h"
#include "readers/read_profile.h"

namespace proofline {

// Longer lines are not read: no table of ncu comes near it.
inline constexpr std::size_t kMaxLineBytes = 16U << 20U;

struct PrintedMetric {
  std::string_view section;
  std::string_view table;  // body item; "" in a section's head
  std::string_view name;   // a label or a metric's name
  std::string_view unit;
  std::string_view value;
  // Of a summary over several launches; the value is then their average.
  std::string_view minimum;
  std::string_view maximum;
};

struct PrintedStyle {
  DecimalMark mark = DecimalMark::kPoint;
  LabelVersion version;
};

class PrintedSurvey {
 public:
  void see(const PrintedMetric& metric);
  void see_value(std::string_view cell);
  PrintedStyle result() const { return {marks_.result(), version_.result()}; }

 private:
  DecimalMarkVote marks_;
  LabelVersionFinder version_;
};

class PrintedProfile {
 public:
  PrintedProfile(Profile& profile, const ReadOptions& options, PrintedStyle style)
      : profile_(profile), options_(options), style_(style) {}

  std::size_t process(std::optional<std::uint32_t> pid, std::string_view name,
                      std::string_view host);

  // Rows go to the launch that was begun or chosen last.
  std::size_t begin_launch(Launch launch);
  void choose_launch(std::size_t index);
  Launch& launch() { return profile_.launches[current_]; }
  bool has_launch() const { return !profile_.launches.empty(); }

  void add(const PrintedMetric& metric);
  void add_rule(NvidiaRule rule);

  // A column of the wide raw page, where the names are metrics already.
  struct WideColumn {
    MetricId id = 0;
    int exponent = 0;
    bool with_instances = false;
  };
  WideColumn column(std::string_view name, std::optional<std::string_view> unit);
  void add(const WideColumn& column, std::string_view cell);

  // `what` is one of a few fixed sentences: the same one again only counts.
  void note(NoteKind kind, std::uint64_t line, std::string_view what);

  // To be called once, after the last row.
  void finish();

 private:
  struct Cell {
    Value value;
    std::unique_ptr<Instances> instances;
    bool has_instances = false;
  };
  struct Place {
    std::size_t index = 0;   // in Launch::metrics
    std::size_t copies = 0;  // further values under this name
  };

  Cell read_cell(std::string_view text, int exponent, bool with_instances);
  Value read_value(std::string_view text, int exponent);
  std::unique_ptr<Instances> read_instances(std::string_view items, int exponent);
  std::unique_ptr<Instances> read_summary(const PrintedMetric& metric, int exponent);
  std::string name_of(const PrintedMetric& metric, std::string_view base_unit);
  void insert(std::string name, std::string_view unit, Cell cell, const PrintedMetric& metric);
  bool insert_new(std::string_view name, std::string_view unit, Cell& cell);

  Profile& profile_;
  const ReadOptions& options_;
  PrintedStyle style_;
  std::size_t current_ = 0;
  int compute_capability_ = -1;  // of the current launch; -1: there is none yet
  std::size_t repeat_ = 0;
  std::string last_label_;
  std::unordered_map<std::string, std::size_t> processes_;
  std::unordered_map<std::uint64_t, Place> places_;  // by launch and metric id
  std::unordered_set<std::string> unknown_labels_;
  std::uint64_t not_finite_ = 0;
};

// The first number of a text such as "7" or "(128, 1, 1)".
std::optional<std::uint32_t> parse_u32(std::string_view text);
// "(128, 1, 1)", with or without parentheses.
std::optional<Dim3> parse_dim3(std::string_view text);
// "OPT", "WRN", ...; none for what is not a rule's type.
std::optional<RuleMessageKind> rule_kind(std::string_view code);

// 3 where the text begins with the mark of UTF-8, else 0.
std::size_t byte_order_mark_size(std::string_view text);

// The page that a CSV header line begins, wherever in the text it stands.
bool has_csv_header(std::string_view text);
Result<void> read_csv_text(std::string_view text, const std::string& name,
                           const ReadOptions& options, Profile& profile);

}  // namespace proofline
