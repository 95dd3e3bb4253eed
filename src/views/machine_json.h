// SPDX-License-Identifier: Apache-2.0
//
// The machine in our files of benchmarks and of ceilings; readers/machine_fields.h reads it.
#pragma once

#include "model/benchmark.h"
#include "views/json_writer.h"

namespace proofline {

// "machine": {"gpu", "uuid", ...}
void write_benchmark_machine(const BenchmarkMachine& machine, JsonWriter& json);

}  // namespace proofline
