// SPDX-License-Identifier: Apache-2.0
//
// The public API of the proofline library: load, diagnose, render.
//
//   auto profile = proofline::load("report.ncu-rep", proofline::diagnosis_read_options());
//   if (!profile) { std::cerr << profile.error().message; return 1; }
//   const std::span<const proofline::Profile> profiles(&*profile, 1);
//   const proofline::Diagnosis diagnosis = proofline::diagnose(profiles);
//   for (const auto& kernel : diagnosis.kernels) { ... kernel.verdict.headline ... }
//   std::cout << proofline::render(diagnosis, profiles, "markdown").value();
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "diagnosis/diagnose.h"
#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"
#include "proofline/version.h"
#include "readers/reader.h"

namespace proofline {

// Reads a profile of any known format, found by its bytes; "-" is standard input.
Result<Profile> load(const std::string& path, const ReadOptions& options = {});

struct RenderOptions {
  bool verbose = false;   // every rule's answer and every fact
  std::size_t width = 0;  // columns to fit "terminal" into; 0: shorten nothing
};

// The diagnosis as text. Formats are those of `proofline list views`: "terminal", "markdown",
// "json", ...; the profiles are those that were diagnosed.
Result<std::string> render(const Diagnosis& diagnosis, std::span<const Profile> profiles,
                           std::string_view format, const RenderOptions& options = {});

}  // namespace proofline
