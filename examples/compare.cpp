// SPDX-License-Identifier: Apache-2.0
//
// proofline/compare.h: how the kernels of two profiles differ, or the functions of two codes.
//
//   ./compare before.ncu-rep after.ncu-rep
//   ./compare before.cubin after.cubin
#include <proofline/compare.h>
#include <proofline/load.h>

#include <iostream>

namespace {

int complain(const proofline::Error& error) {
  std::cerr << error.message << '\n';
  return 1;
}

int compare_codes(const char* path_a, const char* path_b) {
  const auto a = proofline::load_code(path_a);
  if (!a) return complain(a.error());
  const auto b = proofline::load_code(path_b);
  if (!b) return complain(b.error());
  const auto changes = proofline::compare(*a, *b);
  if (!changes) return complain(changes.error());
  for (const proofline::CodeChanges::Function& function : changes->functions()) {
    std::cout << function.name << ": " << to_string(function.sameness) << ", -" << function.removed
              << " +" << function.added << " instructions\n";
  }
  return 0;
}

int compare_profiles(const char* path_a, const char* path_b) {
  const auto a = proofline::load(path_a);
  if (!a) return complain(a.error());
  const auto b = proofline::load(path_b);
  if (!b) return complain(b.error());
  const auto comparison = proofline::compare(*a, *b);
  if (!comparison) return complain(comparison.error());
  for (const proofline::KernelComparison& pair : comparison->kernels) {
    std::cout << pair.b.function << ": " << to_string(pair.match) << " match, "
              << to_string(pair.spread) << " the spread, " << pair.facts.size() << " facts\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto format = proofline::identify_file(argv[1]);
  if (!format) return complain(format.error());
  return format->is(proofline::InputKind::kProfile) ? compare_profiles(argv[1], argv[2])
                                                    : compare_codes(argv[1], argv[2]);
}
