// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/source_lines.h"

#include <fmt/format.h>

namespace proofline {

const CodeLine* source_line(const CodeFunction& function, const Instruction& instruction) {
  if (instruction.line >= function.lines.size()) return nullptr;
  const CodeLine* line = &function.lines[instruction.line];
  for (int i = 0; i < kMostFrames && in_toolkit(function.files[line->file]); ++i) {
    if (line->inlined_at >= function.lines.size()) break;
    line = &function.lines[line->inlined_at];
  }
  return line;
}

std::string line_text(const CodeFunction& function, const Instruction& instruction) {
  const CodeLine* line = source_line(function, instruction);
  if (line == nullptr) return "";
  std::string_view name = function.files[line->file];
  if (const auto slash = name.find_last_of("/\\"); slash != name.npos)
    name.remove_prefix(slash + 1);
  return fmt::format("{}:{}", name, line->line);
}

bool in_toolkit(std::string_view path) {
  const auto has = [&](std::string_view part) { return path.find(part) != path.npos; };
  return (has("/targets/") && has("/include")) || has("NVIDIA GPU Computing Toolkit") ||
         has("/nvidia/cuda_runtime/include") || path.starts_with("/usr/local/cuda") ||
         path.starts_with("/usr/include");
}

}  // namespace proofline
