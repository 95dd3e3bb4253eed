// SPDX-License-Identifier: Apache-2.0
//
// The smallest use of the library: prints how many launches a report holds.
#include <proofline/proofline.h>
#include <proofline/version.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto profile = proofline::load(argv[1]);
  if (!profile) {
    std::fprintf(stderr, "%s\n", profile.error().message.c_str());
    return 3;
  }
  std::printf("%zu launches\n", profile->launches.size());
}
