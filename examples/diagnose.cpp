// SPDX-License-Identifier: Apache-2.0
//
// proofline/diagnose.h: the verdict on each kernel, worst first, and its first cause. The profile
// is gone by then: a diagnosis owns what it says.
//
//   ./diagnose report.ncu-rep
#include <proofline/diagnose.h>
#include <proofline/load.h>

#include <iostream>

namespace {

proofline::Result<proofline::Diagnosis> diagnose_file(const char* path) {
  const auto profile = proofline::load(path);
  if (!profile) return tl::make_unexpected(profile.error());
  return proofline::diagnose(*profile);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto diagnosis = diagnose_file(argv[1]);
  if (!diagnosis) {
    std::cerr << diagnosis.error().message << '\n';
    return 1;
  }
  for (const proofline::KernelDiagnosis& kernel : diagnosis->kernels) {
    std::cout << kernel.function << ": " << to_string(kernel.verdict.bound);
    if (!kernel.findings.empty()) std::cout << ", " << kernel.findings.front().id;
    std::cout << ", registers " << kernel.facts.number("launch__registers_per_thread").value_or(-1)
              << '\n';
  }
}
