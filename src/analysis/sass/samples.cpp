// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/samples.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <variant>

#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

// 2^53: beyond it a double is no longer a count.
constexpr double kMostSamples = 9007199254740992.0;

PcSamples::State state_of(const std::string& metric) {
  const std::string_view name = std::string_view(metric).substr(kStallSamples.size());
  const StallReason* known = find_stall_reason(name);
  return {metric, std::string(known != nullptr ? known->name : name), !is_issuing(name)};
}

bool by_address(const Instances& instances) {
  return std::holds_alternative<std::vector<std::uint64_t>>(instances.correlation);
}

// Calls back with the address and the count of each instance that has both.
template <class Use>
void for_each_count(const Instances& instances, Use&& use) {
  if (!by_address(instances)) return;
  const auto& addresses = std::get<std::vector<std::uint64_t>>(instances.correlation);
  const auto all = [&](const auto& values) {
    const std::size_t size = std::min(addresses.size(), values.size());
    for (std::size_t i = 0; i < size; ++i) {
      const auto value = static_cast<double>(values[i]);
      if (value >= 0 && value <= kMostSamples) use(addresses[i], value);  // not NaN
    }
  };
  if (const auto* integers = std::get_if<std::vector<std::uint64_t>>(&instances.values)) {
    all(*integers);
  } else if (const auto* reals = std::get_if<std::vector<double>>(&instances.values)) {
    all(*reals);
  }
}

void add(std::uint64_t& sum, double count) {
  const auto added = static_cast<std::uint64_t>(count);
  sum += std::min(added, std::numeric_limits<std::uint64_t>::max() - sum);
}

// Whether a function of that container can be the module's: several modules may have functions of
// one name that are not the same code, as Triton makes them.
bool may_hold(const Profile& profile, std::size_t module, std::string_view container) {
  constexpr std::string_view kPrefix = "module-";  // "module-3.sm_90", as the report's reader says
  if (!container.starts_with(kPrefix)) return true;
  std::size_t named = 0;
  const char* first = container.data() + kPrefix.size();
  const auto read = std::from_chars(first, container.data() + container.size(), named);
  if (read.ec != std::errc() || named >= profile.modules.size() || named == module) return true;
  // Of equal modules the reader takes the first only.
  const Module& a = profile.modules[named];
  const Module& b = profile.modules[module];
  return named < module && a.cubin_bytes == b.cubin_bytes &&
         std::equal(a.functions.begin(), a.functions.end(), b.functions.begin(), b.functions.end(),
                    [&](const Symbol& x, const Symbol& y) {
                      return x.name == y.name && x.address - a.functions.front().address ==
                                                     y.address - b.functions.front().address;
                    });
}

// From addresses in a launch to instructions of a function.
class Placement {
 public:
  Placement(const Profile& profile, const Launch& launch, const CodeFunction& function)
      : function_(function) {
    for (const std::uint64_t module : launch.modules) {
      if (!may_hold(profile, module, function.container)) continue;
      for (const Symbol& symbol : profile.modules[module].functions) {
        if (symbol.name == function.name) starts_.push_back(symbol.address);
      }
    }
    std::sort(starts_.begin(), starts_.end());
  }

  bool known() const { return !starts_.empty(); }

  std::optional<std::size_t> find(std::uint64_t address) const {
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), address);
    return next == starts_.begin() ? std::nullopt : function_.at(address - *std::prev(next));
  }

 private:
  const CodeFunction& function_;
  std::vector<std::uint64_t> starts_;  // several where several modules hold the function
};

void read_executions(const Profile& profile, const Launch& launch, const Placement& placement,
                     std::string_view name, std::optional<std::uint64_t> CodeSamples::Row::*count,
                     CodeSamples& samples) {
  const auto id = profile.metric_names.find(name);
  const Metric* metric = id ? launch.find(*id) : nullptr;
  if (metric == nullptr || metric->instances == nullptr) return;
  for_each_count(*metric->instances, [&](std::uint64_t address, double value) {
    const auto at = placement.find(address);
    if (!at) return;
    auto& sum = samples.rows[*at].*count;
    if (!sum) sum = 0;
    add(*sum, value);
  });
}

}  // namespace

