// SPDX-License-Identifier: Apache-2.0
//
// A cubin by itself, as `nvcc -cubin`, ptxas, Triton's cache and `show --extract cubin` leave it.
#include <fmt/format.h>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin.h"
#include "readers/code/cubin_code.h"
#include "readers/code/read_code.h"
#include "readers/format.h"

namespace proofline {
namespace {

Result<void> read_cubin_file(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const auto bytes, input.take_rest());
  const auto functions = read_cubin_code(bytes, "", listing, sink);
  if (functions && *functions > 0) return {};
  // Where decompression broke off, that is the cause.
  const std::string why = input.damage() ? input.damage()->message
                          : functions    ? "a cubin without functions"
                                         : "a damaged cubin: " + functions.error().message;
  return fail(ErrorKind::kInput, fmt::format("{}: {}", quote(input.name()), why));
}

}  // namespace

Format cubin_file() {
  return {.name = "cubin",
          .what = "a cubin",
          .summary = "GPU machine code in a file of its own (.cubin), sm_70 to sm_121",
          .sniff = is_cubin,
          .read_code = read_cubin_file};
}

}  // namespace proofline
