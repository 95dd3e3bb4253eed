// SPDX-License-Identifier: Apache-2.0
//
// Two small real reports, cut at every byte (at some of them in the short form): the reader never
// crashes, always accounts for all bytes, and never takes a cut file for a whole one unless the cut
// is between two blocks.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "readers/read_profile.h"
#include "support/effort.h"

namespace proofline::truncation_test {
namespace {

TEST(Truncation, EveryLengthOfARealReport) {
  const auto path = std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/small" /
                    "h200-basic.ncu-rep.gz";
  auto file = Input::open(path.string());
  ASSERT_TRUE(file) << file.error().message;
  const std::string whole(file->take_rest().value());
  const auto step = effort<std::size_t>(1, 19, 61);
  std::size_t silent = 0;
  for (std::size_t length = 0; length < whole.size(); length += step) {
    auto input = Input::from_memory(std::string_view(whole).substr(0, length), "cut");
    ASSERT_TRUE(input);
    const auto profile = read_profile(*input, {});
    if (!profile) {
      ASSERT_EQ(profile.error().kind, ErrorKind::kInput) << length;
      continue;
    }
    ASSERT_EQ(profile->bytes.total, length);
    ASSERT_EQ(profile->bytes.used + profile->bytes.skipped, length);
    bool loss = false;
    for (const Note& note : profile->notes) loss = loss || note.kind == NoteKind::kLoss;
    if (!loss) ++silent;
  }
  // One for each block after the launch: session details, a string table, sources.
  EXPECT_LT(silent, 20U);
}

}  // namespace
}  // namespace proofline::truncation_test
