// SPDX-License-Identifier: Apache-2.0
#include "readers/benchmark/machine_fields.h"

namespace proofline {

BenchmarkMachine read_machine(const JsonFields& fields) {
  BenchmarkMachine machine;
  machine.gpu = fields.text("gpu");
  machine.uuid = fields.text("uuid");
  machine.compute_capability = fields.text("compute_capability");
  machine.driver = fields.text("driver");
  machine.cuda = fields.text("cuda");
  machine.max_sm_mhz = fields.positive("max_sm_mhz");
  machine.locked_sm_mhz = fields.positive("locked_sm_mhz");
  machine.clocks_locked = fields.flag("clocks_locked");
  machine.ecc = fields.flag("ecc");
  machine.mig = fields.flag("mig");
  return machine;
}

Note read_note(const JsonFields& fields) {
  const bool loss = fields.text("kind") == to_string(NoteKind::kLoss);
  return {loss ? NoteKind::kLoss : NoteKind::kInfo, fields.text("place"), fields.text("what"),
          fields.whole("count").value_or(1)};
}

}  // namespace proofline
