// SPDX-License-Identifier: Apache-2.0
//
// proofline/sanitizer.h: what compute-sanitizer's logs say. The exit code is 0 where all are clean.
//
//   ./sanitizer memcheck.log racecheck.log
#include <proofline/sanitizer.h>

#include <iostream>

int main(int argc, char** argv) {
  const auto logs = proofline::load_sanitizer_logs({argv + 1, argv + argc});
  if (!logs) {
    std::cerr << logs.error().message << '\n';
    return 1;
  }
  for (const proofline::SanitizerToolResult& tool : logs->tools) {
    std::cout << tool.tool << ": " << to_string(tool.outcome) << ", " << tool.log.findings.size()
              << " findings\n";
  }
  return logs->outcome() == proofline::SanitizerOutcome::kClean ? 0 : 1;
}
