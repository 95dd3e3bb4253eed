// SPDX-License-Identifier: Apache-2.0
//
// The playbooks that the binary carries: the files of playbooks/, in the order of their names.
#pragma once

#include <span>
#include <string_view>

namespace proofline {

struct ShippedPlaybook {
  std::string_view id;  // the file's stem
  std::string_view text;
};

// Without commands.toml, which lists what commands do, and without the skeleton.
std::span<const ShippedPlaybook> shipped_playbooks();
const ShippedPlaybook* find_shipped_playbook(std::string_view id);

// A short playbook to start from, with a line on every table.
std::string_view skeleton_playbook();
// The requirements that commands answer.
std::string_view shipped_commands();

}  // namespace proofline
