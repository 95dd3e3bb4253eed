// SPDX-License-Identifier: Apache-2.0
#include "cli/order_flags.h"

#include <fmt/format.h>

namespace proofline {

std::shared_ptr<OrderFlags> add_order_flags(Flags line, const std::vector<std::string>& orders) {
  auto flags = std::make_shared<OrderFlags>();
  flags->sort = orders.front();
  line.add("--sort", flags->sort, "What comes first: the largest, or by name")
      .one_of(orders)
      .shown_as(fmt::format("{}", fmt::join(orders, "|")))
      .with_default();
  line.add("--top", flags->top, "Only the first N of that order")
      .in_range(1, 1000000)
      .shown_as("N");
  return flags;
}

}  // namespace proofline
