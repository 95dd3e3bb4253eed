// SPDX-License-Identifier: Apache-2.0
//
// How ncu shortens kernel names by what the names of one report have in common.
#include "model/profile/display_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace proofline::display_name_test {
namespace {

using Names = std::vector<std::string>;

Names displayed(const Names& names) {
  Profile profile;
  for (const std::string& name : names) profile.launches.emplace_back().name = name;
  return display_names(profile);
}

TEST(DisplayNames, DropsNamespacesThatAllNamesHave) {
  EXPECT_EQ(displayed({"void at::native::fill<float>(T1)", "void at::sum(at::Tensor)"}),
            (Names{"void native::fill<float>(T1)", "void sum(Tensor)"}));
  EXPECT_EQ(displayed({"void at::native::fill<float>(T1)"}), (Names{"void fill<float>(T1)"}));
}

TEST(DisplayNames, KeepsTheRarestNamespaceTheFirstOfEquals) {
  EXPECT_EQ(displayed({"a::b::f(int)", "a::g(int)", "h(int)"}),
            (Names{"b::f(int)", "a::g(int)", "h(int)"}));
  EXPECT_EQ(displayed({"a::b::f(int)", "h(int)"}), (Names{"a::f(int)", "h(int)"}));
}

// A second launch of a kernel does not make its namespaces more frequent.
TEST(DisplayNames, CountsDistinctNames) {
  EXPECT_EQ(displayed({"a::b::f()", "a::b::f()", "a::g()", "h()"}),
            (Names{"b::f()", "b::f()", "a::g()", "h()"}));
}

TEST(DisplayNames, DropsCastsBeforeNumbersOnly) {
  EXPECT_EQ(displayed({"void f<(int)512, (bool)1, (unsigned int)-3>(T1 (*)(int))"}),
            (Names{"void f<512, 1, (unsigned int)-3>(T1 (*)(int))"}));
}

TEST(DisplayNames, LeavesOtherTextAlone) {
  const Names names = {"",    "ampere_sgemm_128x64_nn", "<default domain>:step 1", "((((", "::",
                       "a:b", "f(int)\n\x1b[31m"};
  EXPECT_EQ(displayed(names), names);
  EXPECT_EQ(displayed({}), Names{});
}

TEST(DisplayNames, TakesNamesOfAnyLengthAndDepth) {
  std::string qualified;
  for (int i = 0; i < 200'000; ++i) qualified += "n::";
  EXPECT_EQ(displayed({qualified + "f", "g"}), (Names{"n::f", "g"}));
  const std::string brackets(200'000, '(');
  EXPECT_EQ(displayed({brackets}), Names{brackets});
}

TEST(WithoutSignature, TakesOffReturnTypeAndParameters) {
  EXPECT_EQ(without_signature("void native::reduce<512, 1>(T3)"), "native::reduce<512, 1>");
  EXPECT_EQ(without_signature("f(int (*)(int), T2)"), "f");
  EXPECT_EQ(without_signature("void f<(A)1>(int)"), "f<(A)1>");
}

TEST(WithoutSignature, LeavesAbiTagsOut) {
  EXPECT_EQ(without_signature("copy_blocked[v1,cw51cXTLSUwv1sDUaKthr](Array<long long, 1, C>)"),
            "copy_blocked");
  EXPECT_EQ(without_signature("__main__::add[abi:v1][abi:cw51cXTLSUwv1sCUt9Uw1VEw](int, int)"),
            "__main__::add");
  EXPECT_EQ(without_signature("add[abi:v1,cw51cXTLSUwv1sCUt9Uw1VEw]"), "add");
}

TEST(WithoutSignature, LeavesOtherTextAlone) {
  for (const char* name : {"", "ampere_sgemm_128x64_nn", "(int)", ")", "f)", "f(", "step (1) done",
                           "A::operator[]", "[abi:v1]", "]", "range [v1]"}) {
    EXPECT_EQ(without_signature(name), name);
  }
}

}  // namespace
}  // namespace proofline::display_name_test
