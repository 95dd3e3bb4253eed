// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/mangled_name.h"

namespace proofline {
namespace {

constexpr std::size_t kMostInput = 1U << 14U;
constexpr std::size_t kMostOutput = 1U << 16U;

}  // namespace

DemangledName demangle(std::string_view name) {
  DemangledName result{std::string(name), name.size() > kMostInput};
  if (!name.starts_with("_Z") || result.limit) return result;
  const std::optional<MangledTree> tree = parse_mangled_name(name);
  if (!tree) return result;
  std::optional<std::string> text = write_name(*tree, kMostOutput);
  result.limit = !text;
  if (text && !text->empty()) result.text = *std::move(text);
  return result;
}

}  // namespace proofline
