// SPDX-License-Identifier: Apache-2.0
//
// Facts that are not a launch's: of benchmarks, sanitizers' logs, ceilings and the hardware. Their
// catalogue is playbook/fact_catalogue.cpp.
#pragma once

#include "arch/arch.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"
#include "model/machine/preflight.h"
#include "model/machine/sanitizer.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/ceilings.h"

namespace proofline {

// Of several measurements the slowest: what holds for it holds for all.
void publish_benchmark(const Benchmark& benchmark, Facts& facts);
void publish_sanitizer(const SanitizerToolResult& result, Facts& facts);
// preflight[ID]: ok, note, unknown, problem or missing.
void publish_preflight(const Preflight& preflight, Facts& facts);
void publish_ceilings(const Ceilings& ceilings, Facts& facts);
void publish_arch(const SmLimits& limits, Facts& facts);
// Name, device, shape, verdict and findings.
void publish_diagnosis(const KernelDiagnosis& kernel, Facts& facts);

}  // namespace proofline
