// SPDX-License-Identifier: Apache-2.0
//
// ncu's CSV. The raw page is wide: a header, a row of units, one row for each launch. The details
// page is long: one row for each metric or rule result. Columns are found by name, since their set
// and order changed over the versions; everything else in the file is skipped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/ncu/csv_rows.h"
#include "readers/ncu/ncu_printed.h"
#include "readers/ncu/nvtx_cell.h"
#include "readers/read_profile.h"

namespace proofline {
namespace {

constexpr std::string_view kCutCsvRow = "row is cut off or damaged";
constexpr std::string_view kBadRow = "row does not fit its header and was left out";
constexpr std::string_view kLongRow = "row is longer than 16 MiB and was left out";
constexpr std::string_view kNoUnits =
    "table has no row of units; its values are taken to be in base units";
constexpr std::string_view kCutUnits =
    "row of units is cut off or damaged; values without one are taken to be in base units";

// The columns that are not metrics.
enum class Known : std::size_t {
  kId,
  kProcessId,
  kProcessName,
  kHostName,
  kPushPopRanges,
  kStartEndRanges,
  kKernelName,
  kKernelTime,
  kContext,
  kStream,
  kBlockSize,
  kGridSize,
  kDevice,
  kComputeCapability,
  kInvocations,
  kSectionName,
  kBodyItemLabel,
  kMetricName,
  kMetricUnit,
  kMetricValue,
  kMinimum,
  kMaximum,
  kAverage,
  kRuleName,
  kRuleType,
  kRuleDescription,
  kSpeedupType,
  kSpeedup,
};
constexpr std::size_t kKnownCount = static_cast<std::size_t>(Known::kSpeedup) + 1;

constexpr std::array<std::string_view, kKnownCount> kKnownNames = {
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
    "Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
    "Kernel Name",
    "Kernel Time",
    "Context",
    "Stream",
    "Block Size",
    "Grid Size",
    "Device",
    "CC",
    "Invocations",
    "Section Name",
    "Body Item Label",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
    "Minimum",
    "Maximum",
    "Average",
    "Rule Name",
    "Rule Type",
    "Rule Description",
    "Estimated Speedup Type",
    "Estimated Speedup"};

constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

// Where the header has what.
struct Header {
  std::array<std::size_t, kKnownCount> known{};
  std::size_t size = 0;
  bool wide = false;
  std::vector<std::pair<std::size_t, std::string>> metrics;  // of a wide table

  explicit Header(const std::vector<std::string_view>& fields) : size(fields.size()) {
    known.fill(kAbsent);
    std::vector<std::pair<std::size_t, std::string>> rest;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto found = std::find(kKnownNames.begin(), kKnownNames.end(), fields[i]);
      const auto index = static_cast<std::size_t>(found - kKnownNames.begin());
      if (found != kKnownNames.end() && known[index] == kAbsent) {
        known[index] = i;
      } else if (!fields[i].empty()) {
        rest.emplace_back(i, fields[i]);
      }
    }
    wide = at(Known::kMetricName) == kAbsent;
    if (wide) metrics = std::move(rest);
  }

  std::size_t at(Known column) const { return known[static_cast<std::size_t>(column)]; }
  bool has(Known column) const { return at(column) != kAbsent; }
  // How many fields a row needs to tell a metric's value.
  std::size_t needed() const {
    if (wide) return size;
    return 1 + std::max(at(Known::kMetricName),
                        has(Known::kMetricValue) ? at(Known::kMetricValue) : at(Known::kAverage));
  }
};

struct Row {
  const Header& header;
  const CsvRow& csv;

