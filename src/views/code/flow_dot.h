// SPDX-License-Identifier: Apache-2.0
//
// A function's control flow in Graphviz' language: blocks with what they do, loops boxed within
// each other, warp roles in colours, hot blocks in a darker shade, and a legend of all that. What
// is too tall for a screen continues in another column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/code_stats.h"
#include "analysis/sass/flow.h"
#include "base/result.h"
#include "model/code/listing.h"

namespace proofline {

struct FlowPicture {
  const CodeFunction& function;
  const Flow& flow;
  const OpcodeNames& opcodes;
  std::string_view title;
  std::vector<std::string> roles;      // what each is called
  std::vector<std::uint32_t> role_of;  // of each block, into roles; empty: there are no roles
  std::vector<double> samples;         // share of each block, 0 to 1; empty: no samples
};

// An error where no layout program could draw so many blocks.
Result<std::string> flow_dot(const FlowPicture& picture);

}  // namespace proofline
