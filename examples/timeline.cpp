// SPDX-License-Identifier: Apache-2.0
//
// proofline/timeline.h: what holds a program back, and how long its GPU idles.
//
//   ./timeline trace.json.gz
#include <proofline/timeline.h>

#include <iostream>

int main(int argc, char** argv) {
  const auto timeline = proofline::load_timeline({argv + 1, argv + argc});
  if (!timeline) {
    std::cerr << timeline.error().message << '\n';
    return 1;
  }
  std::cout << timeline->headline() << '\n';
  for (const proofline::Finding& finding : timeline->findings()) {
    std::cout << "  " << finding.id << ": " << finding.statement << '\n';
  }
  std::cout << "idle: " << timeline->facts().number("timeline.gpu_idle.share").value_or(0) << '\n';
}