  std::string_view operator[](Known column) const {
    const std::size_t at = header.at(column);
    return at < csv.fields.size() ? csv.fields[at] : std::string_view{};
  }
  bool is_units() const {
    return (*this)[Known::kId].empty() && (*this)[Known::kProcessId].empty() &&
           (*this)[Known::kKernelName].empty();
  }
  bool is_rule() const { return !(*this)[Known::kRuleName].empty(); }
  PrintedMetric metric() const {
    const bool summary = header.has(Known::kAverage);
    return {(*this)[Known::kSectionName],
            (*this)[Known::kBodyItemLabel],
            (*this)[Known::kMetricName],
            (*this)[Known::kMetricUnit],
            (*this)[summary ? Known::kAverage : Known::kMetricValue],
            (*this)[Known::kMinimum],
            (*this)[Known::kMaximum]};
  }
};

Launch read_launch(const Row& row) {
  Launch launch;
  launch.name = row[Known::kKernelName];
  launch.grid = parse_dim3(row[Known::kGridSize]);
  launch.block = parse_dim3(row[Known::kBlockSize]);
  launch.context = parse_u32(row[Known::kContext]);
  launch.stream = parse_u32(row[Known::kStream]);
  launch.device = parse_u32(row[Known::kDevice]);
  launch.compute_capability = row[Known::kComputeCapability];
  parse_nvtx_cell(row[Known::kPushPopRanges], true, launch.nvtx);
  parse_nvtx_cell(row[Known::kStartEndRanges], false, launch.nvtx);
  return launch;
}

NvidiaRule read_rule(const Row& row) {
  NvidiaRule rule;
  rule.id = row[Known::kRuleName];
  rule.section = row[Known::kSectionName];
  const auto kind = rule_kind(row[Known::kRuleType]);
  rule.messages.push_back(
      {kind.value_or(RuleMessageKind::kNone), "", std::string(row[Known::kRuleDescription])});
  const Number percent = parse_number(row[Known::kSpeedup]);
  const bool global = row[Known::kSpeedupType] == "global";
  if (const auto* real = std::get_if<double>(&percent)) rule.speedup = {global, *real};
  if (const auto* whole = std::get_if<std::uint64_t>(&percent)) {
    rule.speedup = {global, static_cast<double>(*whole)};
  }
  return rule;
}

PrintedStyle survey(std::string_view text) {
  PrintedSurvey survey;
  std::vector<Header> header;  // at most one
  for (CsvRows rows(text); rows.next();) {
    const CsvRow& csv = rows.row();
    if (csv.kind == CsvRowKind::kHeader) {
      header.clear();
      header.emplace_back(csv.fields);
    }
    if (csv.kind != CsvRowKind::kRow || header.empty()) continue;
    if (header.front().wide) {
      for (const auto& [at, name] : header.front().metrics) {
        if (at < csv.fields.size()) survey.see_value(csv.fields[at]);
      }
    } else {
      survey.see(Row{header.front(), csv}.metric());
    }
  }
  return survey.result();
}

class CsvReader {
 public:
  CsvReader(Profile& profile, const ReadOptions& options, PrintedStyle style)
      : profile_(profile), options_(options), output_(profile, options, style) {}

  void read(std::string_view text);
  bool saw_header() const { return header_line_ != 0; }
  std::uint64_t header_line() const { return header_line_; }

 private:
  void begin_table(const CsvRow& csv);
  // Whether anything of the row was used.
  bool read_row(const CsvRow& csv);
  bool read_units(const CsvRow& csv);
  bool read_wide_row(const CsvRow& csv);
  bool read_long_row(const CsvRow& csv);
  void begin_launch(const Row& row);
  void choose_launch(const Row& row);
  void make_columns(const std::vector<std::string_view>* units);

