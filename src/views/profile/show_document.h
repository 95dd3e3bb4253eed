// SPDX-License-Identifier: Apache-2.0
//
// The documents that `show` can print: the table of launches, metrics, session, embedded code and
// NVIDIA's rule results. Each adds its blocks to a document; the command chooses which.
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

//  #  Kernel        Grid    Block      Time   SM  L1  L2  DRAM   Occ.  Warps wait for
//  0  copy4(...)    1320,1  256,1  139.1 us  5.8  31  85  77.4  86/100  long_scoreboard 93 %
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
