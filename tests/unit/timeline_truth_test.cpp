// SPDX-License-Identifier: Apache-2.0
//
// Strangers' timelines, where PROOFLINE_CORPUS names the folder that holds them: every figure of
// tests/corpus/timelines.tsv exactly, in nanoseconds. It was made by other means: a Python script
// over whole documents, SQL, and fractions. PROOFLINE_TIMELINE_TRUTH names another such file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/text.h"
#include "readers/format.h"
#include "readers/timeline/read_timeline.h"
#include "tests/support/timeline_figures.h"

namespace proofline::timeline_truth_test {
namespace {

namespace fs = std::filesystem;
using Rows = std::map<std::string, std::string>;

// An empty first column repeats the line before.
std::map<std::string, Rows> truth(const fs::path& path) {
  std::map<std::string, Rows> files;
  std::ifstream lines(path);
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first + 1);
    if (second == line.npos || line.starts_with("*") || line.starts_with("file\t")) continue;
    if (first > 0) file = line.substr(0, first);
    files[file][line.substr(first + 1, second - first - 1)] = line.substr(second + 1);
  }
  return files;
}

// Long names stand as a hash.
std::string shown(const std::string& figure, const std::string& expected) {
  return expected.starts_with("#") ? "#" + short_hash(figure) : figure;
}

bool has_reader(std::string_view format) {
  if (format == "not-a-timeline") return true;
  const std::string_view name = format == "kineto" ? "kineto-trace" : format;
  return std::any_of(formats().begin(), formats().end(),
                     [&](const Format& one) { return one.name == name; });
}

TEST(TimelineTruth, EveryFigureOfTheCorpus) {
  const char* folder = std::getenv("PROOFLINE_CORPUS");
  if (folder == nullptr || *folder == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  const char* other = std::getenv("PROOFLINE_TIMELINE_TRUTH");
  const fs::path path = other != nullptr ? fs::path(other) : fs::path("tests/corpus/timelines.tsv");
  const auto files = truth(path);
  ASSERT_FALSE(files.empty()) << path;
  std::size_t figures = 0;
  for (const auto& [file, rows] : files) {
    SCOPED_TRACE(file);
    if (!has_reader(rows.at("format"))) continue;
    const auto timeline = read_timeline((fs::path(folder) / file).string());
    if (rows.at("format") == "not-a-timeline") {
      ASSERT_FALSE(timeline);
      EXPECT_NE(timeline.error().message.find("execution trace"), std::string::npos)
          << timeline.error().message;
      continue;
    }
    ASSERT_TRUE(timeline) << timeline.error().message;
    for (const Note& note : timeline->notes) EXPECT_NE(note.kind, NoteKind::kLoss) << note.what;
    Rows ours = test::timeline_figures(*timeline);
    ours["format"] = timeline->format == "kineto-trace" ? "kineto" : timeline->format;
    for (const auto& [quantity, value] : rows) {
      EXPECT_EQ(shown(ours[quantity], value), value) << quantity;
      ++figures;
    }
  }
  EXPECT_GT(figures, 1000U);
}

}  // namespace
}  // namespace proofline::timeline_truth_test
