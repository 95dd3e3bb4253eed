// SPDX-License-Identifier: Apache-2.0
//
// Mnemonics that sm_90 added: warpgroup tensor cores, the TMA unit, mbarriers, clusters.
#include "arch/mnemonics.h"

namespace proofline {
namespace {

using enum InstructionClass;

// clang-format off
constexpr Mnemonic kHopperAdded[] = {
    {"HGMMA", kTensor}, {"QGMMA", kTensor}, {"IGMMA", kTensor}, {"BGMMA", kTensor},
    {"WARPGROUP", kBarrier}, {"UCGABAR_ARV", kBarrier}, {"UCGABAR_WAIT", kBarrier},
    {"WARPGROUPSET", kBarrier}, {"ENDCOLLECTIVE", kBarrier},
    {"SYNCS", kMbarrier},
    {"UTMALDG", kBulkCopy}, {"UTMASTG", kBulkCopy}, {"UTMAREDG", kBulkCopy},
    {"UTMAPF", kBulkCopy}, {"UTMACCTL", kBulkCopy}, {"UTMACMDFLUSH", kBulkCopy},
    {"UBLKCP", kBulkCopy}, {"UBLKPF", kBulkCopy}, {"UBLKRED", kBulkCopy}, {"ACQBULK", kBulkCopy},
    {"STSM", kSharedStore}, {"STAS", kSharedStore},
    {"REDG", kAtomic}, {"REDAS", kAtomic},
    {"FENCE", kFence}, {"CGAERRBAR", kFence},
    {"VIADD", kInteger}, {"VIADDMNMX", kInteger}, {"VIMNMX", kInteger}, {"VIMNMX3", kInteger},
    {"ELECT", kBranch}, {"PREEXIT", kBranch},
    {"USETMAXREG", kOther}, {"USETSHMSZ", kOther},
    {"LDGMC", kGlobalLoad},
};
// clang-format on

}  // namespace

Mnemonics mnemonics_hopper() { return {"Hopper", kHopperAdded}; }

}  // namespace proofline
