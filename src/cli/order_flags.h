// SPDX-License-Identifier: Apache-2.0
//
// --sort and --top, for commands that show many kernels.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace proofline {

struct OrderFlags {
  std::string sort;
  std::size_t top = 0;  // 0 = all

  // As many of `all` as are shown.
  std::size_t shown(std::size_t all) const { return top != 0 && top < all ? top : all; }
};

// The first of the orders is the default.
std::shared_ptr<OrderFlags> add_order_flags(Flags line, const std::vector<std::string>& orders);

}  // namespace proofline
