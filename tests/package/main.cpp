// SPDX-License-Identifier: Apache-2.0
//
// A small use of the library: prints how many launches a report holds, and that it can be
// diagnosed.
#include <proofline/proofline.h>
#include <proofline/version.h>

#include <cstdio>
#include <span>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto profile = proofline::load(argv[1], proofline::diagnosis_read_options());
  if (!profile) {
    std::fprintf(stderr, "%s\n", profile.error().message.c_str());
    return 3;
  }
  std::printf("%zu launches, ", profile->launches.size());
  const std::span<const proofline::Profile> profiles(&*profile, 1);
  const proofline::Diagnosis diagnosis = proofline::diagnose(profiles);
  const auto text = proofline::render(diagnosis, profiles, "json");
  if (!text || proofline::render(diagnosis, profiles, "no such view")) return 4;
  std::printf("%zu kernels in %zu bytes of JSON\n", diagnosis.kernels.size(), text->size());
}
