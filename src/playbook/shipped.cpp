// SPDX-License-Identifier: Apache-2.0
#include "playbook/shipped.h"

namespace proofline {

const ShippedPlaybook* find_shipped_playbook(std::string_view id) {
  for (const ShippedPlaybook& playbook : shipped_playbooks()) {
    if (playbook.id == id) return &playbook;
  }
  return nullptr;
}

}  // namespace proofline
