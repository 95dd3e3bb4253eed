// SPDX-License-Identifier: Apache-2.0
//
// Every figure that the analyses give of a timeline, by the names that tests/corpus/timelines.tsv
// has for them.
#pragma once

#include <map>
#include <string>

#include "model/timeline/timeline.h"

namespace proofline::test {

std::map<std::string, std::string> timeline_figures(const Timeline& timeline);

}  // namespace proofline::test
