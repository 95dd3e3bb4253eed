// SPDX-License-Identifier: Apache-2.0
#include "playbook/calculations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/launch/launch_shape_facts.h"
#include "analysis/launch/occupancy_calculator.h"
#include "base/option.h"

namespace proofline {
namespace {

AnswerValue plain(std::string_view name, const std::vector<double>& numbers) {
  if (name == "min") return *std::min_element(numbers.begin(), numbers.end());
  if (name == "max") return *std::max_element(numbers.begin(), numbers.end());
  if (name == "floor") return std::floor(numbers[0]);
  if (name == "ceil") return std::ceil(numbers[0]);
  if (name == "clamp") return std::min(std::max(numbers[0], numbers[1]), numbers[2]);
  if (name == "pow2") return numbers[0] <= 1 ? 1.0 : std::exp2(std::ceil(std::log2(numbers[0])));
  // divides(a, b): whether b is a multiple of a
  return numbers[0] != 0 && std::fmod(numbers[1], numbers[0]) == 0;
}

std::optional<std::uint32_t> whole(double number) {
  if (!(number >= 0 && number <= 4e9)) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(number));
}

// What fits on the GPU of the evidence.
void fit(const ExpressionNode& node, const std::vector<double>& numbers, const std::string& what,
         const FactSource& source, TypedValue& result) {
  const SmLimits* sm = source.limits(node.side);
  if (sm == nullptr) {
    result.missing.push_back(
        {what, "the GPU's limits are not known", fmt::format("{} 9.0", option("cc"))});
    return;
  }
  if (node.text == "fit.cluster") {
    result.value = numbers[0] * numbers[1] <= sm->max_cluster_size;
    return;
  }
  if (node.text == "fit.stages") {
    const double room = sm->max_shared_per_block - numbers[1];
    if (numbers[0] > 0) result.value = std::max(0.0, std::floor(room / numbers[0]));
    if (!result.value) result.missing.push_back({what, "it divides by zero", ""});
    return;
  }
  // threads, registers, shared memory; fit.waves has the grid before them
  const std::size_t first = node.text == "fit.waves" ? 1 : 0;
  const auto threads = whole(numbers[first]);
  const auto registers = whole(numbers[first + 1]);
  const auto shared = whole(numbers[first + 2]);
  if (!threads || !registers || !shared || *threads == 0) {
    result.missing.push_back({what, "no block has such a size", ""});
    return;
  }
  const Occupancy occupancy = calculate_occupancy(
      *sm, {.threads = *threads, .registers_per_thread = *registers, .shared_bytes = *shared});
  if (node.text == "fit.blocks") {
    result.value = static_cast<double>(occupancy.blocks);
  } else if (node.text == "fit.occupancy") {
    result.value = occupancy.share;
  } else {
    const std::string sm_count(facts::kLaunchSmCount.name);
    const TypedValue sms = typed_value(source.fact(node.side, sm_count), sm_count);
    gather(result, sms);
    const double* count = sms.number();
    if (count == nullptr) return;
    const double at_once = *count * occupancy.blocks;
    if (at_once > 0) result.value = numbers[0] / at_once;
    if (!result.value) result.missing.push_back({what, "such a block cannot run", ""});
  }
}

}  // namespace

void compute_call(const ExpressionNode& call, const std::vector<double>& numbers,
                  const std::string& what, const FactSource& source, TypedValue& result) {
  if (call.text.starts_with("fit.")) {
    result.dimension = {};
    result.share = call.text == "fit.occupancy";
    fit(call, numbers, what, source, result);
  } else {
    result.value = plain(call.text, numbers);
  }
  const double* number = result.number();
  if (number != nullptr && !std::isfinite(*number)) {
    result.value.reset();
    result.missing.push_back({what, "the result is not a finite number", ""});
  }
}

}  // namespace proofline
