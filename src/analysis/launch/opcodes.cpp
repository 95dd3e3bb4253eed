// SPDX-License-Identifier: Apache-2.0
//
// Classes by the first part of a mnemonic, sm_70 to sm_120.
#include "analysis/launch/opcodes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace proofline {
namespace {

using Prefix = std::pair<std::string_view, std::string_view>;

// Whole mnemonics first, so that none is taken for a longer family.
constexpr std::array<Prefix, 28> kExact = {{
    {"LD", "global"},
    {"ST", "global"},
    {"LDC", "constant"},
    {"ULDC", "constant"},
    {"LDCU", "constant"},
    {"LDL", "local"},
    {"STL", "local"},
    {"LDS", "shared"},
    {"STS", "shared"},
    {"LDSM", "shared"},
    {"STSM", "shared"},
    {"LDG", "global"},
    {"STG", "global"},
    {"LDGSTS", "async"},
    {"RED", "atomic"},
    {"REDG", "atomic"},
    {"MUFU", "special-function"},
    {"BAR", "barrier"},
    {"UBAR", "barrier"},
    {"MEMBAR", "fence"},
    {"FENCE", "fence"},
    {"CCTL", "fence"},
    {"ERRBAR", "fence"},
    {"SHFL", "shuffle"},
    {"SYNCS", "async"},
    {"DEPBAR", "control"},
    {"LDGDEPBAR", "async"},
    {"R2UR", "move"},
}};

constexpr std::array<Prefix, 52> kFamilies = {{
    {"HMMA", "tensor"},    {"IMMA", "tensor"},    {"DMMA", "tensor"},     {"BMMA", "tensor"},
    {"QMMA", "tensor"},    {"OMMA", "tensor"},    {"HGMMA", "tensor"},    {"QGMMA", "tensor"},
    {"IGMMA", "tensor"},   {"BGMMA", "tensor"},   {"UTC", "tensor"},      {"WARPGROUP", "barrier"},
    {"UTMA", "async"},     {"UBLK", "async"},     {"UCGABAR", "barrier"}, {"ATOM", "atomic"},
    {"SUATOM", "atomic"},  {"SURED", "atomic"},   {"F2F", "conversion"},  {"I2F", "conversion"},
    {"F2I", "conversion"}, {"I2I", "conversion"}, {"FRND", "conversion"}, {"DADD", "fp64"},
    {"DMUL", "fp64"},      {"DFMA", "fp64"},      {"DSETP", "fp64"},      {"DMNMX", "fp64"},
    {"FADD", "fp32"},      {"FMUL", "fp32"},      {"FFMA", "fp32"},       {"FSET", "fp32"},
    {"FMNMX", "fp32"},     {"FSEL", "fp32"},      {"FCHK", "fp32"},       {"FSWZ", "fp32"},
    {"HADD", "fp16"},      {"HMUL", "fp16"},      {"HFMA", "fp16"},       {"HSET", "fp16"},
    {"HMNMX", "fp16"},     {"TEX", "global"},     {"TLD", "global"},      {"SULD", "global"},
    {"SUST", "global"},    {"IADD", "integer"},   {"IMAD", "integer"},    {"LOP", "integer"},
    {"SHF", "integer"},    {"ISETP", "integer"},  {"LEA", "integer"},     {"VIADD", "integer"},
}};

constexpr std::array<std::string_view, 29> kInteger = {
    "IABS", "IMNMX", "VIMNMX", "PRMT", "POPC", "FLO",   "BREV",  "BMSK",  "SGXT", "IDP",
    "SHL",  "SHR",   "ISCADD", "XMAD", "ISAD", "VABS",  "PLOP3", "BFE",   "BFI",  "IMUL",
    "ICMP", "P2R",   "R2P",    "SEL",  "CSET", "CSETP", "IDP4A", "MATCH", "VOTE"};
constexpr std::array<std::string_view, 4> kMove = {"MOV", "S2R", "CS2R", "S2UR"};
constexpr std::array<std::string_view, 20> kControl = {
    "BRA",  "BRX", "JMP",      "JMX",   "CALL",      "RET",  "EXIT", "BSSY", "BSYNC",   "BREAK",
    "BMOV", "NOP", "WARPSYNC", "YIELD", "NANOSLEEP", "KILL", "BPT",  "RTT",  "ACQBULK", "ELECT"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

OpcodeCounts opcode_counts(const Subject& subject) {
  OpcodeCounts counts;
  for (const std::string_view name : kOpcodeMetrics) {
    const Metric* metric = subject.metric(name);
    if (metric == nullptr || metric->instances == nullptr) continue;
    const auto* opcodes = std::get_if<std::vector<std::string>>(&metric->instances->correlation);
    if (opcodes == nullptr) continue;
    for (std::size_t i = 0; i < opcodes->size(); ++i) {
      const double count = as_number(column_at(metric->instances->values, i)).value_or(0);
      if (count <= 0) continue;
      counts.rows.push_back({(*opcodes)[i], count});
      counts.total += count;
    }
    if (counts.total <= 0) continue;
    counts.metric = name;
    counts.modifiers = name.find("modifier") != std::string_view::npos;
    return counts;
  }
  return {};
}

std::string_view opcode_class(std::string_view opcode) {
  const std::string_view name = mnemonic_of(opcode);
  // A half-precision add with single-precision output is how a half is widened.
  if (name == "HADD2" && has_part(opcode, "F32")) return "conversion";
  for (const auto& [exact, kind] : kExact) {
    if (name == exact) return kind;
  }
  for (const auto& [prefix, kind] : kFamilies) {
    if (name.starts_with(prefix)) return kind;
  }
  if (contains(kInteger, name)) return "integer";
  if (contains(kMove, name)) return "move";
  if (contains(kControl, name)) return "control";
  return name.starts_with("U") ? "uniform" : "other";
}

double access_bytes(std::string_view opcode) {
  constexpr std::array<std::pair<std::string_view, double>, 8> kWidths = {{{"256", 32},
                                                                           {"128", 16},
                                                                           {"64", 8},
                                                                           {"U8", 1},
                                                                           {"S8", 1},
                                                                           {"U16", 2},
                                                                           {"S16", 2},
                                                                           {"16", 2}}};
  for (const auto& [part, bytes] : kWidths) {
    if (has_part(opcode, part)) return bytes;
  }
  return 4;
}

}  // namespace proofline
