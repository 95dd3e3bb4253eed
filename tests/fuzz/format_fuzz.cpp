// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of every format; FORMAT is the function that the format's file defines. It is
// read as all that it offers.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "promises.h"

namespace proofline {
Format FORMAT();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace proofline;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Format format = FORMAT();
  format.sniff(bytes.substr(0, kSniffBytes));
  if (format.read_profile != nullptr) fuzz::check_profile(format, bytes);
  if (format.read_code != nullptr) fuzz::check_code(format, bytes);
  if (format.read_benchmark != nullptr) fuzz::check_benchmark(format, bytes);
  if (format.read_sanitizer_log != nullptr) fuzz::check_sanitizer_log(format, bytes);
  if (format.read_ceilings != nullptr) fuzz::check_ceilings(format, bytes);
  if (format.read_recording != nullptr) fuzz::check_recording(format, bytes);
  if (format.read_timeline != nullptr) fuzz::check_timeline(format, bytes);
  return 0;
}
