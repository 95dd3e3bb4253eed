// SPDX-License-Identifier: Apache-2.0
//
// libstdc++'s demangler, by the entry that hands out its text in pieces and keeps all its state on
// the stack: so its work can be broken off, which __cxa_demangle does not offer. Only the static
// libsupc++ has that entry.
#include "base/demangle.h"

#include <csetjmp>
#include <cstddef>
#include <utility>

// NOLINTNEXTLINE(readability-identifier-naming): the name in the library
extern "C" int __gcclibcxx_demangle_callback(
    const char* mangled, void (*take)(const char* text, std::size_t size, void* into), void* into);

namespace proofline {
namespace {

// Its tables lie on the stack: some 70 bytes for each of the name.
constexpr std::size_t kMostInput = 1U << 14U;
constexpr std::size_t kMostOutput = 1U << 16U;

struct Text {
  std::string text;
  std::jmp_buf stop;
};

void take(const char* piece, std::size_t size, void* into) {
  auto& out = *static_cast<Text*>(into);
  // Nothing between here and the call below has a destructor: it is all C.
  if (out.text.size() + size > kMostOutput) std::longjmp(out.stop, 1);
  out.text.append(piece, size);
}

}  // namespace

DemangledName demangle(std::string_view name) {
  DemangledName result{std::string(name), false};
  if (!name.starts_with("_Z")) return result;
  result.limit = name.size() > kMostInput;
  if (result.limit) return result;
  Text out;
  if (setjmp(out.stop) != 0) {
    result.limit = true;
    return result;
  }
  if (__gcclibcxx_demangle_callback(result.text.c_str(), take, &out) == 0) {
    result.text = std::move(out.text);
  }
  return result;
}

}  // namespace proofline
