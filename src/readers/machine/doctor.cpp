// SPDX-License-Identifier: Apache-2.0
//
// What `proofline doctor --format json` prints, as evidence: the answer of each check.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/json_object.h"
#include "base/propagate.h"
#include "base/text.h"
#include "model/machine/preflight.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

// Of a doctor's result: a hundred times what one has.
constexpr std::size_t kMostDoctorBytes = 4U << 20U;

bool sniff_doctor(std::string_view prefix) { return json_outline(prefix).result == "preflight"; }

std::optional<CheckStatus> check_status(std::string_view text) {
  constexpr CheckStatus kAll[] = {CheckStatus::kOk, CheckStatus::kNote, CheckStatus::kUnknown,
                                  CheckStatus::kProblem, CheckStatus::kMissing};
  const auto* const found = std::find_if(std::begin(kAll), std::end(kAll),
                                         [&](CheckStatus one) { return to_string(one) == text; });
  return found == std::end(kAll) ? std::nullopt : std::optional(*found);
}

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
  std::uint64_t unknown = 0;
  for (const rapidjson::Value& one : checks->GetArray()) {
    const auto status = one.IsObject() ? check_status(json_text(one, "status")) : std::nullopt;
    if (!status || json_text(one, "id").empty()) {
      ++unknown;
      continue;
    }
    PreflightCheck check;
    check.id = json_text(one, "id");
    check.what = json_text(one, "what");
    check.status = *status;
    check.statement = json_text(one, "statement");
    check.next = json_text(one, "next");
    preflight.checks.push_back(std::move(check));
  }
  if (unknown > 0) {
    preflight.notes.push_back(
        {NoteKind::kLoss, "", "checks of doctor without an id or a known status", unknown});
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
