// SPDX-License-Identifier: Apache-2.0
//
// proofline/load.h: says of each file what it is, and of a profile which kernels are in it.
//
//   ./load report.ncu-rep kernel.cubin before.json
#include <proofline/load.h>

#include <iostream>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto format = proofline::identify_file(argv[i]);
    if (!format) {
      std::cerr << format.error().message << '\n';
      return 1;
    }
    std::cout << format->name << ":";
    for (const proofline::InputKind kind : format->kinds) std::cout << ' ' << to_string(kind);
    std::cout << '\n';
    if (!format->is(proofline::InputKind::kProfile)) continue;
    const auto profile = proofline::load(argv[i]);
    if (!profile) {
      std::cerr << profile.error().message << '\n';
      return 1;
    }
    for (const proofline::Launch& launch : profile->launches) {
      std::cout << "  " << launch.function << ", " << launch.metrics.size() << " metrics\n";
    }
    for (const proofline::Note& note : profile->notes) std::cout << "  note: " << note.what << '\n';
  }
}
