// SPDX-License-Identifier: Apache-2.0
//
// Finds the code reader that knows an input by its bytes, never by its name, and runs it.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/code_reader.h"
#include "readers/reader.h"

namespace proofline {

bool is_code(std::string_view prefix) {
  const auto known = code_readers();
  return std::any_of(known.begin(), known.end(),
                     [&](const CodeReader& reader) { return reader.sniff(prefix); });
}

Result<void> read_code(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  if (prefix.empty()) {
    return fail(ErrorKind::kInput, fmt::format("{}: too short: 0 bytes", quote(input.name())));
  }
  std::string known;
  for (const CodeReader& reader : code_readers()) {
    known += (known.empty() ? "" : ", ") + std::string(reader.name);
    if (!reader.sniff(prefix)) continue;
    listing.path = input.name();
    listing.format = reader.name;
    RETURN_IF_ERROR(reader.read(input, listing, sink));
    return input.finish();
  }
  return fail(ErrorKind::kInput,
              fmt::format("{}: no machine code in a known format; known are: {} (see 'proofline "
                          "list readers')",
                          quote(input.name()), known));
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
