// SPDX-License-Identifier: Apache-2.0
//
// The code in what `ncu --page source --csv --print-source sass` prints: for each launch its name,
// a header, and a row for each instruction with the address where it was loaded.
#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "readers/code/read_code.h"
#include "readers/code/sass_listing.h"
#include "readers/format.h"

namespace proofline {
namespace {

constexpr std::string_view kAddress = "Address";
constexpr std::string_view kSource = "Source";
constexpr std::string_view kMixed = "Line No";  // the page with source lines between
constexpr std::string_view kSamples =
    "the page's samples and counts are not read; give the report itself to have them";

// The compiler ends a function with a branch to itself and NOPs.
bool ends_as_compiled(const CodeFunction& function) {
  if (function.instructions.empty()) return false;
  const Instruction& last = function.instructions.back();
  return last.target == last.address || function.text_of(last).starts_with("NOP");
}

// The fields of a row; none of what ncu prints here has a quote or a line's end in it. Nothing
// where the line is something else, or is cut.
std::vector<std::string_view> quoted_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  while (line.starts_with('"')) {
    const std::size_t end = line.find('"', 1);
    if (end == std::string_view::npos) return {};
    fields.push_back(line.substr(1, end - 1));
    line.remove_prefix(end + 1);
    if (line.starts_with(',')) line.remove_prefix(1);
  }
  return line.empty() ? fields : std::vector<std::string_view>{};
}

struct SourceColumns {
  std::size_t address = 0;
  std::size_t source = 0;
};

// Of "Address","Source",... or "#","Address","Source",...
std::optional<SourceColumns> columns_of(const std::vector<std::string_view>& header) {
  for (std::size_t i = 0; i + 1 < header.size() && i < 2; ++i) {
    if (header[i] == kAddress && header[i + 1] == kSource) return SourceColumns{i, i + 1};
  }
  return {};
}

bool is_mixed(const std::vector<std::string_view>& header) {
  return header.size() >= 4 && header[0] == kMixed && header[2] == kAddress;
}

class SourcePage {
 public:
  SourcePage(Input& input, Listing& listing, const FunctionSink& sink)
      : lines_(input, kMaxTextLine), listing_(listing), sass_(lines_, listing, sink) {}

  Result<void> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (!line.empty()) take(quoted_fields(line));
      if (mixed_) {
        return fail(ErrorKind::kInput,
                    "the source page has source lines between the instructions; print it with "
                    "'ncu --page source --csv --print-source sass', or give the report itself");
      }
    }
    finish();
    listing_.notes.push_back({NoteKind::kInfo, "", std::string(kSamples)});
    return sass_.end();
  }

 private:
  void take(const std::vector<std::string_view>& fields) {
    mixed_ = is_mixed(fields);
    if (fields.size() >= 2 && fields[0] == "Kernel Name") {
      finish();
      name_ = fields[1];
    } else if (const auto columns = columns_of(fields)) {
      columns_ = columns;
    } else if (columns_) {
      take_row(fields);
    }
  }

  void take_row(const std::vector<std::string_view>& fields) {
    InstructionLine line;
    if (fields.size() > columns_->source) {
      const std::string_view address = fields[columns_->address];
      const char* end = address.data() + address.size();
      const bool known = address.starts_with("0x") &&
                         std::from_chars(address.data() + 2, end, line.address, 16).ptr == end;
      line.whole = known;
      line.text = without_blanks(fields[columns_->source]);
    }
    if (!line.whole) {
      if (sass_.open()) sass_.lose("row is no instruction");
      return;
    }
    if (!sass_.open()) {
      // A kernel that is launched again is printed again.
      const bool again = !seen_.emplace(name_, line.address).second;
      if (again) columns_.reset();
      if (again) return;
      sass_.begin(name_);
    }
    sass_.instruction(line);
  }

  void finish() {
    columns_.reset();
    if (!sass_.open()) return;
    sass_.finish(ends_as_compiled(sass_.function()));
  }

  TextLines lines_;
  Listing& listing_;
  SassListing sass_;
  std::string name_;
  std::optional<SourceColumns> columns_;
  std::set<std::pair<std::string, std::uint64_t>> seen_;
  bool mixed_ = false;
};

bool sniff_ncu_source_csv(std::string_view prefix) {
  return has_line(prefix, [](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto fields = quoted_fields(line);
    return columns_of(fields).has_value() || is_mixed(fields);
  });
}

Result<void> read_ncu_source_csv(Input& input, Listing& listing, const FunctionSink& sink) {
  return SourcePage(input, listing, sink).read();
}

}  // namespace

Format ncu_source_csv() {
  return {.name = "ncu-source-csv",
          .what = "ncu's source page as CSV",
          .summary = "what ncu --page source --csv --print-source sass prints",
          .sniff = sniff_ncu_source_csv,
          .read_code = read_ncu_source_csv};
}

}  // namespace proofline
