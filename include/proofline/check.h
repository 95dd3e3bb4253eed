// SPDX-License-Identifier: Apache-2.0
//
// Evidence judged by a playbook: PASS, FAIL or UNKNOWN for each of its checks, with the numbers.
//
//   const auto checked = proofline::check("moe-evidence", {.files = {"report.ncu-rep"}});
//   if (checked && checked->verdict() == proofline::Checked::Verdict::kFail) return 1;
//
// docs/playbooks.md has the language; `proofline list playbooks` the ones that are built in.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/note.h"

namespace proofline {

struct CheckRun;

// A playbook's answers. Copies share them; nothing changes them any more.
class Checked {
 public:
  enum class Verdict { kPass, kFail, kUnknown, kSkipped, kConfirmed, kRefuted };
  struct Check {
    std::string id;
    std::string title;
    std::string kernel;  // the lock's id; "" not of a kernel
    bool must = false;   // it counts for the verdict as a whole
    Verdict verdict = Verdict::kUnknown;
    std::string why;
    std::string fix;
    std::vector<std::string> missing;  // facts without which it is UNKNOWN
  };
  std::vector<Check> checks() const;
  // FAIL where a `must` fails, else UNKNOWN where one is UNKNOWN, else PASS.
  Verdict verdict() const;
  const std::string& next() const;  // the task or option to take now; "" none
  const std::vector<Note>& notes() const;

 private:
  friend struct ApiAccess;
  explicit Checked(std::shared_ptr<const CheckRun> run) : run_(std::move(run)) {}

  std::shared_ptr<const CheckRun> run_;
};

struct CheckInputs {
  std::vector<std::string> files;          // reports, code, benchmarks, logs, or folders of runs
  std::vector<std::string> before = {};    // the same of before the change
  std::vector<std::string> workload = {};  // KEY=VALUE, or a TOML file of them
  std::string kernel = {};                 // a regular expression (RE2); "" any that a lock fits
};

// `playbook` is the id of one that is built in, or a path.
Result<Checked> check(const std::string& playbook, const CheckInputs& inputs);

}  // namespace proofline
