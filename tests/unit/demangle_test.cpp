// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace proofline::demangle_test {
namespace {

TEST(Demangle, WritesNamesAsPeopleDo) {
  EXPECT_EQ(demangle("_ZN2ns5scaleIfLi4EEEvPT_i").text, "void ns::scale<float, 4>(float*, int)");
  EXPECT_EQ(demangle("_Z4copyPfPKf").text, "copy(float*, float const*)");
}

// A name that numba gave a kernel: its types and flags stand in ABI tags.
TEST(Demangle, WritesNumbasNames) {
  EXPECT_EQ(
      demangle("_ZN8__main__9histogramB2v1B90cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYkJ"
               "CQB1MQBk0ByrG21OiwI1a0UoFGhDpQE8gxqNQE_3dE5ArrayIfLi1E1C7mutable7alignedEff5Arr"
               "ayIiLi1E1C7mutable7alignedE")
          .text,
      "__main__::histogram[abi:v1][abi:cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYkJCQB1MQB"
      "k0ByrG21OiwI1a0UoFGhDpQE8gxqNQE_3d](Array<float, 1, C, mutable, aligned>, float, float, "
      "Array<int, 1, C, mutable, aligned>)");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangle("triton_poi_fused_add_0").text, "triton_poi_fused_add_0");
  EXPECT_EQ(demangle("_Znonsense!").text, "_Znonsense!");
  EXPECT_EQ(demangle("").text, "");
}

TEST(Demangle, StopsAtANameThatStandsForTooMuch) {
  // Each parameter is a B of two of the one before it.
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string nested = "_Z1f1AIiiE1BIS0_S0_E";
  for (std::size_t i = 2; i < 30; ++i) {
    const std::string before = "S" + std::string(1, kDigits[i]) + "_";
    nested += "S1_I" + before + before + "E";
  }
  const DemangledName name = demangle(nested);
  EXPECT_TRUE(name.limit);
  EXPECT_EQ(name.text, nested);
  EXPECT_TRUE(demangle("_Z" + std::string(1U << 20U, '1')).limit);
}

}  // namespace
}  // namespace proofline::demangle_test
