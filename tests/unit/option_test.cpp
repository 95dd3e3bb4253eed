// SPDX-License-Identifier: Apache-2.0
#include "base/option.h"

#include <gtest/gtest.h>

namespace proofline::option_test {

TEST(Option, IsAMemberUnlessThisIsTheCommandLine) {
  EXPECT_EQ(option("max-size"), "max_size");
  option_style = OptionStyle::kFlag;
  EXPECT_EQ(option("max-size"), "--max-size");
  option_style = OptionStyle::kMember;
}

}  // namespace proofline::option_test
