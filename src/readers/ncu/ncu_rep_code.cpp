// SPDX-License-Identifier: Apache-2.0
#include "readers/ncu/ncu_rep_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin_code.h"
#include "readers/reader.h"

namespace proofline {

Result<void> read_ncu_rep_code(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(auto profile, read_profile(input, {.code = true}));
  // What else it remarks is about metrics.
  std::copy_if(profile.notes.begin(), profile.notes.end(), std::back_inserter(listing.notes),
               [](const Note& note) { return note.kind == NoteKind::kLoss; });
  std::size_t functions = 0;
  std::string why = "record it with ncu --set full or --section SourceCounters";
  std::unordered_set<std::string_view> cubins;
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    if (module.cubin.empty() || !cubins.insert(module.cubin).second) continue;
    // The name that `show --extract cubin` gives it.
    const std::string container =
        fmt::format("module-{}.sm_{}{}", i, module.sm_major, module.sm_minor);
    if (const auto count = read_cubin_code(module.cubin, container, listing, sink)) {
      functions += *count;
    } else {
      why = "a cubin is damaged: " + count.error().message;
      listing.notes.push_back({NoteKind::kLoss, container, why});
    }
  }
  if (functions > 0) return {};
  return fail(ErrorKind::kInput,
              fmt::format("{}: the report holds no GPU code: {}", quote(input.name()), why));
}

}  // namespace proofline
