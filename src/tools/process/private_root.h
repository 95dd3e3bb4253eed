// SPDX-License-Identifier: Apache-2.0
//
// Namespaces: a process that sees no files but those below a few paths, no other process, no
// network and no shared memory of others. Needs no privilege where the system lets users make user
// namespaces.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace proofline {

class PrivateRoot {
 public:
  // A root folder that holds these paths under their own names and is empty otherwise; those that
  // do not exist are left out.
  explicit PrivateRoot(std::span<const std::string> paths);

  // The process must be cloned with these.
  static int clone_flags();

  // System calls only: fit for the time between fork and exec. Null, or which step failed with the
  // cause in errno.
  const char* enter() const noexcept;

 private:
  struct Step {
    enum class Kind { kFolder, kFile, kLink, kBind } kind;
    std::string target;  // below the new root
    std::string source;  // of links and binds
  };
  void add(const std::string& path);
  static bool take(const Step& step) noexcept;

  std::vector<Step> steps_;
  std::string user_map_;
  std::string group_map_;
};

}  // namespace proofline