PcSamples read_pc_samples(const Profile& profile, const Launch& launch) {
  PcSamples samples;
  samples.missing = "the capture has no PC samples";
  for (const Metric& metric : launch.metrics) {
    const std::string& name = profile.metric_names[metric.id].name;
    if (!is_stall_sample(name)) continue;
    samples.missing = "no PC sample fell into this launch: it is too short for the interval";
    if (metric.instances == nullptr) {
      if (metric.has_instances || as_number(metric.value).value_or(0) > 0) {
        samples.missing = "this file has PC samples only in total, not by instruction";
        return samples;
      }
      continue;
    }
    if (column_size(metric.instances->values) > 0 && !by_address(*metric.instances)) {
      samples.missing = "this file does not say which instructions its PC samples belong to";
      return samples;
    }
    samples.states.push_back(state_of(name));
    for_each_count(*metric.instances, [&](std::uint64_t address, double count) {
      if (count == 0) return;
      samples.rows.push_back({address, samples.states.size() - 1, count});
      samples.total += count;
    });
  }
  return samples;
}

CodeSamples samples_of(const Profile& profile, const Launch& launch, const CodeFunction& function) {
  CodeSamples samples;
  samples.rows.resize(function.instructions.size());
  const Placement placement(profile, launch, function);
  if (!placement.known()) {
    samples.missing = "the file does not say where this function was loaded";
    return samples;
  }
  const PcSamples all = read_pc_samples(profile, launch);
  add(samples.total, all.total);
  samples.missing = all.rows.empty() ? all.missing : "no PC sample fell on this function";
  for (const PcSamples::State& state : all.states) samples.reasons.push_back(state.reason);
  for (const PcSamples::Row& row : all.rows) {
    const auto at = placement.find(row.address);
    if (!at) continue;
    samples.missing.clear();
    CodeSamples::Row& mine = samples.rows[*at];
    mine.by_reason.resize(samples.reasons.size());
    add(mine.by_reason[row.state], row.count);
    add(mine.samples, row.count);
    if (all.states[row.state].stalled) add(mine.stalled, row.count);
  }
  read_executions(profile, launch, placement, kInstructionsExecuted, &CodeSamples::Row::executed,
                  samples);
  read_executions(profile, launch, placement, kThreadsExecuted, &CodeSamples::Row::threads_executed,
                  samples);
  read_executions(profile, launch, placement, kThreadsPredicatedOn,
                  &CodeSamples::Row::threads_predicated_on, samples);
  return samples;
}

ExecutionCounts execution_counts(const CodeSamples& samples) {
  ExecutionCounts counts;
  counts.reserve(samples.rows.size());
  for (const CodeSamples::Row& row : samples.rows) counts.push_back(row.executed);
  return counts;
}

RowSamples named(const CodeSamples& samples, const CodeSamples::Row& row) {
  RowSamples result{row.samples, row.stalled, {}, row.executed};
  for (std::size_t i = 0; i < row.by_reason.size(); ++i) {
    if (row.by_reason[i] > 0) result.reasons.emplace_back(samples.reasons[i], row.by_reason[i]);
  }
  return result;
}

std::string main_reason(const CodeSamples& samples, std::uint32_t instruction) {
  const CodeSamples::Row& row = samples.rows[instruction];
  std::string reason;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < row.by_reason.size(); ++i) {
    const bool stalled = !is_issuing(samples.reasons[i]);
    if (!stalled || row.by_reason[i] <= most) continue;
    most = row.by_reason[i];
    reason = samples.reasons[i];
  }
  return reason;
}

std::vector<HotInstruction> hottest(const SampledFunction& function, std::size_t most) {
  const CodeSamples& samples = function.samples;
  std::vector<HotInstruction> hot;
  for (std::uint32_t i = 0; i < samples.rows.size(); ++i) {
    const CodeSamples::Row& row = samples.rows[i];
    if (row.stalled == 0) continue;
    HotInstruction& one = hot.emplace_back();
    one.instruction = i;
    one.stalled = row.stalled;
    one.share = static_cast<double>(row.stalled) / static_cast<double>(samples.total);
    one.executed = row.executed;
  }
  const std::size_t count = std::min(hot.size(), most);
  std::partial_sort(hot.begin(), hot.begin() + static_cast<std::ptrdiff_t>(count), hot.end(),
                    [](const HotInstruction& a, const HotInstruction& b) {
                      return std::tie(b.stalled, a.instruction) <
                             std::tie(a.stalled, b.instruction);
                    });
  hot.resize(count);
  for (HotInstruction& one : hot) {
    one.reason = main_reason(samples, one.instruction);
    one.traced = waits_of(function.code, function.flow, function.opcodes, one.instruction,
                          one.reason, function.executed);
  }
  return hot;
}

}  // namespace proofline
