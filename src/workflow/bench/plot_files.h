// SPDX-License-Identifier: Apache-2.0
//
// Charts of benchmark results, as files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/note.h"
#include "workflow/announcer.h"

namespace proofline {

struct PlotPlan {
  std::vector<std::string> files;
  std::vector<std::string> kinds = {"all"};
  std::string x_axis;              // "": the one that varies most
  std::string baseline;            // what speed-ups are against; "": the first
  std::string out = ".";           // a folder, or a file that ends in .svg for one chart
  std::string markdown;            // a file for the table with the pictures; "" none
  std::vector<std::string> roofs;  // NAME=RATE
  std::string ceilings;            // a file of measured roofs; "": those of this GPU
  bool png = false;                // beside each SVG
};

// Takes the path of each file when it is written.
using TakePath = std::function<void(const std::string& path)>;

// The notes of what was drawn. Tells which charts the measurements do not allow.
Result<std::vector<Note>> plot_files(const PlotPlan& plan, const InputLimits& limits,
                                     Announcer& announcer, const TakePath& written_to);

}  // namespace proofline
