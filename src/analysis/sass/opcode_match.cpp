// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/opcode_match.h"

#include <cstddef>

#include "base/characters.h"

namespace proofline {
namespace {

// Whether whole parts at the opcode's front are the name; a * may mean several parts.
bool matches_front(std::string_view name, std::string_view opcode) {
  // After a mismatch the last * takes one letter more; earlier ones need not be tried again.
  std::size_t n = 0;
  std::size_t o = 0;
  std::size_t star = name.npos;
  std::size_t taken = 0;
  while (true) {
    if (n == name.size() && (o == opcode.size() || opcode[o] == '.')) return true;
    if (n < name.size() && name[n] == '*') {
      star = n++;
      taken = o;
    } else if (n < name.size() && o < opcode.size() &&
               (name[n] == '?' || to_lower(name[n]) == to_lower(opcode[o]))) {
      ++n;
      ++o;
    } else if (star != name.npos && taken < opcode.size()) {
      n = star + 1;
      o = ++taken;
    } else {
      return false;
    }
  }
}

}  // namespace

bool matches_opcode(std::string_view name, std::string_view opcode) {
  if (matches_front(name, opcode)) return true;
  if (!matches_front(take_until('.', name), take_until('.', opcode))) return false;
  while (!name.empty()) {
    const std::string_view wanted = take_until('.', name);
    while (!opcode.empty() && !matches_front(wanted, opcode.substr(0, opcode.find('.')))) {
      take_until('.', opcode);
    }
    if (opcode.empty()) return false;
    take_until('.', opcode);
  }
  return true;
}

}  // namespace proofline
