// SPDX-License-Identifier: Apache-2.0
//
// Which kernels a playbook's lock fits: by name, shape and GPU.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile/profile.h"
#include "playbook/playbook.h"

namespace proofline {

class Lock {
 public:
  // `narrower`: --kernel. kUsage.
  static Result<Lock> make(const KernelLock& lock, const std::string& narrower);

  const KernelLock& lock() const { return *lock_; }

  // --kernel tells which of several is judged; before the change it may have had another name.
  Lock unnarrowed() const;

  bool matches(const Launch& launch) const;
  bool matches_function(const std::string& mangled) const;

 private:
  bool matches_name(const std::vector<std::string_view>& names) const;

  const KernelLock* lock_ = nullptr;
  std::shared_ptr<const re2::RE2> regex_;
  std::shared_ptr<const re2::RE2> narrower_;
};

}  // namespace proofline