  Profile& profile_;
  const ReadOptions& options_;
  PrintedProfile output_;
  std::vector<Header> header_;  // at most one
  std::vector<std::pair<std::size_t, PrintedProfile::WideColumn>> columns_;
  bool units_seen_ = false;
  std::unordered_map<std::string, std::size_t> launches_;  // of a long table, by its identity
  std::uint64_t header_line_ = 0;
};

void CsvReader::read(std::string_view text) {
  profile_.bytes.total = text.size();
  for (CsvRows rows(text); rows.next();) {
    const CsvRow& csv = rows.row();
    bool used = false;
    switch (csv.kind) {
      case CsvRowKind::kHeader:
        begin_table(csv);
        used = true;
        break;
      case CsvRowKind::kRow:
      case CsvRowKind::kCut: used = read_row(csv); break;
      case CsvRowKind::kTooLong: output_.note(NoteKind::kLoss, csv.line, kLongRow); break;
      case CsvRowKind::kOther: break;
    }
    (used ? profile_.bytes.used : profile_.bytes.skipped) += csv.end - csv.begin;
  }
  output_.finish();
}

void CsvReader::begin_table(const CsvRow& csv) {
  header_.clear();
  header_.emplace_back(csv.fields);
  header_line_ = csv.line;
  launches_.clear();
  columns_.clear();
  units_seen_ = false;
}

bool CsvReader::read_row(const CsvRow& csv) {
  if (header_.empty()) return false;
  const Row row{header_.front(), csv};
  if (row.is_units() && csv.fields.size() > 2) return read_units(csv);
  const bool cut = csv.kind == CsvRowKind::kCut;
  const bool fits = csv.fields.size() <= header_.front().size + 1;
  // A field without a name after the last comma is ncu's habit; more fields are a lost quote.
  if (!cut && !fits) {
    output_.note(NoteKind::kLoss, csv.line, kBadRow);
    return false;
  }
  const std::size_t needed = row.is_rule() ? header_.front().size : header_.front().needed();
  const bool tells = header_.front().wide || row.is_rule() || !row[Known::kMetricName].empty();
  if (cut || !tells || csv.fields.size() < needed) {
    output_.note(NoteKind::kLoss, csv.line, kCutCsvRow);
  }
  return header_.front().wide ? read_wide_row(csv) : read_long_row(csv);
}

bool CsvReader::read_units(const CsvRow& csv) {
  if (!header_.front().wide || units_seen_ || !columns_.empty()) return false;
  units_seen_ = true;
  const bool whole = csv.kind == CsvRowKind::kRow && csv.fields.size() >= header_.front().size;
  if (!whole) output_.note(NoteKind::kLoss, csv.line, kCutUnits);
  make_columns(&csv.fields);
  return true;
}

// Duplicate columns have equal values: the first is taken.
void CsvReader::make_columns(const std::vector<std::string_view>* units) {
  std::unordered_map<MetricId, bool> seen;
  for (const auto& [at, name] : header_.front().metrics) {
    const bool has_unit = units != nullptr && at < units->size();
    const auto unit = has_unit ? std::optional((*units)[at]) : std::nullopt;
    const PrintedProfile::WideColumn column = output_.column(name, unit);
    if (seen.try_emplace(column.id, true).second) columns_.emplace_back(at, column);
  }
}

bool CsvReader::read_wide_row(const CsvRow& csv) {
  if (columns_.empty()) {
    make_columns(nullptr);
    output_.note(NoteKind::kInfo, header_line_, kNoUnits);
  }
  const Row row{header_.front(), csv};
  if (csv.fields.size() <= header_.front().at(Known::kKernelName)) return false;
  begin_launch(row);
  for (const auto& [at, column] : columns_) {
    if (at < csv.fields.size()) output_.add(column, csv.fields[at]);
  }
  return true;
}

bool CsvReader::read_long_row(const CsvRow& csv) {
  const Row row{header_.front(), csv};
  if (row.is_rule()) {
    choose_launch(row);
    if (!options_.nvidia_rules) return false;
    output_.add_rule(read_rule(row));
    return true;
  }
  if (csv.fields.size() < header_.front().needed() || row[Known::kMetricName].empty()) return false;
  choose_launch(row);
  output_.add(row.metric());
  return true;
}

void CsvReader::begin_launch(const Row& row) {
  Launch launch = read_launch(row);
  launch.process = output_.process(parse_u32(row[Known::kProcessId]), row[Known::kProcessName],
                                   row[Known::kHostName]);
  output_.begin_launch(std::move(launch));
}

void CsvReader::choose_launch(const Row& row) {
  std::string key;
  for (const Known column : {Known::kId, Known::kProcessId})
    key.append(row[column]).append(1, '\0');
  if (!header_.front().has(Known::kId)) {
    for (const Known column :
         {Known::kKernelName, Known::kBlockSize, Known::kGridSize, Known::kDevice}) {
      key.append(row[column]).append(1, '\0');
    }
  }
  const auto [found, is_new] = launches_.try_emplace(std::move(key), profile_.launches.size());
  if (is_new) {
    begin_launch(row);
  } else {
    output_.choose_launch(found->second);
  }
}

bool sniff_ncu_csv(std::string_view prefix) { return has_csv_header(prefix); }

Result<void> read_ncu_csv(Input& input, const ReadOptions& options, Profile& profile) {
  ASSIGN_OR_RETURN(const auto text, input.take_rest());
  return read_csv_text(text, input.name(), options, profile);
}

}  // namespace

Result<void> read_csv_text(std::string_view text, const std::string& name,
                           const ReadOptions& options, Profile& profile) {
  CsvReader reader(profile, options, survey(text));
  reader.read(text);
  if (!profile.launches.empty()) return {};
  if (!reader.saw_header()) {
    return fail(
        ErrorKind::kInput,
        fmt::format("{}: line 1: no header of ncu's CSV (\"ID\",\"Process ID\",...) anywhere; "
                    "print one with 'ncu --import FILE --page raw --csv'",
                    quote(name)));
  }
  return fail(ErrorKind::kInput,
              fmt::format("{}: line {}: a table header but no kernels below it; profile again with "
                          "a filter that matches a kernel, or pass the .ncu-rep file",
                          quote(name), reader.header_line()));
}

Format ncu_csv() {
  return {.name = "ncu-csv",
          .what = "Nsight Compute's CSV",
          .summary = "Nsight Compute CSV: raw page (wide) and details page (long)",
          .sniff = sniff_ncu_csv,
          .read_profile = read_ncu_csv};
}

}  // namespace proofline
