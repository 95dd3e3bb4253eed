// SPDX-License-Identifier: Apache-2.0
//
// proofline/decide.h: whether to keep a change, by what a benchmark measured before and after it.
//
//   ./decide before.json after.json
#include <proofline/decide.h>
#include <proofline/load.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto before = proofline::load_benchmark(argv[1]);
  const auto after = proofline::load_benchmark(argv[2]);
  if (!before || !after) {
    std::cerr << (before ? after : before).error().message << '\n';
    return 1;
  }
  const auto decision = proofline::decide(*before, *after);
  if (!decision) {
    std::cerr << decision.error().message << '\n';
    return 1;
  }
  std::cout << to_string(decision->verdict) << ": " << decision->reason << '\n';
}
