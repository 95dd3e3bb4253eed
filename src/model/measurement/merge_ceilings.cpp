// SPDX-License-Identifier: Apache-2.0
#include "model/measurement/merge_ceilings.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace proofline {

Ceilings merge_ceilings(Ceilings fresh, const Ceilings& earlier) {
  const auto mention = [&](std::string what) {
    fresh.notes.push_back({NoteKind::kInfo, "", std::move(what)});
  };
  if (earlier.machine.uuid != fresh.machine.uuid || earlier.machine.gpu != fresh.machine.gpu) {
    mention(fmt::format("the earlier ceilings were of another GPU, {} {}, and are dropped",
                        quote(earlier.machine.gpu), quote(earlier.machine.uuid)));
    return fresh;
  }
  if (earlier.machine.driver != fresh.machine.driver) {
    mention(fmt::format("the earlier ceilings were measured with driver {} and are dropped",
                        quote(earlier.machine.driver)));
    return fresh;
  }
  std::string kept;
  std::vector<Ceiling> merged;
  merged.reserve(earlier.ceilings.size() + fresh.ceilings.size());
  for (const Ceiling& one : earlier.ceilings) {
    const Ceiling* now = find_ceiling(fresh, one.name);
    if (now == nullptr) kept.append(kept.empty() ? "" : ", ").append(escape_terminal(one.name));
    merged.push_back(now == nullptr ? one : *now);
  }
  for (const Ceiling& one : fresh.ceilings) {
    if (find_ceiling(earlier, one.name) == nullptr) merged.push_back(one);
  }
  if (!kept.empty()) {
    mention(fmt::format("kept from the file of {}: {}", quote(earlier.measured_at), kept));
  }
  fresh.ceilings = std::move(merged);
  return fresh;
}

}  // namespace proofline
