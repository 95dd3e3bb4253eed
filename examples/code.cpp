// SPDX-License-Identifier: Apache-2.0
//
// proofline/code.h: what each function is made of, and whether one keeps its registers: a gate for
// a build.
//
//   ./code kernel.cubin
#include <proofline/code.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto code = proofline::load_code(argv[1]);
  if (!code) {
    std::cerr << code.error().message << '\n';
    return 1;
  }
  for (const proofline::Code::Function& function : code->functions()) {
    std::cout << function.name << ": " << function.instructions << " instructions, "
              << function.registers.value_or(0) << " registers, " << function.loops << " loops\n";
  }
  const auto checks = code->check("spill", proofline::Code::Claim::kForbidden);
  if (!checks) {
    std::cerr << checks.error().message << '\n';
    return 1;
  }
  int spilling = 0;
  for (const proofline::Code::Check& check : *checks) {
    if (check.state != proofline::Code::State::kPass) {
      std::cout << check.function << ": " << check.why << '\n';
      ++spilling;
    }
  }
  std::cout << spilling << " functions spill\n";
}
