// SPDX-License-Identifier: Apache-2.0
#include "model/code/listing.h"

#include <algorithm>
#include <charconv>

namespace proofline {

OpcodeNames::OpcodeNames() { intern(kUnknownOpcodeName); }

OpcodeId OpcodeNames::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<OpcodeId>(names_.size());
  ids_.emplace(names_.emplace_back(name), id);
  return id;
}

Control control_of(const Encoding& encoding) {
  const auto bits = [&](unsigned from, unsigned count) {
    return static_cast<std::uint8_t>(encoding.high >> from & ((1U << count) - 1));
  };
  return {bits(41, 4), bits(45, 1) != 0, bits(46, 3), bits(49, 3), bits(52, 6), bits(58, 4)};
}

std::optional<std::size_t> CodeFunction::at(std::uint64_t address) const {
  const auto found = std::lower_bound(
      instructions.begin(), instructions.end(), address,
      [](const Instruction& one, std::uint64_t wanted) { return one.address < wanted; });
  if (found == instructions.end() || found->address != address) return std::nullopt;
  return static_cast<std::size_t>(found - instructions.begin());
}

std::uint32_t sm_number(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (!arch.starts_with(kPrefix)) return 0;
  arch.remove_prefix(kPrefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(arch.data(), arch.data() + arch.size(), number);
  const std::size_t left = arch.size() - static_cast<std::size_t>(end - arch.data());
  return error == std::errc() && left <= 1 ? number : 0;
}

}  // namespace proofline
