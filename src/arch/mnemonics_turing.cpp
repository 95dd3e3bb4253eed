// SPDX-License-Identifier: Apache-2.0
//
// Mnemonics that sm_75 added: the uniform datapath, matrix loads, integer tensor cores.
#include "arch/mnemonics.h"

namespace proofline {
namespace {

using enum InstructionClass;

// clang-format off
constexpr Mnemonic kTuringAdded[] = {
    {"IMMA", kTensor}, {"BMMA", kTensor},
    {"LDSM", kSharedLoad},
    {"VOTEU", kShuffle},
    {"R2UR", kMove}, {"S2UR", kMove}, {"UMOV", kMove},
    {"ULDC", kConstantLoad},
    {"BRXU", kBranch}, {"JMXU", kBranch},
    {"UBMSK", kUniform}, {"UBREV", kUniform}, {"UFLO", kUniform}, {"UIADD3", kUniform},
    {"UIADD3_64", kUniform}, {"UIMAD", kUniform}, {"UIMNMX", kUniform}, {"UISETP", kUniform}, {"ULEA", kUniform},
    {"ULOP", kUniform}, {"ULOP3", kUniform}, {"ULOP32I", kUniform}, {"UP2UR", kUniform},
    {"UPLOP3", kUniform}, {"UPOPC", kUniform}, {"UPRMT", kUniform}, {"UPSETP", kUniform},
    {"UR2UP", kUniform}, {"USEL", kUniform}, {"USGXT", kUniform}, {"USHF", kUniform},
    {"USHL", kUniform}, {"USHR", kUniform}, {"UCLEA", kUniform},
};
// clang-format on

}  // namespace

Mnemonics mnemonics_turing() { return {"Turing", kTuringAdded}; }

}  // namespace proofline
