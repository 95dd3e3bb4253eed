// SPDX-License-Identifier: Apache-2.0
//
// Mnemonics that sm_80 to sm_89 added: asynchronous copies, FP64 tensor cores, warp reductions.
#include "arch/mnemonics.h"

namespace proofline {
namespace {

using enum InstructionClass;

// clang-format off
constexpr Mnemonic kAmpereAdded[] = {
    {"DMMA", kTensor},
    {"LDGSTS", kAsyncCopy},
    {"LDGDEPBAR", kFence}, {"ARRIVES", kFence},
    {"HMNMX2", kFp16},
    {"REDUX", kShuffle},
    {"I2IP", kConversion}, {"F2IP", kConversion},
    {"MOVM", kMove},
    {"VHMNMX", kInteger},
    {"UF2FP", kUniform},
};
// clang-format on

}  // namespace

Mnemonics mnemonics_ampere() { return {"Ampere", kAmpereAdded}; }

}  // namespace proofline
