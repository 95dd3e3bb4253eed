// SPDX-License-Identifier: Apache-2.0
//
// Mnemonics that sm_100 to sm_121 added: tensor memory, tcgen05, narrow tensor formats.
#include "arch/mnemonics.h"

namespace proofline {
namespace {

using enum InstructionClass;

// clang-format off
constexpr Mnemonic kBlackwellAdded[] = {
    {"UTCHMMA", kTensor}, {"UTCQMMA", kTensor}, {"UTCOMMA", kTensor}, {"UTCIMMA", kTensor},
    {"UTCMXQMMA", kTensor}, {"QMMA", kTensor}, {"OMMA", kTensor},
    {"LDTM", kTensorMemory}, {"STTM", kTensorMemory}, {"LDT", kTensorMemory},
    {"STT", kTensorMemory}, {"UTCATOMSWS", kTensorMemory}, {"UTCCP", kTensorMemory},
    {"UTCSHIFT", kTensorMemory}, {"UTCSTSWS", kTensorMemory},
    {"UTCBAR", kMbarrier},
    {"LDCU", kConstantLoad},
    {"FADD2", kFp32}, {"FMUL2", kFp32}, {"FFMA2", kFp32}, {"FMNMX3", kFp32}, {"FHADD", kFp32},
    {"FHFMA", kFp32}, 
    {"UFADD", kUniform}, {"UFFMA", kUniform}, {"UFMUL", kUniform}, {"UFMNMX", kUniform},
    {"UFSEL", kUniform}, {"UFSET", kUniform}, {"UFSETP", kUniform}, {"UI2F", kUniform},
    {"UI2FP", kUniform}, {"UI2IP", kUniform}, {"UF2F", kUniform}, {"UF2I", kUniform},
    {"UFRND", kUniform}, {"UVIADD", kUniform}, {"UVIMNMX", kUniform}, {"UVIADDMNMX", kUniform},
    {"UVIMNMX3", kUniform}, {"UIABS", kUniform}, {"UREDUX", kUniform}, {"USETP", kUniform},
    {"UGETNEXTWORKID", kUniform}, {"UVIRTCOUNT", kUniform}, {"UISAD", kUniform},
    {"CREDUX", kShuffle},
    {"UBLKCPGS", kBulkCopy},
    {"STGMC", kGlobalStore},
    {"UBAR", kBarrier},
    {"CS2UR", kMove},
};
// clang-format on

}  // namespace

Mnemonics mnemonics_blackwell() { return {"Blackwell", kBlackwellAdded}; }

}  // namespace proofline
