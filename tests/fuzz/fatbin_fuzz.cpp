// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of fatbins, in files of their own and in the host's. Whatever the bytes are,
// reading them must neither crash nor hang, nor take more than a file of that size may.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/input.h"
#include "readers/code/code_reader.h"

namespace proofline {
CodeReader fatbin_file();
CodeReader host_elf();
}  // namespace proofline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace proofline;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const CodeReader& reader : {fatbin_file(), host_elf()}) {
    auto input = Input::from_memory(bytes, "fuzz");
    if (!input || !reader.sniff(bytes)) continue;
    Listing listing;
    (void)reader.read(*input, listing, [](CodeFunction&&) {});
  }
  return 0;
}
