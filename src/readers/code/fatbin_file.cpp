// SPDX-License-Identifier: Apache-2.0
//
// A fatbin by itself, as `nvcc -fatbin` leaves it.
#include <fmt/format.h>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/fatbin.h"
#include "readers/code/read_code.h"
#include "readers/format.h"

namespace proofline {
namespace {

Result<void> read_fatbin_file(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const auto bytes, input.take_rest());
  if (input.damage()) listing.notes.push_back({NoteKind::kLoss, "", input.damage()->message});
  FatbinReader reader(bytes.size(), listing, sink);
  reader.add(bytes);
  if (const auto code = reader.read(); !code) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: the fatbin {}", quote(input.name()), code.error().message));
  }
  return {};
}

}  // namespace

Format fatbin_file() {
  return {.name = "fatbin",
          .what = "a fatbin",
          .summary = "cubins for several architectures in one file (.fatbin)",
          .sniff = is_fatbin,
          .read_code = read_fatbin_file};
}

}  // namespace proofline
