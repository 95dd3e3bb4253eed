// SPDX-License-Identifier: Apache-2.0
//
// Our raw page against NVIDIA's: for every H200 capture under tests/fixtures the CSV that
// `ncu --import FILE --page raw --csv --print-units base` printed when it was recorded is beside
// it, and ours must be the same, cell for cell. The exceptions are listed here, each with its
// reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "readers/ncu/csv_rows.h"
#include "readers/read_profile.h"
#include "views/profile/raw_page.h"
#include "views/view.h"

namespace proofline::truth_test {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/ncu_rep";
const fs::path kZoo = fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/zoo";
const fs::path kExamples = fs::path(PROOFLINE_SOURCE_DIR) / "examples";
constexpr std::string_view kReportSuffix = ".ncu-rep.gz";

constexpr const char* kPushPop =
    "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg";

struct Exception {
  const char* report;
  std::size_t line;  // 1 = units
  const char* column;
  const char* reason;
};

constexpr Exception kExceptions[] = {
    {"h200-detailed", 1, "derived__memory_l2_theoretical_sectors_global_excessive",
     "ncu says \"byte\" here and \"sector\" in every full-set report; it counts sectors"},
    {"h200-detailed", 1, "sass__inst_executed_register_spilling_mem_local",
     "ncu says \"byte\" here and \"inst\" in every full-set report; it counts instructions"},
    {"h200-detailed", 1, "sass__inst_executed_register_spilling_mem_shared",
     "ncu says \"byte\" here and \"inst\" in every full-set report; it counts instructions"},
    {"h200-nvtx", 6, kPushPop, "ncu cuts the cell at the NUL behind a wide-character range name"},
};

bool is_exception(const std::string& report, std::size_t line, std::string_view column) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions), [&](const Exception& known) {
    return report == known.report && line == known.line && column == known.column;
  });
}

std::vector<fs::path> captures() {
  std::vector<fs::path> paths;
  for (const fs::path& folder : {kFixtures, kZoo, kExamples}) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.size() > kReportSuffix.size() &&
          name.compare(name.size() - kReportSuffix.size(), kReportSuffix.size(), kReportSuffix) ==
              0) {
        paths.push_back(entry.path());
      }
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string capture_name(const fs::path& path) {
  const std::string file = path.filename().string();
  return file.substr(0, file.size() - kReportSuffix.size());
}

std::vector<std::vector<std::string>> cells(std::string_view csv) {
  std::vector<std::vector<std::string>> rows;
  for (CsvRows reader(csv); reader.next();) {
    rows.emplace_back(reader.row().fields.begin(), reader.row().fields.end());
  }
  return rows;
}

std::string our_raw_page(const Profile& profile) {
  Selection selection;
  selection.launches.resize(profile.launches.size());
  std::iota(selection.launches.begin(), selection.launches.end(), 0);
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    if (on_raw_page(profile.metric_names[id].name)) selection.metrics.push_back(id);
  }
  std::sort(selection.metrics.begin(), selection.metrics.end(), [&](MetricId a, MetricId b) {
    return profile.metric_names[a].name < profile.metric_names[b].name;
  });
  std::string text;
  Output output(text);
  find_view("csv")->render({[&] { return compose_raw_page(profile, selection); }, {}}, {}, output);
  output.flush();
  return text;
}

class Truth : public ::testing::TestWithParam<fs::path> {};

