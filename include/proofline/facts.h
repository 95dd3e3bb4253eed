// SPDX-License-Identifier: Apache-2.0
//
// Facts and metrics of one launch by name, in one call: what rules judge by, and every metric that
// the profile has. `proofline diagnose --facts` lists them, `proofline explain` says what they
// mean.
//
//   const proofline::Facts facts = proofline::facts_of(*profile, profile->launches.front());
//   const auto share = facts.number("stall.barrier.share");
//   std::cout << (share ? "known" : facts.absence("stall.barrier.share").reason) << '\n';
//   facts.number("dram__bytes_read.sum");  // a metric, as ncu names it
//   facts.text("occupancy.limiter");       // "registers"
//
// The facts stay valid when the profile is gone.
#pragma once

#include "model/diagnosis/facts.h"
#include "model/profile/profile.h"

namespace proofline {

// The launch is one of the profile's.
Facts facts_of(const Profile& profile, const Launch& launch);

}  // namespace proofline
