// SPDX-License-Identifier: Apache-2.0
//
// The documents that `show` can print: the table of launches, metrics, session, embedded code and
// NVIDIA's rule results. Each adds its blocks to a document; the command chooses which.
//
//    #  Kernel        Grid  Block      Time  SM %  L1 %  L2 %  DRAM %  Occ. %  Warps wait for
//   --  ------------  ----  -----  --------  ----  ----  ----  ------  ------  --------------
//   10  gemm_wmma      8x8    256  81.41 us   6.8  10.9   3.9     1.1   12/25  long_score...
//   11  gemm_wmma     8x16    256  43.42 us  12.7  21.5   8.8     1.5   12/25  long_score...
//
// Time is under ncu's replay, not wall time. SM, L1, L2, DRAM: per cent of that level's peak. Occ.:
// achieved/theoretical. The waits are shares of warp cycles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "model/profile/profile.h"
#include "views/document.h"
#include "views/profile/selection.h"

namespace proofline {

// Where the report comes from, in two or three lines.
void add_source(const Profile& profile, Document& document);

void add_launches(const Profile& profile, const Selection& selection,
                  const std::vector<LaunchSummary>& summaries, Document& document);

// One table of metrics for each launch, with instances below it where the profile has them.
void add_metrics(const Profile& profile, const Selection& selection, Document& document);

void add_session(const Profile& profile, Document& document);
void add_modules(const Profile& profile, Document& document);
void add_nvidia_rules(const Profile& profile, const Selection& selection, Document& document);

// NVIDIA's rule texts hold links such as "@section:Occupancy:the section@" and
// "@url:guide:https://...@"; this is what they read like.
std::string nvidia_rule_text(std::string_view text);

}  // namespace proofline
