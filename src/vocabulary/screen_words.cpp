// SPDX-License-Identifier: Apache-2.0
#include "vocabulary/screen_words.h"

namespace proofline {
namespace {

constexpr std::string_view kVerdict = "verdict of a comparison";
constexpr std::string_view kAnswer = "answer of a check";
constexpr std::string_view kState = "state of an attempt";
constexpr std::string_view kTask = "state of a task";
constexpr std::string_view kBound = "what bounds a kernel";
constexpr std::string_view kPlace = "where a kernel loses time";
constexpr std::string_view kGain = "kind of a gain";

constexpr ScreenWord kScreenWords[] = {
    {"KEEP", kVerdict, "The new side is faster beyond the threshold. Exit code 0."},
    {"REVERT", kVerdict, "The new side is slower, wrong, or trips a gate. Exit code 1."},
    {"NO DIFFERENCE", kVerdict,
     "The two sides differ by less than the threshold, and that is certain. Exit code 11; 0 with "
     "--keep-same."},
    {"INCONCLUSIVE", kVerdict, "The noise hides a difference that would matter. Exit code 10."},
    {"INVALID", kVerdict,
     "The two sides cannot be compared: other GPU, other work, or wrong results. Exit code 3."},
    {"PASS", kAnswer, "Its condition holds, with the numbers that prove it."},
    {"FAIL", kAnswer, "Its condition does not hold. Exit code 1 where the check is a must."},
    {"UNKNOWN", kAnswer,
     "A fact that the condition needs is absent; what brings it is named. Exit code 10 where the "
     "check is a must."},
    {"SKIPPED", kAnswer, "It does not apply here: what it depends on says so."},
    {"CONFIRMED", kAnswer, "The evidence supports the hypothesis."},
    {"REFUTED", kAnswer, "The evidence contradicts the hypothesis."},
    {"open", kState, "Begun, and not decided yet."},
    {"kept", kState, "The change was faster and stays."},
    {"reverted", kState, "The change was slower, or its acceptance failed; it was taken back."},
    {"inconclusive", kState, "Measured, but noise hides what it gave."},
    {"no-difference", kState, "Measured, and it changes nothing that matters."},
    {"invalid", kState, "What was measured cannot be compared."},
    {"failed", kState, "The change did not build, crashed, hung or gave wrong results."},
    {"abandoned", kState, "Ended before it was decided."},
    {"accepted", kTask, "All its acceptance conditions hold."},
    {"not accepted", kTask, "An acceptance condition does not hold."},
    {"undecided", kTask, "An acceptance condition lacks a fact."},
    {"eligible", kTask, "Its condition holds: it is worth trying next."},
    {"not eligible", kTask, "Its condition does not hold: nothing to gain here."},
    {"waiting", kTask, "It waits for another task, or for the change to be made."},
    {"memory", kBound,
     "Moving data takes the time: a level of the memory system is near its peak, "
     "or is used badly."},
    {"compute", kBound, "A pipe of the SM is near its peak."},
    {"latency", kBound, "Warps wait for results, and too few others are ready meanwhile."},
    {"sync", kBound, "Warps wait for each other: barriers, fences, atomics."},
    {"occupancy", kBound, "Too few warps fit on an SM, or too few are there."},
    {"launch", kBound,
     "The grid is too small or too short for the GPU, or launching costs more "
     "than running."},
    {"none", kBound, "No cause was found that is worth a change."},
    {"allocation", kPlace, "Memory is allocated or freed between kernels."},
    {"async", kPlace, "Asynchronous copies are waited for too early or too late."},
    {"atomics", kPlace, "Atomic operations on few addresses queue up."},
    {"balance", kPlace, "Some SMs have more to do than others."},
    {"barrier", kPlace, "Warps wait for their block at a barrier."},
    {"capture", kPlace,
     "The report itself: what was captured does not show the kernel as it runs."},
    {"constant", kPlace, "Constant memory: misses, or threads that read different addresses."},
    {"copies", kPlace, "Copies between host and GPU."},
    {"dependency", kPlace, "Instructions wait for the result of the one before."},
    {"divergence", kPlace, "Threads of a warp take different branches."},
    {"fence", kPlace, "Warps wait until their writes are visible."},
    {"global-access", kPlace,
     "Global loads and stores: the threads of a warp access scattered addresses, or each access is "
     "narrow."},
    {"grid", kPlace, "The number of blocks does not fill the GPU."},
    {"host", kPlace, "The GPU waits for the CPU."},
    {"instruction-fetch", kPlace, "The code is too large for the instruction cache."},
    {"local", kPlace, "Local memory: spilled registers, or arrays indexed at run time."},
    {"peer", kPlace, "Memory of another GPU or of the host is accessed from a kernel."},
    {"predication", kPlace, "Threads are switched off by predicates."},
    {"tail", kPlace, "The last wave of blocks leaves SMs idle."},
    {"ceiling", kGain, "From the distance to a roof: the most that a fix can save."},
    {"share", kGain, "From the time that warps wait for it; other waits may take its place."},
    {"measured", kGain, "From measurements of both versions, not estimated."},
};

}  // namespace

std::span<const ScreenWord> screen_words() { return kScreenWords; }

}  // namespace proofline
