// SPDX-License-Identifier: Apache-2.0
#include "readers/benchmark/ceilings.h"

#include <utility>

#include "base/propagate.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/reader.h"

namespace proofline {
namespace {

static_assert(kMostCeilingsBytes <= kSniffBytes);

// All of the file, or as much as shows that it is too long.
Result<std::string_view> text_of(Input& input) {
  ASSIGN_OR_RETURN(const auto text, input.peek(kMostCeilingsBytes + 1));
  if (const auto damage = input.damage()) return tl::make_unexpected(*damage);
  RETURN_IF_ERROR(input.finish());
  return text;
}

}  // namespace

bool looks_like_ceilings(std::string_view prefix) {
  BenchmarkNotes notes;
  rapidjson::Document document;
  return parse_benchmark(prefix, "", document, notes) &&
         JsonFields(document, notes).text("result") == "ceilings";
}

Result<Ceilings> read_ceilings(Input& input) {
  ASSIGN_OR_RETURN(const auto text, text_of(input));
  return parse_ceilings(text, input.name(), StoredNotes::kRead);
}

Result<Ceilings> read_ceilings(const std::string& path, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return read_ceilings(input);
}

Result<Ceilings> read_ceilings_for(const BenchmarkMachine& machine, const std::string& path,
                                   const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  ASSIGN_OR_RETURN(const auto text, text_of(input));
  return parse_ceilings_for(machine, text, path);
}

Result<std::optional<Ceilings>> find_ceilings(const BenchmarkMachine& machine) {
  ASSIGN_OR_RETURN(const auto path, find_ceilings_file(machine));
  if (path.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(auto ceilings, read_ceilings_for(machine, path));
  return std::optional(std::move(ceilings));
}

}  // namespace proofline
