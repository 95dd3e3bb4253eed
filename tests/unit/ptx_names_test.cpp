// SPDX-License-Identifier: Apache-2.0
//
// PTX leads to the SASS that it becomes, SASS is left alone.
#include "vocabulary/ptx_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "arch/mnemonics.h"

namespace proofline::ptx_names_test {
namespace {

std::string sass_of(std::string_view typed) {
  const PtxName* name = find_ptx_name(typed);
  return name == nullptr ? "not PTX" : std::string(name->sass);
}

TEST(PtxNames, LeadToTheSassThatPlaybooksMean) {
  EXPECT_EQ(sass_of("wgmma"), "HGMMA|QGMMA|IGMMA|BGMMA");
  EXPECT_EQ(sass_of("wgmma_async"), "HGMMA|QGMMA|IGMMA|BGMMA");
  EXPECT_EQ(sass_of("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16"),
            "HGMMA|QGMMA|IGMMA|BGMMA");
  EXPECT_EQ(sass_of("st.shared"), "STS");
  EXPECT_EQ(sass_of("st.shared.v4"), "STS.*128");
  EXPECT_EQ(sass_of("ld.shared"), "LDS");
  EXPECT_EQ(sass_of("cvt").find("F2F|F2FP|"), 0U);
  EXPECT_EQ(sass_of("TCGEN05.LD"), "LDTM");
  EXPECT_EQ(sass_of("tcgen05.mma.cta_group::1.kind::f16").find("UTCHMMA|UTCQMMA"), 0U);
  EXPECT_EQ(sass_of("tcgen05.commit"), "UTCBAR");
  EXPECT_EQ(sass_of("FENCE.PROXY.ASYNC"), "FENCE.VIEW.ASYNC");
  EXPECT_EQ(sass_of("BAR.SYNC.WARP"), "WARPSYNC");
  EXPECT_EQ(sass_of("CP.ASYNC.BULK.TENSOR.2D"), "UTMALDG|UTMASTG");
  EXPECT_EQ(sass_of("CP.ASYNC.BULK.COMMIT"), "UTMACMDFLUSH");
  EXPECT_EQ(sass_of("CP.ASYNC.BULK.WAIT"), "DEPBAR.LE");
  EXPECT_EQ(sass_of("cp.async.bulk.wait_group.read"), "DEPBAR.LE");
  EXPECT_EQ(sass_of("cp.async.bulk.shared::cluster.global"), "UBLKCP|UTMALDG|UTMASTG");
  EXPECT_EQ(sass_of("cp.async.cg.shared.global"), "LDGSTS");
  EXPECT_EQ(sass_of("mbarrier.try_wait.parity"), "SYNCS.PHASECHK.*TRYWAIT");
  EXPECT_EQ(sass_of("STG.E.V8"), "STG.*256");
  EXPECT_EQ(sass_of("bar.sync"), "BAR.SYNC");
}

TEST(PtxNames, TakeTheLongestRowAndWholePartsOnly) {
  EXPECT_EQ(sass_of("st.shared.v*"), "STS.*64|STS.*128");
  EXPECT_EQ(sass_of("wgmma.*"), "HGMMA|QGMMA|IGMMA|BGMMA");
  EXPECT_EQ(sass_of("wgmma*"), "HGMMA|QGMMA|IGMMA|BGMMA");
  EXPECT_EQ(sass_of("wgmma.wait_group.sync.aligned"), "WARPGROUP.DEPBAR");
  EXPECT_EQ(sass_of("wgmmas"), "not PTX");
  EXPECT_EQ(sass_of("st.sharedx"), "not PTX");
  EXPECT_EQ(sass_of(""), "not PTX");
}

TEST(PtxNames, SayWhatIsNoInstructionOfItsOwn) {
  for (const char* typed : {"tcgen05.wait", "TCGEN05.WAIT", "tcgen05.wait::ld", "tcgen05.fence",
                            "wgmma.commit_group"}) {
    const PtxName* name = find_ptx_name(typed);
    ASSERT_NE(name, nullptr) << typed;
    EXPECT_EQ(name->sass, "") << typed;
    EXPECT_FALSE(name->why.empty()) << typed;
  }
  EXPECT_EQ(sass_of("tcgen05.wait::st"), "FENCE.VIEW.ASYNC.T");
}

TEST(PtxNames, LeaveSassAlone) {
  for (const char* sass :
       {"BAR.SYNC.DEFER_BLOCKING", "BAR.SYNC", "STG.E.128", "STG.E.ENL2.256", "HGMMA", "STS",
        "FENCE.VIEW.ASYNC.S", "MEMBAR.SC.GPU", "SHFL.BFLY", "RED.E.ADD", "ATOM.E.CAS.STRONG.GPU",
        "LDTM.x32", "NANOSLEEP.SYNCS", "PRMT", "LOP3.LUT", "MATCH.ANY"}) {
    EXPECT_EQ(sass_of(sass), "not PTX") << sass;
  }
}

// Rows are found under their own name, once, and lead to mnemonics that some generation has.
TEST(PtxNames, LeadToMnemonicsThatExist) {
  std::set<std::string_view> seen;
  for (const PtxName& name : ptx_names()) {
    EXPECT_EQ(find_ptx_name(name.ptx), &name) << name.ptx;
    EXPECT_TRUE(seen.insert(name.ptx).second) << name.ptx;
    std::string_view rest = name.sass;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find('|'));
      const std::string_view mnemonic = one.substr(0, one.find_first_of(".*"));
      if (mnemonic != "UTC") {
        EXPECT_NE(instruction_class(mnemonic), InstructionClass::kUnknown) << one;
      }
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
  }
}

}  // namespace
}  // namespace proofline::ptx_names_test
