// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/characters.h"
#include "base/input.h"
#include "base/option.h"
#include "base/text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// A path comes from a stranger's file: nothing is shown but regular files of moderate size whose
// names end as those of sources do, so that no code can have a key or a password printed.
constexpr std::uint64_t kMostSourceBytes = 32U << 20U;
constexpr std::string_view kEndings[] = {".cu",  ".cuh", ".c",   ".cc",  ".cpp", ".cxx",
                                         ".h",   ".hh",  ".hpp", ".hxx", ".inl", ".inc",
                                         ".cuf", ".f90", ".py",  ".jl",  ".rs",  ".mojo"};
constexpr std::size_t kMostLineBytes = 1000;
constexpr std::size_t kMostNamedSources = 3;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = take_until('\n', text);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line.substr(0, kMostLineBytes));
  }
  return lines;
}

std::optional<std::string> read_source(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  if (std::find(std::begin(kEndings), std::end(kEndings), ending) == std::end(kEndings)) {
    return std::nullopt;
  }
  InputLimits limits;
  limits.max_bytes = kMostSourceBytes;
  auto input = Input::open(path.string(), limits);
  if (!input) return std::nullopt;
  const auto text = input->take_rest();
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

// The first few of them.
std::string some_of(const std::set<std::string>& paths) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& path : paths) {
    if (count++ == kMostNamedSources) return text + ", ...";
    text += (text.empty() ? "" : ", ") + quote(path);
  }
  return text;
}

}  // namespace

SourceTexts::SourceTexts(std::string folder, const std::string& beside)
    : folder_(std::move(folder)), beside_(fs::path(beside).parent_path().string()) {}

void SourceTexts::fill(const Profile* profile, SourceReport& source) {
  if (source.lines.empty()) ++without_lines_;
  for (SourceReport::File& file : source.files) {
    file.found = text_of(profile, file.path).found;
    if (file.found.empty()) missing_.insert(file.path);
  }
  for (SourceLine& line : source.lines) {
    const SourceReport::File& file = source.files[line.file];
    const Text& text = text_of(profile, file.path);
    if (file.found.empty() || line.line == 0) continue;
    if (line.line <= text.lines.size()) {
      line.text = text.lines[line.line - 1];
    } else {
      other_version_.insert(file.path);
    }
  }
}

const SourceTexts::Text& SourceTexts::text_of(const Profile* profile, const std::string& path) {
  const auto known = texts_.find(path);
  return known != texts_.end() ? known->second
                               : texts_.emplace(path, find(profile, path)).first->second;
}

SourceTexts::Text SourceTexts::find(const Profile* profile, const std::string& path) const {
  if (profile != nullptr) {
    for (const Module& module : profile->modules) {
      for (const SourceFile& file : module.files) {
        if (file.name == path && !file.content.empty()) return {"report", lines_of(file.content)};
      }
    }
  }
  std::vector<fs::path> places;
  const fs::path named(path);
  if (!folder_.empty()) {
    for (auto part = named.begin(); part != named.end(); ++part) {
      fs::path end;
      for (auto next = part; next != named.end(); ++next) end /= *next;
      if (end.is_relative()) places.push_back(folder_ / end);
    }
  }
  places.push_back(named);
  if (named.is_relative() && !beside_.empty()) places.push_back(beside_ / named);
  for (const fs::path& place : places) {
    if (auto text = read_source(place)) return {place.string(), lines_of(*text)};
  }
  return {};
}

std::vector<Note> SourceTexts::notes() const {
  std::vector<Note> notes;
  if (!missing_.empty()) {
    notes.push_back({NoteKind::kInfo, "",
                     fmt::format("source is not at hand: {}; {} names a folder that has it",
                                 some_of(missing_), option("source-folder")),
                     missing_.size()});
  }
  if (!other_version_.empty()) {
    notes.push_back({NoteKind::kInfo, "",
                     fmt::format("source has fewer lines than the code was made from, so it is "
                                 "another version: {}",
                                 some_of(other_version_)),
                     other_version_.size()});
  }
  if (without_lines_ > 0) {
    notes.push_back({NoteKind::kInfo, "",
                     "functions have no source lines: compile with -lineinfo, or list with "
                     "nvdisasm --print-line-info",
                     without_lines_});
  }
  return notes;
}

}  // namespace proofline
