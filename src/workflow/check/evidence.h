// SPDX-License-Identifier: Apache-2.0
//
// Evidence from files of any kind that a reader knows: profiles with their embedded code, machine
// code, benchmarks, logs of sanitizers, ceilings. Facts of all of them are in one table for each
// side: the evidence itself, that of before the change, and that of each case.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/measurement/decision.h"
#include "model/note.h"
#include "playbook/check.h"
#include "playbook/playbook.h"

namespace proofline {

struct CaseFiles {
  std::string id;
  std::vector<std::string> files;
};

struct EvidencePlan {
  std::vector<std::string> files;  // or folders of runs
  std::vector<std::string> before;
  std::vector<CaseFiles> cases;
  std::string kernel;  // RE2: narrows every lock; "" none
  std::string cc;      // compute capability, where no file tells it; "" none
  // Of several captures of one kernel the one with most metrics is taken: the phases of a run may
  // look at it more than once. Otherwise that is an error, since it is ambiguous.
  bool take_fullest = false;
  DecideOptions decide = {};  // how benchmarks of both sides are judged
};

// Everything that was read. The kernels of `kernels` refer to it.
class GatheredEvidence {
 public:
  // kInput where a file cannot be read or no kernel fits a lock; kUsage where two files hold the
  // same kernel.
  static Result<GatheredEvidence> gather(const Playbook& playbook, const EvidencePlan& plan,
                                         const InputLimits& limits);
  GatheredEvidence(GatheredEvidence&&) noexcept;
  GatheredEvidence& operator=(GatheredEvidence&&) noexcept;
  ~GatheredEvidence();

  const std::vector<KernelEvidence>& kernels() const;
  // There is something of before the change, so that tasks can be accepted or not.
  bool has_before() const;
  const std::vector<std::string>& sources() const;
  const std::vector<Note>& notes() const;

 private:
  struct State;
  explicit GatheredEvidence(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace proofline
