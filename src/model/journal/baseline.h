// SPDX-License-Identifier: Apache-2.0
//
// A named baseline: a file of measurements that later ones are compared with, remembered in the
// journal under a name, with the medians that it held then.
#pragma once

#include <string>
#include <vector>

#include "model/journal/entries.h"

namespace proofline {

struct Baseline {
  std::string name;
  std::string path;    // absolute
  std::string side;    // the label of the side of it that is meant; "" it has only one
  std::string sha256;  // of the file when it was named; "" by a version that kept none
  std::string set;     // when; UTC
  std::string gpu;
  std::vector<RecordedMeasurement> measurements;  // of several sides: after the side's label
};

}  // namespace proofline
