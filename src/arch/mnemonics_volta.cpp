// SPDX-License-Identifier: Apache-2.0
//
// Mnemonics of sm_70 and sm_72, with which the 128-bit encodings began.
#include "arch/mnemonics.h"

namespace proofline {
namespace {

using enum InstructionClass;

// clang-format off
constexpr Mnemonic kVoltaAdded[] = {
    {"HMMA", kTensor},
    {"DADD", kFp64}, {"DFMA", kFp64}, {"DMUL", kFp64}, {"DSETP", kFp64},
    {"FADD", kFp32}, {"FADD32I", kFp32}, {"FCHK", kFp32}, {"FFMA", kFp32}, {"FFMA32I", kFp32},
    {"FMNMX", kFp32}, {"FMUL", kFp32}, {"FMUL32I", kFp32}, {"FSEL", kFp32}, {"FSET", kFp32},
    {"FSETP", kFp32}, {"FSWZADD", kFp32},
    {"HADD2", kFp16}, {"HADD2_32I", kFp16}, {"HFMA2", kFp16}, {"HFMA2_32I", kFp16},
    {"HMUL2", kFp16}, {"HMUL2_32I", kFp16}, {"HSET2", kFp16}, {"HSETP2", kFp16},
    {"BMSK", kInteger}, {"BREV", kInteger}, {"FLO", kInteger}, {"IABS", kInteger},
    {"IADD", kInteger}, {"IADD3", kInteger}, {"IADD32I", kInteger}, {"IDP", kInteger},
    {"IDP4A", kInteger}, {"IMAD", kInteger}, {"IMNMX", kInteger},
    {"IMUL", kInteger}, {"IMUL32I", kInteger}, {"ISCADD", kInteger}, {"ISCADD32I", kInteger},
    {"ISETP", kInteger}, {"LEA", kInteger}, {"LOP", kInteger}, {"LOP3", kInteger},
    {"LOP32I", kInteger}, {"POPC", kInteger}, {"SHF", kInteger}, {"SHL", kInteger},
    {"SHR", kInteger}, {"SGXT", kInteger}, {"VABSDIFF", kInteger}, {"VABSDIFF4", kInteger},
    {"PRMT", kInteger}, {"SEL", kInteger}, {"P2R", kInteger}, {"R2P", kInteger},
    {"PLOP3", kInteger}, {"PSETP", kInteger}, {"CSET", kInteger}, {"CSETP", kInteger},
    {"F2F", kConversion}, {"F2I", kConversion}, {"I2F", kConversion}, {"I2I", kConversion},
    {"F2FP", kConversion}, {"I2FP", kConversion}, {"FRND", kConversion},
    {"MUFU", kSpecialFunction},
    {"MOV", kMove}, {"MOV32I", kMove}, {"S2R", kMove}, {"CS2R", kMove}, {"B2R", kMove},
    {"R2B", kMove}, {"GETLMEMBASE", kMove}, {"SETLMEMBASE", kMove}, {"LEPC", kMove},
    {"PCNT", kMove}, {"AL2P", kMove}, {"ALD", kMove}, {"AST", kMove}, {"OUT", kMove},
    {"PIXLD", kMove}, {"IPA", kMove}, {"ISBERD", kMove}, {"ISBEWR", kMove},
    {"LDG", kGlobalLoad},
    {"STG", kGlobalStore},
    {"LDS", kSharedLoad},
    {"STS", kSharedStore},
    {"LDL", kLocalLoad},
    {"STL", kLocalStore},
    {"LDC", kConstantLoad},
    {"LD", kGenericLoad},
    {"ST", kGenericStore},
    {"TEX", kTexture}, {"TLD", kTexture}, {"TLD4", kTexture}, {"TMML", kTexture},
    {"TXD", kTexture}, {"TXQ", kTexture}, {"TXA", kTexture}, {"SULD", kTexture},
    {"SUST", kTexture}, {"SUATOM", kTexture}, {"SURED", kTexture}, {"SUQUERY", kTexture},
    {"ATOM", kAtomic}, {"ATOMG", kAtomic}, {"ATOMS", kAtomic}, {"RED", kAtomic},
    {"BAR", kBarrier}, {"WARPSYNC", kBarrier},
    {"MEMBAR", kFence}, {"CCTL", kFence}, {"CCTLL", kFence}, {"CCTLT", kFence},
    {"ERRBAR", kFence}, {"QSPC", kFence}, {"DEPBAR", kFence},
    {"SHFL", kShuffle}, {"VOTE", kShuffle}, {"MATCH", kShuffle}, {"VOTE_VTG", kShuffle},
    {"BRA", kBranch}, {"BRX", kBranch}, {"JMP", kBranch}, {"JMX", kBranch}, {"CALL", kBranch},
    {"RET", kBranch}, {"EXIT", kBranch}, {"BSSY", kBranch}, {"BSYNC", kBranch},
    {"BREAK", kBranch}, {"BMOV", kBranch}, {"KILL", kBranch}, {"BPT", kBranch}, {"RTT", kBranch},
    {"RPCMOV", kBranch}, {"NANOSLEEP", kBranch}, {"YIELD", kBranch}, {"IDE", kBranch},
    {"NOP", kOther},
};
// clang-format on

}  // namespace

Mnemonics mnemonics_volta() { return {"Volta", kVoltaAdded}; }

}  // namespace proofline
