// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/source_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/sass/source_lines.h"
#include "arch/mnemonics.h"

namespace proofline {
namespace {

void add_to(std::optional<std::uint64_t>& sum, const std::optional<std::uint64_t>& more) {
  if (more) sum = sum.value_or(0) + *more;
}

void add_samples(const CodeSamples::Row& row, CodeSamples::Row& sum) {
  sum.samples += row.samples;
  sum.stalled += row.stalled;
  sum.by_reason.resize(std::max(sum.by_reason.size(), row.by_reason.size()));
  for (std::size_t i = 0; i < row.by_reason.size(); ++i) sum.by_reason[i] += row.by_reason[i];
  add_to(sum.executed, row.executed);
  add_to(sum.threads_executed, row.threads_executed);
  add_to(sum.threads_predicated_on, row.threads_predicated_on);
}

}  // namespace

SourceReport group_by_line(const AnalysedFunction& function, std::span<const InstructionRow> rows,
                           const CodeSamples& samples, const FunctionReport& report) {
  struct Line {
    SourceLine line;
    CodeSamples::Row sum;
  };
  const CodeFunction& code = function.code;
  SourceReport source;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const InstructionRow& row = rows[i];
    // The padding after the code has the line before it.
    if (!function.flow.blocks[row.block].reachable && row.samples.samples == 0) continue;
    const CodeLine* place = source_line(code, code.instructions[i]);
    if (place == nullptr) {
      ++source.unattributed;
      source.unattributed_samples += row.samples.samples;
      continue;
    }
    auto& [line, sum] = lines[{place->file, place->line}];
    if (!samples.rows.empty()) add_samples(samples.rows[i], sum);
    line.lanes += row.lanes;
    line.live = std::max(line.live, row.live);
    line.tensor = line.tensor || instruction_class(row.opcode) == InstructionClass::kTensor;
    line.hot = line.hot ||
               (report.hot_loop &&
                function.flow.in_loop(row.block, static_cast<std::uint32_t>(*report.hot_loop)));
    line.instructions.push_back(row);
  }
  std::map<std::uint32_t, std::uint32_t> numbers;  // of the files that have lines
  for (auto& [place, one] : lines) {
    auto& [line, sum] = one;
    const auto [number, added] =
        numbers.try_emplace(place.first, static_cast<std::uint32_t>(source.files.size()));
    if (added) source.files.push_back({code.files[place.first], ""});
    line.file = number->second;
    line.line = place.second;
    line.samples = named(samples, sum);
    source.lines.push_back(std::move(line));
  }
  return source;
}

}  // namespace proofline
