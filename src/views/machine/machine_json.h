// SPDX-License-Identifier: Apache-2.0
//
// The machine in our files of benchmarks and of ceilings; readers/benchmark/machine_fields.h reads
// it.
#pragma once

#include "base/json_writer.h"
#include "model/measurement/benchmark.h"

namespace proofline {

// "machine": {"gpu", "uuid", ...}
void write_benchmark_machine(const BenchmarkMachine& machine, JsonWriter& json);

}  // namespace proofline
