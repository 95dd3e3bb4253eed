// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/lost_lanes.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/sass/source_lines.h"

namespace proofline {
namespace {

constexpr std::uint64_t kLanesOfWarp = 32;

double mean(std::uint64_t lanes, std::uint64_t executed) {
  return executed == 0 ? 0 : static_cast<double>(lanes) / static_cast<double>(executed);
}

template <class Row>
void rank(std::vector<Row>& rows, std::size_t most) {
  std::erase_if(rows, [](const Row& row) { return row.lanes.lost() == 0; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.lanes.lost() > b.lanes.lost(); });
  if (rows.size() > most) rows.resize(most);
}

}  // namespace

LaneCounts& LaneCounts::operator+=(const LaneCounts& more) {
  executed += more.executed;
  active += more.active;
  predicated_on += more.predicated_on;
  return *this;
}

std::uint64_t LaneCounts::all() const { return kLanesOfWarp * executed; }
double LaneCounts::mean_active() const { return mean(active, executed); }
double LaneCounts::mean_predicated_on() const { return mean(predicated_on, executed); }

LaneCounts lanes_of(const CodeSamples::Row& row, std::string_view opcode) {
  if (!row.executed || !row.threads_executed) return {};
  LaneCounts lanes = {*row.executed, *row.threads_executed,
                      row.threads_predicated_on.value_or(*row.threads_executed)};
  const bool sane = lanes.executed < std::numeric_limits<std::uint64_t>::max() / kLanesOfWarp &&
                    lanes.predicated_on <= lanes.active && lanes.active <= lanes.all();
  if (!sane) return {};
  if (flow_kind(opcode) != FlowKind::kNone) lanes.predicated_on = lanes.active;
  return lanes;
}

LostLanes find_lost_lanes(const CodeFunction& function, const OpcodeNames& opcodes,
                          const CodeSamples& samples, std::size_t most) {
  LostLanes found;
  std::map<std::string, LaneCounts> lines;
  for (std::uint32_t i = 0; i < samples.rows.size(); ++i) {
    const LaneCounts lanes = lanes_of(samples.rows[i], opcodes[function.instructions[i].opcode]);
    // What is never on (@!PT) is there for its place in the code, and no lane could do more.
    if (lanes.executed == 0 || function.instructions[i].guard.never()) continue;
    found.function += lanes;
    found.instructions.push_back({i, lanes});
    const std::string line = line_text(function, function.instructions[i]);
    if (!line.empty()) lines[line] += lanes;
  }
  for (const auto& [line, lanes] : lines) found.lines.push_back({line, lanes});
  rank(found.instructions, most);
  rank(found.lines, most);
  return found;
}

}  // namespace proofline
