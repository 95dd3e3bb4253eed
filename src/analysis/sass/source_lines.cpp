// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/source_lines.h"

#include <fmt/format.h>

namespace proofline {

std::string line_text(const CodeFunction& function, const Instruction& instruction) {
  if (instruction.line >= function.lines.size()) return "";
  const CodeLine* line = &function.lines[instruction.line];
  const auto file = [&] { return std::string_view(function.files[line->file]); };
  for (int i = 0; i < kMostFrames && in_toolkit(file()); ++i) {
    if (line->inlined_at >= function.lines.size()) break;
    line = &function.lines[line->inlined_at];
  }
  std::string_view name = file();
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
