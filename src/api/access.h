// SPDX-License-Identifier: Apache-2.0
//
// Inside the handles that the public headers hand out.
#pragma once

#include <memory>
#include <utility>

#include "diagnosis/comparison/compare_code.h"
#include "diagnosis/timeline/diagnose_timeline.h"
#include "playbook/check.h"
#include "proofline/check.h"
#include "proofline/code.h"
#include "proofline/compare.h"
#include "proofline/timeline.h"

namespace proofline {

struct ApiAccess {
  static Code make(CodeSide side) {
    return Code(std::make_shared<const CodeSide>(std::move(side)));
  }
  static CodeChanges make(Code a, Code b, CodeComparison comparison) {
    return {std::move(a), std::move(b),
            std::make_shared<const CodeComparison>(std::move(comparison))};
  }
  static JudgedTimeline make(TimelineDiagnosis diagnosis) {
    return JudgedTimeline(std::make_shared<const TimelineDiagnosis>(std::move(diagnosis)));
  }
  static Checked make(CheckRun run) {
    return Checked(std::make_shared<const CheckRun>(std::move(run)));
  }

  static const TimelineDiagnosis& diagnosis(const JudgedTimeline& timeline) {
    return *timeline.diagnosis_;
  }
  static const CheckRun& run(const Checked& checked) { return *checked.run_; }
  static const CodeSide& side(const Code& code) { return *code.side_; }
  static const CodeSide& side_a(const CodeChanges& changes) { return side(changes.a_); }
  static const CodeSide& side_b(const CodeChanges& changes) { return side(changes.b_); }
  static const CodeComparison& comparison(const CodeChanges& changes) {
    return *changes.comparison_;
  }
};

}  // namespace proofline
