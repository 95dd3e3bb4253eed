// SPDX-License-Identifier: Apache-2.0
//
// That of several libcupti the one is taken which works with this machine and its driver, and that
// the message says what is missing where none does.
#include "tools/recorder/find_cupti.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace proofline::find_cupti_test {
namespace {

namespace fs = std::filesystem;

class FindCupti : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv("PROOFLINE_CUPTI"); }

  // An ELF file for that machine, by its number.
  std::string library(const std::string& folder, const std::string& name, char machine = kOurs) {
    fs::create_directories(dir_.path(folder));
    std::string header(64, '\0');
    header.replace(0, 4, "\177ELF");
    header[18] = machine;
    return dir_.write(folder + '/' + name, header);
  }
  std::string find(const std::vector<std::string>& folders, unsigned driver) const {
    CuptiSearch search{{}, driver};
    for (const std::string& folder : folders) search.folders.push_back(dir_.path(folder));
    auto found = find_cupti(search);
    return found ? *found : found.error().message;
  }

#if defined(__x86_64__)
  static constexpr char kOurs = 62;
#else
  static constexpr char kOurs = static_cast<char>(183);
#endif
  TempDir dir_;
};

TEST_F(FindCupti, TakesTheNewestThatTheDriverCanWorkWith) {
  const std::string twelve = library("one", "libcupti.so.12");
  const std::string thirteen = library("two", "libcupti.so.13");
  library("one", "libcupti.so.11.8");
  library("one", "libcupti.so");
  library("one", "libcupti.so.2025.3.1");
  EXPECT_EQ(find({"one", "two"}, 580), thirteen);
  EXPECT_EQ(find({"one", "two"}, 0), thirteen);
  EXPECT_EQ(find({"one", "two"}, 575), twelve);
}

TEST_F(FindCupti, OfSeveralTakesTheFirst) {
  const std::string first = library("one", "libcupti.so.13");
  library("two", "libcupti.so.13");
  EXPECT_EQ(find({"none", "one", "two"}, 580), first);
}

TEST_F(FindCupti, PassesOverOtherMachinesAndOtherFiles) {
  library("one", "libcupti.so.13", 40);  // 32-bit Arm
  dir_.write("one/libcupti.so.12", "GNU ld script");
  const std::string message = find({"one"}, 0);
  EXPECT_NE(message.find("no libcupti was found; searched: " + dir_.path("one")), std::string::npos)
      << message;
}

TEST_F(FindCupti, SaysWhyTheOneThereDoesNotServe) {
  library("one", "libcupti.so.13");
  const std::string message = find({"one"}, 535);
  EXPECT_NE(message.find("needs driver 580 or newer, this is 535"), std::string::npos) << message;
}

TEST_F(FindCupti, VariableNamesAnother) {
  const std::string other = library("other", "mine.so");
  ::setenv("PROOFLINE_CUPTI", other.c_str(), 1);
  EXPECT_EQ(find({}, 580), other);
  ::setenv("PROOFLINE_CUPTI", "mine.so", 1);
  EXPECT_NE(find({}, 580).find("not the absolute path"), std::string::npos);
  ::unsetenv("PROOFLINE_CUPTI");
}

TEST_F(FindCupti, LooksAlongTheLibraryPathFirst) {
  library("mine", "libcupti.so.13");
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const std::string saved = before != nullptr ? before : "";
  ::setenv("LD_LIBRARY_PATH", ("relative:" + dir_.path("mine")).c_str(), 1);
  const CuptiSearch search = cupti_search();
  if (before != nullptr) {
    ::setenv("LD_LIBRARY_PATH", saved.c_str(), 1);
  } else {
    ::unsetenv("LD_LIBRARY_PATH");
  }
  ASSERT_FALSE(search.folders.empty());
  EXPECT_EQ(search.folders[0], dir_.path("mine"));
}

}  // namespace
}  // namespace proofline::find_cupti_test
