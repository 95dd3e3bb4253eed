// SPDX-License-Identifier: Apache-2.0
//
// The evidence of one kernel in which checks know each other's answers and the journal is asked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/check.h"
#include "playbook/fact_source.h"
#include "playbook/playbook.h"

namespace proofline {

class CheckedKernel final : public FactSource {
 public:
  CheckedKernel(const Playbook& playbook, const KernelEvidence& kernel, const CheckOptions& options)
      : playbook_(playbook), kernel_(kernel), options_(options) {}

  const LockedKernel& locked() const { return kernel_.locked; }

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override;
  LogicAnswer pattern(const EvidenceSide& side, const std::string& text,
                      bool forbid) const override;
  FactAnswer code(const EvidenceSide& side, const std::string& term) const override;
  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override;
  const SmLimits* limits(const EvidenceSide& side) const override;
  LogicAnswer check(const std::string& id) const override;
  FactAnswer journal(JournalQuestion question, const std::string& task) const override;

  CheckResult judge(const PlaybookCheck& check, const std::string& in_case) const;
  // What the lock says of the code.
  CheckResult lock_check(const KernelLock& lock) const;
  // The least answer of all expressions, with the readings of all.
  Evaluation all_hold(const std::vector<PlaybookExpression>& expressions) const;

 private:
  const Playbook& playbook_;
  const KernelEvidence& kernel_;
  const CheckOptions& options_;
  mutable std::map<std::string, CheckResult> judged_;
};

}  // namespace proofline