TEST_P(Truth, RawPageEqualsThatOfNcu) {
  const std::string name = capture_name(GetParam());
  const auto profile = read_profile(GetParam().string());
  ASSERT_TRUE(profile) << profile.error().message;
  const fs::path folder = GetParam().parent_path() == kZoo ? kZoo : kFixtures;
  auto truth_file = Input::open((folder / (name + ".raw-base.csv.gz")).string());
  ASSERT_TRUE(truth_file) << truth_file.error().message;
  const std::string truth_text(truth_file->take_rest().value());
  const std::string our_text = our_raw_page(*profile);
  const auto truth = cells(truth_text);
  const auto ours = cells(our_text);
  ASSERT_EQ(truth.size(), ours.size());
  ASSERT_EQ(truth[0], ours[0]) << "columns differ";
  std::size_t compared = 0;
  std::size_t exceptions = 0;
  for (std::size_t line = 1; line < truth.size(); ++line) {
    ASSERT_EQ(truth[line].size(), ours[line].size()) << "line " << line;
    for (std::size_t column = 0; column < truth[line].size(); ++column) {
      ++compared;
      if (truth[line][column] == ours[line][column]) continue;
      ++exceptions;
      EXPECT_TRUE(is_exception(name, line, truth[0][column]))
          << "line " << line << ", " << truth[0][column] << ": ncu \"" << truth[line][column]
          << "\", ours \"" << ours[line][column] << '"';
    }
  }
  const auto known = std::count_if(std::begin(kExceptions), std::end(kExceptions),
                                   [&](const Exception& e) { return name == e.report; });
  EXPECT_EQ(exceptions, static_cast<std::size_t>(known)) << "an exception no longer happens";
  if (known == 0) {
    EXPECT_EQ(truth_text, our_text) << "same cells, but other bytes around them";
  }
  RecordProperty("cells", static_cast<int>(compared));
}

INSTANTIATE_TEST_SUITE_P(Captures, Truth, ::testing::ValuesIn(captures()), [](const auto& test) {
  std::string name = capture_name(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(TruthSet, HoldsAtLeastSixtyFullSetLaunches) {
  std::size_t launches = 0;
  for (const fs::path& path : captures()) {
    const auto profile = read_profile(path.string());
    ASSERT_TRUE(profile);
    for (const Launch& launch : profile->launches) {
      // Over 2,000 metrics: only --set full has that many.
      if (launch.kind == LaunchKind::kKernel && launch.metrics.size() > 2000) ++launches;
    }
  }
  EXPECT_GE(launches, 60U);
}

// The scaled raw page and both details pages of the same capture hold the same values, as far as
// their printed digits go.
double tolerance(double value) { return std::max(std::abs(value) * 0.006, 0.0051); }

class Printed : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Printed, PagesAgreeWithTheReport) {
  const auto [name, page] = GetParam();
  const auto report = read_profile((kFixtures / (std::string(name) + ".ncu-rep.gz")).string());
  ASSERT_TRUE(report) << report.error().message;
  const auto printed = read_profile((kFixtures / (std::string(name) + page)).string());
  ASSERT_TRUE(printed) << printed.error().message;
  ASSERT_EQ(printed->launches.size(), report->launches.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < printed->launches.size(); ++i) {
    for (const Metric& metric : printed->launches[i].metrics) {
      const std::string& metric_name = printed->metric_names[metric.id].name;
      const auto id = report->metric_names.find(metric_name);
      const Metric* original = id ? report->launches[i].find(*id) : nullptr;
      const auto value = as_number(metric.value);
      if (original == nullptr || !value) continue;
      // A counter can come out below zero; ncu's scaled pages print that as 0.
      if (is_negative(original->value)) continue;
      const auto expected = as_number(original->value);
      ASSERT_TRUE(expected) << metric_name;
      EXPECT_NEAR(*value, *expected, tolerance(*expected)) << metric_name << " of launch " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20 * printed->launches.size());
}

INSTANTIATE_TEST_SUITE_P(
    Pages, Printed,
    ::testing::Combine(::testing::Values("h200-basic", "h200-detailed", "h200-nvtx"),
                       ::testing::Values(".raw-base.csv.gz", ".raw-auto.csv.gz", ".details.csv.gz",
                                         ".details.txt.gz")),
    [](const auto& test) {
      std::string name = std::string(std::get<0>(test.param)) + std::get<1>(test.param);
      std::replace_if(
          name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
      return name;
    });

}  // namespace
}  // namespace proofline::truth_test
