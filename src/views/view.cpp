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

std::string markdown_text(const Document& document) {
  std::string text;
  Output output(text);
  find_view("markdown")->render({[&] { return document; }, {}}, {}, output);
  output.flush();
  return text;
}

}  // namespace proofline
