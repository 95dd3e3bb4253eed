// SPDX-License-Identifier: Apache-2.0
//
// What must hold before a duration counts: right results, a clean sanitizer, times that can be, one
// machine, one method and the same inputs on both sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnosis/decision/decide.h"
#include "diagnosis/decision/decide_configuration.h"
#include "diagnosis/decision/decide_words.h"

namespace proofline {

// The verdict of a gate that failed.
struct GateVerdict {
  DecisionVerdict verdict = DecisionVerdict::kInvalid;
  std::string reason;
  std::string next;
};

struct GateSubject {
  const Benchmark& a;
  const Benchmark& b;
  const MeasurementMatching& matching;
  const PlaceNames& places;
  const DecideEvidence& evidence;
  bool interleaved = false;  // measured in turn, so on one machine
  bool force = false;
  bool gate_leaks = false;
};

// Fills the decision's gates and differences. Of several gates that failed, the verdict is that of
// the one that says most about the change: a wrong B is wrong on any machine.
std::optional<GateVerdict> pass_gates(const GateSubject& subject, Decision& decision);

// Timed on both sides; a wrong result has no time.
bool was_measured(const MeasurementPair& pair);

// What A has a time for and B has not, though nothing went wrong there. Kernels may come and go
// where the time of all of them is compared.
std::vector<const Measurement*> missing_in_b(const MeasurementMatching& matching);
// "at n=1, at n=2 and 3 more"
std::string places_of(const std::vector<const Measurement*>& some, const PlaceNames& places);

}  // namespace proofline
