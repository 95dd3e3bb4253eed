// SPDX-License-Identifier: Apache-2.0
//
// What our files of benchmarks and of ceilings have alike: the machine and the notes.
#pragma once

#include "model/measurement/benchmark.h"
#include "model/note.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {

BenchmarkMachine read_machine(const JsonFields& fields);
Note read_note(const JsonFields& fields);

}  // namespace proofline
