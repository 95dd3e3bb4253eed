// SPDX-License-Identifier: Apache-2.0
#include "playbook/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/launch/launch_shape_facts.h"
#include "analysis/launch/occupancy_calculator.h"
#include "analysis/sass/pattern.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/text.h"
#include "rules/rule.h"

namespace proofline {
namespace {

using Mistake = std::optional<std::string>;
using TextAnswer = std::variant<LogicAnswer, FactAnswer>;

// --- numbers ---

TypedValue computed(AnswerValue value) {
  TypedValue result;
  result.value = std::move(value);
  return result;
}
TypedValue impossible(const NumberCall& call, std::string reason) {
  TypedValue result;
  result.missing.push_back({call.text, std::move(reason), ""});
  return result;
}

TypedValue minimum(const NumberCall& call) {
  return computed(*std::min_element(call.numbers.begin(), call.numbers.end()));
}
TypedValue maximum(const NumberCall& call) {
  return computed(*std::max_element(call.numbers.begin(), call.numbers.end()));
}
TypedValue round_down(const NumberCall& call) { return computed(std::floor(call.numbers[0])); }
TypedValue round_up(const NumberCall& call) { return computed(std::ceil(call.numbers[0])); }
TypedValue clamp(const NumberCall& call) {
  return computed(std::min(std::max(call.numbers[0], call.numbers[1]), call.numbers[2]));
}
TypedValue power_of_two(const NumberCall& call) {
  const double number = call.numbers[0];
  return computed(number <= 1 ? 1.0 : std::exp2(std::ceil(std::log2(number))));
}
TypedValue divides(const NumberCall& call) {
  return computed(call.numbers[0] != 0 && std::fmod(call.numbers[1], call.numbers[0]) == 0);
}

// --- what fits on the GPU of the evidence ---

TypedValue unknown_gpu(const NumberCall& call) {
  TypedValue result;
  result.missing.push_back(
      {call.text, "the GPU's limits are not known", fmt::format("{} 9.0", option("cc"))});
  return result;
}

std::optional<std::uint32_t> whole(double number) {
  if (!(number >= 0 && number <= 4e9)) return std::nullopt;
  return static_cast<std::uint32_t>(std::ceil(number));
}

// `size` is threads, registers per thread and bytes of shared memory.
std::optional<BlockResources> block_of(std::span<const double> size) {
  const auto threads = whole(size[0]);
  const auto registers = whole(size[1]);
  const auto shared = whole(size[2]);
  if (!threads || !registers || !shared || *threads == 0) return std::nullopt;
  return BlockResources{
      .threads = *threads, .registers_per_thread = *registers, .shared_bytes = *shared};
}

template <class Compute>
TypedValue with_occupancy(const NumberCall& call, std::span<const double> size, Compute compute) {
  const SmLimits* sm = call.source.limits(call.side);
  if (sm == nullptr) return unknown_gpu(call);
  const auto block = block_of(size);
  if (!block) return impossible(call, "no block has such a size");
  return compute(calculate_occupancy(*sm, *block));
}

TypedValue blocks(const NumberCall& call) {
  return with_occupancy(call, call.numbers, [](const Occupancy& occupancy) {
    return computed(static_cast<double>(occupancy.blocks));
  });
}

TypedValue occupancy_share(const NumberCall& call) {
  return with_occupancy(call, call.numbers,
                        [](const Occupancy& occupancy) { return computed(occupancy.share); });
}

TypedValue waves(const NumberCall& call) {
  return with_occupancy(call, call.numbers.subspan(1), [&](const Occupancy& occupancy) {
    const std::string sm_count(facts::kLaunchSmCount.name);
    TypedValue result = typed_value(call.source.fact(call.side, sm_count), sm_count);
    const double* sms = result.number();
    if (sms == nullptr) return result;
    const double at_once = *sms * occupancy.blocks;
    if (!(at_once > 0)) return impossible(call, "such a block cannot run");
    result.value = call.numbers[0] / at_once;
    return result;
  });
}

TypedValue stages(const NumberCall& call) {
  const SmLimits* sm = call.source.limits(call.side);
  if (sm == nullptr) return unknown_gpu(call);
  if (!(call.numbers[0] > 0)) return impossible(call, "it divides by zero");
  const double room = sm->max_shared_per_block - call.numbers[1];
  return computed(std::max(0.0, std::floor(room / call.numbers[0])));
}

TypedValue cluster(const NumberCall& call) {
  const SmLimits* sm = call.source.limits(call.side);
  if (sm == nullptr) return unknown_gpu(call);
  return computed(call.numbers[0] * call.numbers[1] <= sm->max_cluster_size);
}

// --- machine code, rules and the journal ---

template <class Parsed>
Mistake error_of(const Parsed& parsed) {
  return parsed ? Mistake() : parsed.error().message;
}

Mistake pattern_mistake(const std::string& text, const ExpressionScope&) {
  return error_of(parse_pattern(text));
}
Mistake code_mistake(const std::string& text, const ExpressionScope&) {
  return error_of(parse_code_value(text));
}
Mistake rule_mistake(const std::string& text, const ExpressionScope&) {
  if (find_rule(text) != nullptr) return std::nullopt;
  std::vector<std::string_view> ids;
  for (const Rule& rule : rules()) ids.push_back(rule.id);
  return fmt::format("there is no rule {}{}", text, did_you_mean(text, ids));
}
Mistake task_mistake(const std::string& text, const ExpressionScope& scope) {
  if (scope.tasks.contains(text)) return std::nullopt;
  const std::vector<std::string_view> known(scope.tasks.begin(), scope.tasks.end());
  return fmt::format("there is no task, option or known change {}{}", quote(text),
                     did_you_mean(text, known));
}

template <bool kForbid>
TextAnswer ask_pattern(const FactSource& source, const EvidenceSide& side,
                       const std::string& text) {
  return source.pattern(side, text, kForbid);
}
TextAnswer ask_code(const FactSource& source, const EvidenceSide& side, const std::string& text) {
  return source.code(side, text);
}
TextAnswer ask_rule(const FactSource& source, const EvidenceSide& side, const std::string& text) {
  return source.found(side, text);
}
template <JournalQuestion kQuestion>
TextAnswer ask_journal(const FactSource& source, const EvidenceSide&, const std::string& text) {
  return source.journal(kQuestion, text);
}

bool takes_more(const ExpressionFunction& function) {
  return function.signature.ends_with(", ...)");
}
// Parameters that must have an argument.
std::size_t required(const ExpressionFunction& function) {
  const auto commas = std::count(function.signature.begin(), function.signature.end(), ',');
  return static_cast<std::size_t>(commas) + (takes_more(function) ? 0 : 1);
}

}  // namespace

std::span<const ExpressionFunction> expression_functions() {
  constexpr ValueKind kLogic = ValueKind::logic();
  constexpr ValueKind kNumber = ValueKind::number({});
  constexpr ValueKind kShareOfTime = ValueKind::number({{}, 1, true});
  using Gives = NumberResult;
  static constexpr ExpressionFunction kFunctions[] = {
      {"any(condition, ...)", "whether one of the conditions holds",
       ConditionFunction{any_of, false}},
      {"all(condition, ...)", "whether all of the conditions hold",
       ConditionFunction{all_of, false}},
      {"none(condition, ...)", "whether none of the conditions holds",
       ConditionFunction{any_of, true}},
      {"known(x)", "whether the evidence has x; the only function that answers on absence",
       PresenceFunction{}},

      {"min(x, ...)", "the least of the numbers", NumberFunction{Gives::kLikeArguments, minimum}},
      {"max(x, ...)", "the greatest of the numbers",
       NumberFunction{Gives::kLikeArguments, maximum}},
      {"floor(x)", "x rounded down", NumberFunction{Gives::kLikeArguments, round_down}},
      {"ceil(x)", "x rounded up", NumberFunction{Gives::kLikeArguments, round_up}},
      {"clamp(x, low, high)", "x, but at least low and at most high",
       NumberFunction{Gives::kLikeArguments, clamp}},
      {"pow2(x)", "the next power of two; x itself where it is one",
       NumberFunction{Gives::kLikeArguments, power_of_two}},
      {"divides(a, b)", "whether b is a multiple of a", NumberFunction{Gives::kLogic, divides}},

      {"fit.blocks(threads, registers, shared)",
       "blocks that an SM holds, each of this many threads, registers/thread and bytes of shared "
       "memory",
       NumberFunction{Gives::kPlain, blocks}},
      {"fit.occupancy(threads, registers, shared)", "theoretical occupancy with such blocks",
       NumberFunction{Gives::kShareOfWhole, occupancy_share}},
      {"fit.waves(grid, threads, registers, shared)", "waves that a grid of such blocks takes",
       NumberFunction{Gives::kPlain, waves}},
      {"fit.stages(stage_bytes, other_bytes)",
       "pipeline stages that a block's shared memory has room for beside other_bytes",
       NumberFunction{Gives::kPlain, stages}},
      {"fit.cluster(m, n)", "whether the GPU takes clusters of m by n blocks",
       NumberFunction{Gives::kLogic, cluster}},

      {"expect(\"pattern\")", "whether the machine code has the pattern (docs/sass-patterns.md)",
       TextFunction{kLogic, true, pattern_mistake, ask_pattern<false>}},
      {"forbid(\"pattern\")", "whether the machine code lacks the pattern",
       TextFunction{kLogic, true, pattern_mistake, ask_pattern<true>}},
      {"code(\"term\")", "a term of these patterns as a number: code(\"count(LDG) in loop\")",
       TextFunction{kNumber, true, code_mistake, ask_code}},
      {"found(\"rule\")", "whether the diagnosis found this cause",
       TextFunction{kLogic, true, rule_mistake, ask_rule}},

      {"journal.tried(\"task\")", "whether the task, option or known change was tried",
       TextFunction{kLogic, false, task_mistake, ask_journal<JournalQuestion::kTried>}},
      {"journal.kept(\"task\")", "whether it was kept",
       TextFunction{kLogic, false, task_mistake, ask_journal<JournalQuestion::kKept>}},
      {"journal.reverted(\"task\")", "whether it was reverted or failed",
       TextFunction{kLogic, false, task_mistake, ask_journal<JournalQuestion::kReverted>}},
      {"journal.gain(\"task\")", "the share of the time that it saved",
       TextFunction{kShareOfTime, false, task_mistake, ask_journal<JournalQuestion::kGain>}},
  };
  return kFunctions;
}

const ExpressionFunction* find_function(std::string_view name) {
  for (const ExpressionFunction& function : expression_functions()) {
    if (function.name() == name) return &function;
  }
  return nullptr;
}

bool ExpressionFunction::takes(std::size_t arguments) const {
  return takes_more(*this) ? arguments >= required(*this) : arguments == required(*this);
}

std::string ExpressionFunction::arity() const {
  return (takes_more(*this) ? "at least " : "") + plural(required(*this), "argument");
}

}  // namespace proofline
