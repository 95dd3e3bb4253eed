// SPDX-License-Identifier: Apache-2.0
//
// The file that a result was made from.
#pragma once

#include <string>

namespace proofline {

struct Record;

struct DiagnosisSource {
  std::string path;
  std::string format;    // the reader's name
  std::string producer;  // what recorded it; "" unknown
};
Record describe(const DiagnosisSource*);

}  // namespace proofline
