// SPDX-License-Identifier: Apache-2.0
//
// proofline/check.h: the checks of a playbook that do not pass, and what each lacks. The exit code
// is 0 where every `must` passes.
//
//   ./check playbook.toml report.ncu-rep
#include <proofline/check.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto checked = proofline::check(argv[1], {.files = {argv + 2, argv + argc}});
  if (!checked) {
    std::cerr << checked.error().message << '\n';
    return 1;
  }
  for (const proofline::Checked::Check& check : checked->checks()) {
    if (check.verdict == proofline::Checked::Verdict::kPass) continue;
    std::cout << check.id << '\n';
    for (const std::string& fact : check.missing) std::cout << "  missing: " << fact << '\n';
  }
  std::cout << "next: " << checked->next() << '\n';
  return checked->verdict() == proofline::Checked::Verdict::kPass ? 0 : 1;
}
