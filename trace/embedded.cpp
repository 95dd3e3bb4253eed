// SPDX-License-Identifier: Apache-2.0
//
// The recorder's bytes as part of the library. The assembler takes them as they are, which any
// compiler can do for any target; PROOFLINE_RECORDER is the path of the shared object.
#include <cstddef>

#include "tools/recorder/recorder_object.h"

__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    ".globl proofline_recorder_begin\n"
    ".hidden proofline_recorder_begin\n"
    "proofline_recorder_begin:\n"
    ".incbin \"" PROOFLINE_RECORDER
    "\"\n"
    ".globl proofline_recorder_end\n"
    ".hidden proofline_recorder_end\n"
    "proofline_recorder_end:\n"
    ".byte 0\n"
    ".popsection\n");

namespace proofline {

extern const char kRecorderBegin[] __asm__("proofline_recorder_begin");
extern const char kRecorderEnd[] __asm__("proofline_recorder_end");

std::string_view recorder_object() {
  return {kRecorderBegin, static_cast<std::size_t>(kRecorderEnd - kRecorderBegin)};
}

}  // namespace proofline
