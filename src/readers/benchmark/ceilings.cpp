// SPDX-License-Identifier: Apache-2.0
#include "readers/benchmark/ceilings.h"

#include <utility>

#include "base/propagate.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

static_assert(kMostCeilingsBytes <= kSniffBytes);

// All of the file, or as much as shows that it is too long.
Result<std::string_view> ceilings_text_of(Input& input) {
  ASSIGN_OR_RETURN(const auto text, input.peek(kMostCeilingsBytes + 1));
  if (const auto damage = input.damage()) return tl::make_unexpected(*damage);
  RETURN_IF_ERROR(input.finish());
  return text;
}

// Where it may be any file that a user named.
Result<Input> open_ceilings(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  RETURN_IF_ERROR(identify(input, {InputKind::kCeilings}));
  return input;
}

bool sniff_ceilings(std::string_view prefix) { return json_outline(prefix).result == "ceilings"; }

}  // namespace

Format ceilings() {
  return {.name = "ceilings",
          .what = "a GPU's ceilings that proofline measured",
          .summary = "what proofline calibrate stores: the most that a GPU reaches (JSON)",
          .sniff = sniff_ceilings,
          .read_ceilings = read_ceilings};
}

Result<Ceilings> read_ceilings(Input& input) {
  ASSIGN_OR_RETURN(const auto text, ceilings_text_of(input));
  return parse_ceilings(text, input.name(), StoredNotes::kRead);
}

Result<Ceilings> read_ceilings(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, open_ceilings(path, limits));
  return read_ceilings(input);
}

Result<Ceilings> read_ceilings_for(const BenchmarkMachine& machine, const std::string& path,
                                   const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, open_ceilings(path, limits));
  ASSIGN_OR_RETURN(const auto text, ceilings_text_of(input));
  return parse_ceilings_for(machine, text, path);
}

Result<std::optional<Ceilings>> find_ceilings(const BenchmarkMachine& machine) {
  ASSIGN_OR_RETURN(const auto path, find_ceilings_file(machine));
  if (path.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(auto ceilings, read_ceilings_for(machine, path));
  return std::optional(std::move(ceilings));
}

}  // namespace proofline
