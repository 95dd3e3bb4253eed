// SPDX-License-Identifier: Apache-2.0
//
// Which kernel of one profile is which of another: found across hashes and tiles, never guessed.
#include "diagnosis/comparison/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/made_captures.h"

namespace proofline::match_test {
namespace {

// "match-kind a-name b-name" for each pair of captures that hold nothing but durations.
std::vector<std::string> matches(Capture& a, Capture& b, const CompareOptions& options = {}) {
  std::vector<std::string> found;
  for (const KernelComparison& pair : compare(a, b, options).kernels) {
    found.push_back(std::string(to_string(pair.match)) + " " + pair.a.name + " " + pair.b.name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

using Names = std::vector<std::string>;

std::vector<std::string> match_names(const Names& in_a, const Names& in_b, bool force = false) {
  Capture a;
  Capture b;
  for (const std::string& name : in_a) a.add(name, kGrid, kBlock, time_of(1000));
  for (const std::string& name : in_b) b.add(name, kGrid, kBlock, time_of(1000));
  CompareOptions options;
  options.force = force;
  return matches(a, b, options);
}

TEST(Matching, FindsAKernelAcrossHashesAndCounters) {
  EXPECT_EQ(match_names({"fn_moe_5f3a91c2"}, {"fn_moe_0b77e412"}),
            Names({"normalised-name fn_moe_5f3a91c2 fn_moe_0b77e412"}));
  EXPECT_EQ(match_names({"softmax_0d1d2de"}, {"softmax_0d1d"}),
            Names({"normalised-name softmax_0d1d2de softmax_0d1d"}));
  EXPECT_EQ(match_names({"triton_poi_fused_add_3"}, {"triton_poi_fused_add_12"}),
            Names({"normalised-name triton_poi_fused_add_3 triton_poi_fused_add_12"}));
  EXPECT_EQ(match_names({"gemm_a1b2c3d4(float *)", "gemm(float *)"},
                        {"gemm(float *)", "gemm_99b2c3d4(float *)"}),
            Names({"exact gemm(float *) gemm(float *)",
                   "normalised-name gemm_a1b2c3d4(float *) gemm_99b2c3d4(float *)"}));
}

TEST(Matching, FindsAKernelWhoseParametersOrTileChanged) {
  EXPECT_EQ(match_names({"k(float *)", "other()"}, {"k(float *, int)", "other()"}),
            Names({"exact other() other()", "function k(float *) k(float *, int)"}));
  EXPECT_EQ(match_names({"tile<64>(float *)", "other()"}, {"tile<128>(float *)", "other()"}),
            Names({"exact other() other()", "function tile<64>(float *) tile<128>(float *)"}));
}

// One kernel of a function that takes so long.
MatchSubject timed(std::string_view function, double ns) {
  MatchSubject subject;
  subject.name = function;
  subject.function = function;
  subject.total_ns = ns;
  return subject;
}

TEST(Matching, PairsTheWorkThatWasRenamedBesideAWarmUp) {
  const auto kinds = [](const Matching& matching) {
    std::vector<MatchKind> found;
    for (const KernelPair& pair : matching.pairs) found.push_back(pair.kind);
    return found;
  };
  using enum MatchKind;
  // The warm-up is on both sides, or on one alone.
  EXPECT_EQ(kinds(match_kernels({timed("warm", 1e3), timed("naive", 2e6)},
                                {timed("warm", 1e3), timed("tiled", 4e5)}, false)),
            std::vector({kExact, kWork}));
  EXPECT_EQ(
      kinds(match_kernels({timed("warm", 1e3), timed("naive", 2e6)}, {timed("tiled", 4e5)}, false)),
      std::vector({kWork}));
  // Where two share the time it could be either.
  EXPECT_TRUE(kinds(match_kernels({timed("first", 1e6), timed("second", 2e6)},
                                  {timed("fused", 2e6)}, false))
                  .empty());
  // Whoever chose two reports of one kernel each has to insist.
  EXPECT_TRUE(kinds(match_kernels({timed("naive", 2e6)}, {timed("tiled", 4e5)}, false)).empty());
  EXPECT_EQ(kinds(match_kernels({timed("first", 1e6), timed("second", 2e6)}, {timed("fused", 2e6)},
                                false, {{"second", "fused"}})),
            std::vector({kChosen}));
}

TEST(Matching, NeverGuesses) {
  // PyTorch's kernels differ in the functor alone.
  EXPECT_EQ(match_names({"map<Add<float>>()", "x()"}, {"map<Mul<float>>()", "x()"}),
            Names({"exact x() x()"}));
  EXPECT_EQ(match_names({"copy<float4>()", "x()"}, {"copy<float2>()", "x()"}),
            Names({"exact x() x()"}));
  // A tile's size is no counter.
  EXPECT_EQ(match_names({"gemm_128x64", "x()"}, {"gemm_64x64", "x()"}), Names({"exact x() x()"}));
  // Two could be the one.
  EXPECT_EQ(match_names({"f_11aa22bb", "f_33cc44dd"}, {"f_55ee66ff"}), Names({}));
  // Of two variants one is on both sides: the other two need not be one.
  EXPECT_EQ(match_names({"t<0>()", "t<1>()"}, {"t<1>()", "t<2>()"}),
            Names({"exact t<1>() t<1>()"}));
  EXPECT_EQ(match_names({"before()"}, {"after()"}), Names({}));
}

TEST(Matching, TheOnlyKernelOnEachSideIsMeant) {
  EXPECT_EQ(match_names({"map<Add<float>>()"}, {"map<Mul<float>>()"}),
            Names({"function map<Add<float>>() map<Mul<float>>()"}));
  EXPECT_EQ(match_names({"before()"}, {"after()"}, true), Names({"forced before() after()"}));
}

TEST(Matching, AShapeThatOnlyOneSideHasIsNoPair) {
  Capture a;
  Capture b;
  a.add("k()", {8, 1, 1}, kBlock, time_of(1000));
  a.add("k()", {16, 1, 1}, kBlock, time_of(2000));
  b.add("k()", {16, 1, 1}, kBlock, time_of(1800));
  b.add("k()", {32, 1, 1}, kBlock, time_of(3000));
  const ProfileComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.kernels.size(), 1U);
  EXPECT_EQ(comparison.kernels[0].a.grid, (Dim3{16, 1, 1}));
  EXPECT_FALSE(comparison.kernels[0].refused);
  ASSERT_EQ(comparison.only_in_a.size(), 1U);
  ASSERT_EQ(comparison.only_in_b.size(), 1U);
  EXPECT_EQ(comparison.only_in_a[0].kernel.grid, (Dim3{8, 1, 1}));
  ASSERT_TRUE(comparison.only_in_a[0].candidate);
  EXPECT_EQ(comparison.only_in_a[0].candidate->grid, (Dim3{32, 1, 1}));
  EXPECT_EQ(comparison.only_in_a[0].reason, "that kernel has other shapes there");
}

TEST(Matching, NamesTheNearestOfWhatIsLeft) {
  Capture a;
  Capture b;
  a.add("fused_softmax_forward(float *)", kGrid, kBlock, time_of(1000));
  a.add("same()", kGrid, kBlock, time_of(1000));
  b.add("gemm(half *)", kGrid, kBlock, time_of(1000));
  b.add("fused_softmax_backward(float *)", kGrid, kBlock, time_of(1000));
  b.add("same()", kGrid, kBlock, time_of(1000));
  const ProfileComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.only_in_a.size(), 1U);
  ASSERT_TRUE(comparison.only_in_a[0].candidate);
  EXPECT_EQ(comparison.only_in_a[0].candidate->function, "fused_softmax_backward");
  EXPECT_EQ(comparison.only_in_b.size(), 2U);
}

}  // namespace
}  // namespace proofline::match_test
