// SPDX-License-Identifier: Apache-2.0
//
// proofline/render.h: a diagnosis as text, in the format of your choice.
//
//   ./render report.ncu-rep markdown
#include <proofline/diagnose.h>
#include <proofline/load.h>
#include <proofline/render.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto profile = proofline::load(argv[1]);
  if (!profile) {
    std::cerr << profile.error().message << '\n';
    return 1;
  }
  const auto text = proofline::render(proofline::diagnose(*profile), argv[2]);
  if (!text) {
    std::cerr << text.error().message << '\n';
    return 1;
  }
  std::cout << *text;
}
