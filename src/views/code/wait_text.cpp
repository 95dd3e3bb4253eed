// SPDX-License-Identifier: Apache-2.0
#include "views/code/wait_text.h"

#include <fmt/format.h>

namespace proofline {
namespace {

std::string words_before(const AwaitedInstruction& awaited) {
  switch (awaited.via) {
    case Wait::Via::kResult: break;
    case Wait::Via::kOperands: return "waits until operands are read by the";
    case Wait::Via::kGroup: return "waits on the group of the";
    case Wait::Via::kWarps: return "waits for other warps at the";
    case Wait::Via::kMemory: return "waits for its own memory accesses at the";
  }
  if (awaited.mbarrier.empty()) return "waits on the";
  return fmt::format("waits on the mbarrier {}:", awaited.mbarrier);
}

}  // namespace

std::string wait_text(std::span<const AwaitedInstruction> waits) {
  if (waits.empty()) return "";
  const AwaitedInstruction& first = waits.front();
  std::string text =
      fmt::format("{} {} at {:#06x}", words_before(first), first.opcode, first.address);
  if (!first.line.empty()) text += ", " + first.line;
  if (waits.size() > 1) text += fmt::format(", and {} more", waits.size() - 1);
  return text;
}

}  // namespace proofline
