// SPDX-License-Identifier: Apache-2.0
//
// Work trees in which changes are made, apart from the user's own checkout. What the user has there
// now, committed or not, is the first commit; each change is one more. Of a folder in a git
// repository these are worktrees of it, and branches of it; of any other folder, those of a
// repository that the play keeps for itself. The user's files, index and branches stay as they are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace proofline {

class WorkTrees {
 public:
  // For the tree that holds the current folder. `play`: the folder of the play, beside which others
  // are, and in which a repository of ours goes if it is needed; `name` calls the branch
  // proofline/NAME. kTool where there is no git.
  static Result<WorkTrees> open(const std::string& play, const std::string& name);

  // Commits what the user has now, and says which commit that is. Ignored files are not in it.
  Result<std::string> snapshot();
  // Checks the commit out; an old tree at this path goes. The folder in it that is the current one.
  Result<std::string> add(const std::string& path, const std::string& commit);
  // The same of a tree that is there.
  std::string folder_in(const std::string& path) const;
  void remove(const std::string& path);
  // What was changed in a tree, as a commit upon `base`; "" nothing was.
  Result<std::string> commit(const std::string& path, const std::string& base,
                             const std::string& message);
  // Makes the branch end there.
  Result<void> keep(const std::string& commit);
  const std::string& branch() const { return branch_; }

 private:
  WorkTrees() = default;
  Result<std::string> git(const std::vector<std::string>& words,
                          const std::vector<std::string>& environment = {}) const;
  void forget_index() const;
  void forget_lost_trees() const;
  Result<std::string> commit_tree(const std::string& tree, const std::string& parent,
                                  const std::string& message) const;

  std::string program_;
  std::vector<std::string> where_;  // "-C", folder, or the repository and the tree
  std::string top_;                 // of the user's tree
  std::string inside_;              // the current folder in it; "" it is the top
  std::string branch_;
  std::string scratch_;    // for an index of ours
  std::string plays_;      // the folder of all plays
  std::string worktrees_;  // where git keeps what it knows of work trees
};

}  // namespace proofline
