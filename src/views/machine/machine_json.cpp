// SPDX-License-Identifier: Apache-2.0
#include "views/machine/machine_json.h"

#include "views/json_parts.h"

namespace proofline {

void write_benchmark_machine(const BenchmarkMachine& machine, JsonWriter& json) {
  json.key("machine");
  json.begin_object();
  json.member("gpu", machine.gpu);
  json.member("uuid", machine.uuid);
  json.member("compute_capability", machine.compute_capability);
  json.member("driver", machine.driver);
  json.member("cuda", machine.cuda);
  json.member("max_sm_mhz", machine.max_sm_mhz);
  json.member("locked_sm_mhz", machine.locked_sm_mhz);
  json.member("clocks_locked", machine.clocks_locked);
  json.member("ecc", machine.ecc);
  json.member("mig", machine.mig);
  json.end_object();
}

}  // namespace proofline
