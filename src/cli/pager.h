// SPDX-License-Identifier: Apache-2.0
//
// Long results on a terminal go through a pager, as git's do: PROOFLINE_PAGER, PAGER, or less. An
// empty one or `cat` switches it off.
#pragma once

#include <string_view>

namespace proofline {

// Whether what goes to this file would be seen on a terminal, and the pager is not switched off.
bool can_page(int fd);

// Shows the text and waits until the user has seen enough. False, and nothing was shown, where it
// fits on the screen or there is no pager.
bool page(std::string_view text);

}  // namespace proofline
