// SPDX-License-Identifier: Apache-2.0
//
// What `proofline doctor --format json` prints, as evidence: the answer of each check.
#include <fmt/format.h>

#include <cstdint>

#include "base/json_object.h"
#include "base/propagate.h"
#include "base/record_reader.h"
#include "base/text.h"
#include "model/machine/preflight.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

// Of a doctor's result: a hundred times what one has.
constexpr std::size_t kMostDoctorBytes = 4U << 20U;

bool sniff_doctor(std::string_view prefix) { return json_outline(prefix).result == "preflight"; }

Result<Preflight> read_doctor(Input& input) {
  ASSIGN_OR_RETURN(const auto text, input.peek(kMostDoctorBytes));
  if (const auto damage = input.damage()) return tl::make_unexpected(*damage);
  const rapidjson::Document json = parse_json_object(text);
  const rapidjson::Value* checks = json.IsNull() ? nullptr : json_member(json, "checks");
  if (checks == nullptr || !checks->IsArray()) {
    return fail(ErrorKind::kInput, fmt::format("{} is cut or damaged: it holds no list of checks",
                                               quote(input.name())));
  }
  Preflight preflight;
  read_record(json, preflight);
  preflight.notes.clear();  // on the machine then; those here are on reading the file
  if (const std::uint64_t lost = checks->Size() - preflight.checks.size()) {
    preflight.notes.push_back(
        {NoteKind::kLoss, "", "checks of doctor without an id or a known status", lost});
  }
  return preflight;
}

}  // namespace

Format doctor() {
  return {.name = "doctor",
          .what = "what proofline doctor found",
          .summary = "what proofline doctor --format json prints: evidence for check",
          .sniff = sniff_doctor,
          .read_preflight = read_doctor};
}

}  // namespace proofline
