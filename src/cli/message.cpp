// SPDX-License-Identifier: Apache-2.0
#include "cli/message.h"

#include <unistd.h>

#include "base/output.h"

namespace proofline {

void print_message(std::string_view text) { write_all(STDERR_FILENO, text); }

}  // namespace proofline
