// SPDX-License-Identifier: Apache-2.0
//
// What git says of a work tree: which commit it is, and how much was changed since.
#pragma once

#include <string>

namespace proofline {

struct GitState {
  std::string commit;  // "" no repository, no commit yet, or no git
  std::string
      diff_stat;  // "3 files changed, 40 insertions(+), 12 deletions(-)"; "" nothing changed
};

// Of the work tree that holds the folder. The repository may be a stranger's: nothing that its
// configuration names is run.
GitState git_state(const std::string& folder);

}  // namespace proofline
