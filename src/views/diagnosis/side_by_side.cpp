// SPDX-License-Identifier: Apache-2.0
#include "views/diagnosis/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/launch/launch_facts.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/quantity.h"

namespace proofline {
namespace {

using Kernels = std::vector<const KernelDiagnosis*>;  // one for each configuration, null: none

struct ShownFact {
  std::string_view title;
  FactRef fact;
};

std::vector<ShownFact> shown_facts() {
  return {
      {"dram", facts::kThroughputShare[Level::kDram]},
      {"l2", facts::kThroughputShare[Level::kL2]},
      {"l1", facts::kThroughputShare[Level::kL1]},
      {"shared memory", facts::kThroughputShare[Level::kShared]},
      {"tensor", facts::kThroughputShare[Level::kTensor]},
      {"fma", facts::kThroughputShare[Level::kFma]},
      {"issue slots", facts::kThroughputShare[Level::kIssue]},
      {"occupancy", facts::kOccupancyAchieved},
      {"waves", facts::kLaunchWaves},
      {"registers/thread", facts::kOccupancyRegistersPerThread},
      {"shared memory/block", facts::kOccupancySharedMemoryPerBlock},
      {"waits for memory", facts::kStallGroupShare[StallGroup::kMemory]},
      {"waits for synchronisation", facts::kStallGroupShare[StallGroup::kSynchronisation]},
      {"waits for arithmetic", facts::kStallGroupShare[StallGroup::kCompute]},
      {"longest wait", facts::kStallTop},
  };
}

// Single launches differ by this much without any reason.
constexpr double kSame = 1.03;

// The costliest kernel with that function name: kernels are sorted that way.
const KernelDiagnosis* find(const Diagnosis& diagnosis, std::string_view function) {
  const auto found =
      std::find_if(diagnosis.kernels.begin(), diagnosis.kernels.end(),
                   [&](const KernelDiagnosis& kernel) { return kernel.function == function; });
  return found != diagnosis.kernels.end() ? &*found : nullptr;
}

std::vector<std::string_view> common_functions(std::span<const ConfigResult> configs) {
  std::vector<std::string_view> functions;
  for (const ConfigResult& config : configs) {
    for (const KernelDiagnosis& kernel : config.diagnosis->kernels) {
      const auto has_it = std::count_if(configs.begin(), configs.end(), [&](const auto& other) {
        return find(*other.diagnosis, kernel.function) != nullptr;
      });
      const bool known =
          std::find(functions.begin(), functions.end(), kernel.function) != functions.end();
      if (has_it > 1 && !known) functions.push_back(kernel.function);
    }
  }
  return functions;
}

template <class Text>
void add_row(Table& table, std::string_view title, const Kernels& kernels, const Text& text) {
  std::vector<Cell> row{{std::string(title)}};
  for (const KernelDiagnosis* kernel : kernels) {
    row.push_back({kernel != nullptr ? text(*kernel) : "-", true});
  }
  table.rows.push_back(std::move(row));
}

std::string causes_text(const KernelDiagnosis& kernel) {
  std::string text;
  for (const Finding& finding : kernel.findings) {
    text.append(text.empty() ? "" : ", ").append(finding.id);
  }
  return text.empty() ? "-" : text;
}

// Facts that no configuration has, or that are nothing in all of them, are left out.
void add_facts(Table& table, const Kernels& kernels) {
  for (const auto& [title, fact] : shown_facts()) {
    const bool tells =
        std::any_of(kernels.begin(), kernels.end(), [&fact = fact](const auto* kernel) {
          return kernel != nullptr && kernel->facts.find(fact) && kernel->facts.number(fact) != 0.0;
        });
    if (!tells) continue;
    add_row(table, title, kernels, [&fact = fact](const KernelDiagnosis& kernel) -> std::string {
      const std::optional<Fact> value = kernel.facts.find(fact);
      return value ? quantity_text(value->value, value->unit) : "-";
    });
  }
}

Table compose_table(std::span<const ConfigResult> configs, const Kernels& kernels) {
  Table table;
  table.columns.push_back({""});
  std::vector<Cell> arguments{{"arguments"}};
  for (const ConfigResult& config : configs) {
    table.columns.push_back({config.name, Align::kRight, true});
    arguments.push_back({config.arguments});
  }
  table.rows.push_back(std::move(arguments));
  add_row(table, "grid", kernels, [](const auto& kernel) { return dim_text(kernel.grid); });
  add_row(table, "block", kernels, [](const auto& kernel) { return dim_text(kernel.block); });
  add_row(table, facts::kDuration, kernels,
          [](const auto& kernel) { return time_text(kernel.duration_ns); });
  add_row(table, "bound", kernels, [](const auto& kernel) { return place_text(kernel.verdict); });
  add_row(table, "causes", kernels, causes_text);
  add_facts(table, kernels);
  return table;
}

std::string fastest_text(std::span<const ConfigResult> configs, const Kernels& kernels) {
  std::vector<std::pair<double, std::string_view>> times;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i] == nullptr || !kernels[i]->duration_ns) continue;
    times.emplace_back(*kernels[i]->duration_ns, configs[i].name);
  }
  if (times.size() < 2) return "Too few durations to say which one is the fastest.";
  std::sort(times.begin(), times.end());
  const double ratio = times.back().first / times.front().first;
  const std::string what = ratio < kSame
                               ? "They take the same time, as far as this can tell"
                               : fmt::format("{} is the fastest; {} takes {:.2f} times as long",
                                             times.front().second, times.back().second, ratio);
  return what + ". These are single launches under ncu replay, not a benchmark.";
}

}  // namespace

void add_side_by_side(std::span<const ConfigResult> configs, Document& document) {
  const auto functions = common_functions(configs);
  if (functions.empty()) {
    document.blocks.emplace_back(
        Callout{false, "The configurations have no kernel in common, so none are compared."});
  }
  for (const std::string_view function : functions) {
    Kernels kernels;
    kernels.reserve(configs.size());
    for (const ConfigResult& config : configs) kernels.push_back(find(*config.diagnosis, function));
    document.blocks.emplace_back(Heading{shown_name(function)});
    document.blocks.emplace_back(compose_table(configs, kernels));
    document.blocks.emplace_back(Paragraph{fastest_text(configs, kernels)});
  }
}

}  // namespace proofline
