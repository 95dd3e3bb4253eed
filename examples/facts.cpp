// SPDX-License-Identifier: Apache-2.0
//
// proofline/facts.h: some facts and metrics of the first kernel by name, or why there are none.
//
//   ./facts report.ncu-rep roof.level stall.barrier.share dram__bytes_read.sum
#include <proofline/facts.h>
#include <proofline/load.h>

#include <iostream>
#include <variant>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto profile = proofline::load(argv[1]);
  if (!profile || profile->launches.empty()) {
    std::cerr << (profile ? "no kernel was profiled" : profile.error().message) << '\n';
    return 1;
  }
  const proofline::Facts facts = proofline::facts_of(*profile, profile->launches.front());
  for (int i = 2; i < argc; ++i) {
    std::cout << argv[i] << ": ";
    if (const auto fact = facts.find(argv[i])) {
      std::visit([](const auto& value) { std::cout << value; }, fact->value);
      std::cout << ' ' << fact->unit << '\n';
    } else {
      std::cout << facts.absence(argv[i]).reason << '\n';
    }
  }
}
