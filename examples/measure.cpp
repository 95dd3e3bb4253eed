// SPDX-License-Identifier: Apache-2.0
//
// proofline/measure.h: starts two programs in turn and says whether the second one is faster.
//
//   ./measure ./old ./new
#include <proofline/measure.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  proofline::MeasureOptions options;
  options.starts = 10;
  options.say = [](std::string_view sentence) { std::cerr << sentence << '\n'; };
  const auto measured = proofline::measure({argv[1]}, {argv[2]}, options);
  if (!measured) {
    std::cerr << measured.error().message << '\n';
    return 1;
  }
  for (const proofline::BenchmarkSide& side : measured->series.sides) {
    std::cout << side.label << ": " << side.benchmark.measurements.front().samples.size()
              << " samples\n";
  }
  std::cout << to_string(measured->decision.verdict) << '\n';
}
