// SPDX-License-Identifier: Apache-2.0
//
// How rules turn facts into a gain: the share of the duration that would go. Two bounds hold for
// every cause: time that is not spent on it stays, and no level can be pushed beyond its peak.
#pragma once

#include <initializer_list>
#include <string>

#include "analysis/launch/reachable.h"
#include "rules/rule.h"
#include "vocabulary/levels.h"

namespace proofline {

// The least gain for which a cause is a finding.
inline constexpr double kLeastGain = 0.05;
// A level at this share of its peak is the roof: it is 80 % of what well-made kernels reach.
inline constexpr double kAtRoof = 0.75;
// Below this no level explains the duration by itself.
inline constexpr double kNearRoof = 0.60;
// A launch no longer than this is mostly launch, ramp and drain, which take kOverheadNanoseconds.
inline constexpr double kShortNanoseconds = 6000;
inline constexpr double kOverheadNanoseconds = 2000;
// Beyond this a launch no longer spends its time on first touches (instructions, parameters).
inline constexpr double kWarmNanoseconds = 20e3;

// The highest share of a peak among all levels except those named: what remains when the load of
// the named ones is gone. 0 where the capture has none.
double highest_share_without(const Trial& trial, std::initializer_list<Level> excluded);

// How much of the GPU's peak the kernel's work itself needs, however it is implemented: bytes that
// DRAM must move, operations at the rate of their type, special functions. A better algorithm can
// lift every other limit.
double useful_share(const Trial& trial);

// The busier of DRAM and L2: what a kernel that wastes instructions would still have to move.
double far_memory_share(const Trial& trial);

// What is left to gain when the kernel's work stays as it is; a rule that asks is not evaluated
// where no roof is known.
double headroom(Trial& trial);

Severity severity_of(const Gain& gain);

// A range around an estimate, wider below than above: fixes rarely recover all that they promise.
Gain around(double estimate, GainKind kind);

// "4.19 TB/s"
std::string rate(double bytes_per_second);

}  // namespace proofline
