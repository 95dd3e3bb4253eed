// SPDX-License-Identifier: Apache-2.0
//
// What besides the code differs between two benchmarks: the machine, the way of measuring, the
// inputs. What only one of them says is no difference.
#pragma once

#include <string_view>
#include <vector>

#include "diagnosis/decision/decide_configuration.h"
#include "model/diagnosis/comparison.h"
#include "model/measurement/benchmark.h"

namespace proofline {

std::vector<Difference> machine_differences(const BenchmarkMachine& a, const BenchmarkMachine& b);
// How the pairs' times were taken; each kind of difference once.
std::vector<Difference> method_differences(const std::vector<MeasurementPair>& pairs);
// Of pairs whose configurations are not the same.
std::vector<Difference> input_differences(const std::vector<MeasurementPair>& pairs);

}  // namespace proofline
