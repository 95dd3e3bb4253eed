// SPDX-License-Identifier: Apache-2.0
//
// The readers as a set: every fixture is known to exactly one of them, and nothing else is known.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "readers/reader.h"

namespace proofline::readers_test {
namespace {

namespace fs = std::filesystem;

int readers_that_know(std::string_view prefix) {
  int count = 0;
  for (const Reader& reader : readers()) count += reader.sniff(prefix) ? 1 : 0;
  return count;
}

TEST(Readers, ExactlyOneKnowsEachFixture) {
  std::size_t files = 0;
  for (const char* folder : {"tests/fixtures/ncu_rep", "tests/fixtures/small", "examples"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(PROOFLINE_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      // ncu's session page lists no kernel, and the rest is prose.
      if (entry.path().extension() == ".md" || name.find(".session.") != std::string::npos)
        continue;
      auto input = Input::open(entry.path().string());
      ASSERT_TRUE(input) << input.error().message;
      EXPECT_EQ(readers_that_know(input->peek(kSniffBytes).value()), 1) << name;
      ++files;
    }
  }
  EXPECT_GT(files, 20U);
}

TEST(Readers, NoneKnowsOtherThings) {
  for (const char* text : {"", "hello\n", "{\"traceEvents\": []}", "a,b,c\n1,2,3\n",
                           "\x7f"
                           "ELF",
                           "SQLite format 3", "========= COMPUTE-SANITIZER\n"}) {
    EXPECT_EQ(readers_that_know(text), 0) << text;
  }
}

}  // namespace
}  // namespace proofline::readers_test
