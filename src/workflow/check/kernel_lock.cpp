// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/kernel_lock.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/demangle.h"
#include "base/option.h"
#include "base/regex_text.h"
#include "base/text.h"
#include "views/quantity.h"

namespace proofline {

Result<Lock> Lock::make(const KernelLock& lock, const std::string& narrower) {
  Lock made;
  made.lock_ = &lock;
  made.regex_ = std::make_shared<re2::RE2>(lock.name, re2::RE2::Quiet);
  made.narrower_ = std::make_shared<re2::RE2>(narrower, re2::RE2::Quiet);
  if (!made.narrower_->ok()) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} {} is no regular expression: {}", option("kernel"), quote(narrower),
                            made.narrower_->error()));
  }
  return made;
}

Lock Lock::unnarrowed() const {
  Lock wide = *this;
  wide.narrower_ = std::make_shared<re2::RE2>("", re2::RE2::Quiet);
  return wide;
}

bool Lock::matches(const Launch& launch) const {
  if (!lock_->cc.empty() && lock_->cc != launch.compute_capability) return false;
  if (!lock_->grid.empty() && lock_->grid != dim_text(launch.grid)) return false;
  if (!lock_->block.empty() && lock_->block != dim_text(launch.block)) return false;
  return matches_name({launch.name, launch.mangled, launch.function});
}

bool Lock::matches_function(const std::string& mangled) const {
  return matches_name({mangled, demangle(mangled).text});
}

bool Lock::matches_name(const std::vector<std::string_view>& names) const {
  const auto any = [&](const re2::RE2& regex) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return re2::RE2::PartialMatch(regex_text(name), regex);
    });
  };
  return any(*regex_) && any(*narrower_);
}

}  // namespace proofline
