// SPDX-License-Identifier: Apache-2.0
#include "vocabulary/ptx_names.h"

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kWidthIsSuffix = "The width is a suffix: .64 and .128 bits, .U8, .U16.";
constexpr std::string_view kEveryMbarrier = "Every operation on an mbarrier is a SYNCS.";
constexpr std::string_view kGlobalAtomic =
    "ATOMG where the result is used, REDG (RED before sm_90) where it is not, ATOM where the "
    "compiler cannot tell the memory.";

constexpr PtxName kPtxNames[] = {
    // --- tensor cores
    {"wgmma", "HGMMA|QGMMA|IGMMA|BGMMA",
     "One mnemonic for each kind of number: HGMMA is FP16, BF16 and TF32, QGMMA FP8, IGMMA INT8, "
     "BGMMA single bits."},
    {"wgmma_async", "HGMMA|QGMMA|IGMMA|BGMMA",
     "Not PTX either, where it is wgmma.mma_async. One mnemonic for each kind of number: HGMMA is "
     "FP16, BF16 and TF32, QGMMA FP8, IGMMA INT8, BGMMA single bits."},
    {"wgmma.fence", "WARPGROUP.ARRIVE", ""},
    {"wgmma.commit_group", "", "It is an operand of the group's last HGMMA: gsb0."},
    {"wgmma.wait_group", "WARPGROUP.DEPBAR", ""},
    {"mma", "HMMA|IMMA|DMMA|BMMA|QMMA|OMMA", "One mnemonic for each kind of number."},
    {"wmma", "HMMA|IMMA|DMMA|BMMA", "One mnemonic for each kind of number."},
    {"tcgen05", "UTC*|LDTM|STTM", ""},
    {"tcgen05.mma", "UTCHMMA|UTCQMMA|UTCIMMA|UTCOMMA|UTCMXQMMA",
     "One mnemonic for each kind of number: UTCHMMA is FP16, BF16 and TF32, UTCQMMA FP8 and FP6, "
     "UTCIMMA INT8, UTCOMMA FP4."},
    {"tcgen05.ld", "LDTM", ""},
    {"tcgen05.st", "STTM", ""},
    {"tcgen05.cp", "UTCCP", ""},
    {"tcgen05.shift", "UTCSHIFT", ""},
    {"tcgen05.commit", "UTCBAR", ""},
    {"tcgen05.alloc", "UTCATOMSWS", "UTCATOMSWS.FIND_AND_SET takes columns, .AND gives them back."},
    {"tcgen05.dealloc", "UTCATOMSWS",
     "UTCATOMSWS.FIND_AND_SET takes columns, .AND gives them back."},
    {"tcgen05.wait", "",
     "wait::ld is a scoreboard that the first user of LDTM's registers waits for, in its control "
     "bits; wait::st is FENCE.VIEW.ASYNC.T."},
    {"tcgen05.wait::st", "FENCE.VIEW.ASYNC.T", ""},
    {"tcgen05.fence", "", "It only keeps the compiler from moving instructions across it."},
    {"ldmatrix", "LDSM", ""},
    {"stmatrix", "STSM", ""},
    {"movmatrix", "MOVM", ""},

    // --- memory
    {"st.shared", "STS", kWidthIsSuffix},
    {"st.shared.v*", "STS.*64|STS.*128", kWidthIsSuffix},
    {"st.shared.v2", "STS.*64", "Of 32-bit words; .v2.b64 is STS.128."},
    {"st.shared.v2.b64", "STS.*128", ""},
    {"st.shared.v2.f64", "STS.*128", ""},
    {"st.shared.v2.u64", "STS.*128", ""},
    {"st.shared.v4", "STS.*128", "Of 32-bit words."},
    {"ld.shared", "LDS", kWidthIsSuffix},
    {"ld.shared.v*", "LDS.*64|LDS.*128", kWidthIsSuffix},
    {"ld.shared.v2", "LDS.*64", "Of 32-bit words; .v2.b64 is LDS.128."},
    {"ld.shared.v2.b64", "LDS.*128", ""},
    {"ld.shared.v2.f64", "LDS.*128", ""},
    {"ld.shared.v2.u64", "LDS.*128", ""},
    {"ld.shared.v4", "LDS.*128", "Of 32-bit words."},
    {"st.global", "STG", kWidthIsSuffix},
    {"st.global.v2", "STG.*64", "Of 32-bit words; .v2.b64 is STG.E.128."},
    {"st.global.v2.b64", "STG.*128", ""},
    {"st.global.v4", "STG.*128", "Of 32-bit words; .v4.b64 is STG.E.ENL2.256."},
    {"st.global.v4.b64", "STG.*256", ""},
    {"st.global.v8", "STG.*256", "STG.E.ENL2.256, from sm_100 on."},
    {"stg.e.v8", "STG.*256",
     "No such mnemonic: 256-bit stores are STG.E.ENL2.256, from sm_100 on; four words are "
     "STG.E.128."},
    {"stg.e.v4", "STG.*128", "No such mnemonic: the suffix is in bits."},
    {"ld.global", "LDG", kWidthIsSuffix},
    {"ld.global.nc", "LDG.*CONSTANT", ""},
    {"ld.global.v2", "LDG.*64", "Of 32-bit words; .v2.b64 is LDG.E.128."},
    {"ld.global.v2.b64", "LDG.*128", ""},
    {"ld.global.v4", "LDG.*128", "Of 32-bit words; .v4.b64 is LDG.E.ENL2.256."},
    {"ld.global.v4.b64", "LDG.*256", ""},
    {"ld.global.v8", "LDG.*256", "LDG.E.ENL2.256, from sm_100 on."},
    {"st.local", "STL", "Spills, and arrays that are indexed at run time."},
    {"ld.local", "LDL", "Spills, and arrays that are indexed at run time."},
    {"ld.const", "LDC|ULDC|LDCU", "Many constants are operands, c[0x3][0x10], and not loads."},
    {"ld.param", "LDC|ULDC|LDCU", "Many parameters are operands, c[0x0][0x210], and not loads."},
    {"st.async", "STAS", ""},
    {"red.async", "REDAS", ""},
    {"atom.global", "ATOMG|REDG|RED|ATOM", kGlobalAtomic},
    {"red.global", "REDG|RED", "RED before sm_90."},
    {"atom.shared", "ATOMS", ""},
    {"red.shared", "ATOMS", ""},
    {"multimem.ld_reduce", "LDGMC", ""},

    // --- asynchronous copies
    {"cp.async", "LDGSTS", ""},
    {"cp.async.commit_group", "LDGDEPBAR", ""},
    {"cp.async.wait_group", "DEPBAR.LE", ""},
    {"cp.async.wait_all", "DEPBAR.LE", ""},
    {"cp.async.mbarrier", "ARRIVES", ""},
    {"cp.async.bulk", "UBLKCP|UTMALDG|UTMASTG",
     "UBLKCP copies plain bytes; UTMALDG loads a tile of a tensor, UTMASTG stores one."},
    {"cp.async.bulk.tensor", "UTMALDG|UTMASTG",
     "UTMALDG loads into shared memory, UTMASTG stores from it."},
    {"cp.async.bulk.commit", "UTMACMDFLUSH", ""},
    {"cp.async.bulk.commit_group", "UTMACMDFLUSH", ""},
    {"cp.async.bulk.wait", "DEPBAR.LE", "In PTX it is cp.async.bulk.wait_group."},
    {"cp.async.bulk.wait_group", "DEPBAR.LE", ""},
    {"cp.async.bulk.prefetch", "UBLKPF", ""},
    {"cp.async.bulk.prefetch.tensor", "UTMAPF", ""},
    {"cp.reduce.async.bulk", "UBLKRED", ""},
    {"cp.reduce.async.bulk.tensor", "UTMAREDG", ""},
    {"prefetch.tensormap", "UTMACCTL.PF", ""},
    {"tma", "UTMALDG|UTMASTG|UTMAREDG|UBLKCP", "The unit's name; no instruction is called so."},

    // --- barriers and fences
    {"mbarrier", "SYNCS", kEveryMbarrier},
    {"mbarrier.init", "SYNCS.EXCH", kEveryMbarrier},
    {"mbarrier.inval", "SYNCS.CCTL", kEveryMbarrier},
    {"mbarrier.arrive", "SYNCS.ARRIVE", kEveryMbarrier},
    {"mbarrier.expect_tx", "SYNCS.ARRIVE", kEveryMbarrier},
    {"mbarrier.test_wait", "SYNCS.PHASECHK", kEveryMbarrier},
    {"mbarrier.try_wait", "SYNCS.PHASECHK.*TRYWAIT", kEveryMbarrier},
    {"bar.sync", "BAR.SYNC", ""},
    {"barrier.sync", "BAR.SYNC", ""},
    {"barrier.cta.sync", "BAR.SYNC", ""},
    {"bar.arrive", "BAR.ARV", ""},
    {"bar.red", "BAR.RED", ""},
    {"__syncthreads", "BAR.SYNC", ""},
    {"bar.warp", "WARPSYNC", "Left out where the warp is known to be together."},
    {"bar.sync.warp", "WARPSYNC", "BAR is for blocks; a warp's own barrier is WARPSYNC."},
    {"__syncwarp", "WARPSYNC", "Left out where the warp is known to be together."},
    {"barrier.cluster.arrive", "UCGABAR_ARV", ""},
    {"barrier.cluster.wait", "UCGABAR_WAIT", ""},
    {"fence.proxy.async", "FENCE.VIEW.ASYNC", ""},
    {"fence.acq_rel", "MEMBAR.ALL", ""},
    {"fence.sc", "MEMBAR.SC", ""},
    {"fence.mbarrier_init", "", "It only keeps the compiler from moving instructions across it."},
    {"membar.cta", "MEMBAR.*CTA", ""},
    {"membar.gl", "MEMBAR.*GPU", ""},
    {"membar.sys", "MEMBAR.*SYS", ""},
    {"griddepcontrol.wait", "ACQBULK", ""},
    {"griddepcontrol.launch_dependents", "PREEXIT", ""},

    // --- the rest of what people look for
    {"cvt", "F2F|F2FP|F2I|I2F|I2FP|I2I|I2IP|FRND|HADD2.F32",
     "One mnemonic for each pair of types: F2FP packs two narrow floats, HADD2.F32 widens a half. "
     "A BF16 is widened by a shift, SHF or PRMT, which no search can tell from others."},
    {"cvt.rn.bf16x2.f32", "F2FP.BF16*", ""},
    {"cvt.rn.f16x2.f32", "F2FP.F16*", ""},
    {"shfl.sync", "SHFL", ""},
    {"vote.sync", "VOTE|VOTEU", ""},
    {"match.any", "MATCH.ANY", ""},
    {"match.all", "MATCH.ALL", ""},
    {"redux.sync", "REDUX|CREDUX", ""},
    {"elect.sync", "ELECT", ""},
    {"setmaxnreg", "USETMAXREG", ""},
    {"nanosleep", "NANOSLEEP", ""},
    {"prmt", "PRMT", ""},
    {"lop3", "LOP3", ""},
    {"fma.rn.f32", "FFMA|FFMA2", ""},
    {"fma.rn.bf16x2", "HFMA2*BF16*", ""},
    {"fma.rn.f16x2", "HFMA2", "HFMA2 with -RZ, RZ is how the compiler loads a constant."},
    {"ex2.approx", "MUFU.EX2", ""},
    {"rcp.approx", "MUFU.RCP", ""},
    {"rsqrt.approx", "MUFU.RSQ", ""},
    {"tanh.approx", "MUFU.TANH", ""},
};

// The row is the name's beginning and ends where a part of the name does.
bool begins_with(std::string_view typed, std::string_view row) {
  constexpr std::string_view kEndsPart = ".:*";
  return equal_but_case(typed.substr(0, row.size()), row) &&
         (typed.size() == row.size() || kEndsPart.find(typed[row.size()]) != kEndsPart.npos);
}

}  // namespace

std::span<const PtxName> ptx_names() { return kPtxNames; }

const PtxName* find_ptx_name(std::string_view typed) {
  const PtxName* found = nullptr;
  for (const PtxName& name : kPtxNames) {
    const bool longer = found == nullptr || name.ptx.size() > found->ptx.size();
    if (longer && begins_with(typed, name.ptx)) found = &name;
  }
  const bool is_sass =
      found != nullptr && equal_but_case(found->ptx, found->sass) && typed.starts_with(found->sass);
  return is_sass ? nullptr : found;
}

}  // namespace proofline
