// SPDX-License-Identifier: Apache-2.0
//
// Shows that the fuzz build finds bugs: reads past the end of the input, but only after the right
// first bytes, which the fuzzer has to work out.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || data[0] != 'B' || data[1] != 'U' || data[2] != 'G') return 0;
  const volatile std::uint8_t past_the_end = data[size];
  return past_the_end == 1 ? 0 : 0;
}
