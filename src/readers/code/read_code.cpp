// SPDX-License-Identifier: Apache-2.0
#include "readers/code/read_code.h"

#include <utility>
#include <vector>

#include "base/propagate.h"
#include "readers/format.h"

namespace proofline {

Result<void> read_code(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const Format* format, identify(input, {InputKind::kCode}));
  listing.path = input.name();
  listing.format = format->name;
  RETURN_IF_ERROR(format->read_code(input, listing, sink));
  return input.finish();
}

Result<Listing> read_code(Input& input) {
  Listing listing;
  std::vector<CodeFunction> functions;
  const auto keep = [&](CodeFunction&& function) { functions.push_back(std::move(function)); };
  RETURN_IF_ERROR(read_code(input, listing, keep));
  listing.functions = std::move(functions);
  return listing;
}

}  // namespace proofline
