// SPDX-License-Identifier: Apache-2.0
//
// Looks a view up by the name that --format takes.

#include "views/view.h"

namespace proofline {

const View* find_view(std::string_view name) {
  for (const View& view : views()) {
    if (view.name == name) return &view;
  }
  return nullptr;
}

}  // namespace proofline
