// SPDX-License-Identifier: Apache-2.0
#include "vocabulary/screen_words.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "vocabulary/idle_classes.h"

namespace proofline {
namespace {

constexpr std::string_view kVerdict = "verdict of a comparison";
constexpr std::string_view kAnswer = "answer of a check";
constexpr std::string_view kState = "state of an attempt";
constexpr std::string_view kTask = "state of a task";
constexpr std::string_view kBound = "what bounds a kernel";
constexpr std::string_view kPlace = "where a kernel loses time";
constexpr std::string_view kGain = "kind of a gain";
constexpr std::string_view kSeverity = "severity of a finding";
constexpr std::string_view kCause = "what became of a cause";
constexpr std::string_view kGate = "gate of a decision";
constexpr std::string_view kGateState = "state of a gate";
constexpr std::string_view kChange = "verdict on a configuration";
constexpr std::string_view kRemark = "remark on measurements";
constexpr std::string_view kTimedBy = "how a time was measured";
constexpr std::string_view kMeasurement = "state of a measurement";
constexpr std::string_view kIdle = "why a GPU is idle";
constexpr std::string_view kMachine = "answer of doctor";
constexpr std::string_view kSanitizer = "finding of compute-sanitizer";
constexpr std::string_view kToolRun = "how a tool's run ended";
constexpr std::string_view kInstructions = "class of instructions";

constexpr ScreenWord kOtherWords[] = {
    {"KEEP", kVerdict, "The new side is faster beyond the threshold. Exit code 0."},
    {"REVERT", kVerdict, "The new side is slower, wrong, or trips a gate. Exit code 1."},
    {"NO DIFFERENCE", kVerdict,
     "The two sides differ by less than the threshold, and that is certain. Exit code 11, or 0 "
     "where that was declared good enough."},
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
    {"async", kPlace, "Asynchronous copies are waited for too early or too late."},
    {"atomics", kPlace, "Atomic operations on few addresses queue up."},
    {"balance", kPlace, "Some SMs have more to do than others."},
    {"barrier", kPlace, "Warps wait for their block at a barrier."},
    {"capture", kPlace,
     "The report itself: what was captured does not show the kernel as it runs."},
    {"communication", kPlace, "Collectives between GPUs that no kernel hides."},
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
    {"kernels", kPlace, "Kernels take more of a program's time than anything else."},
    {"local", kPlace, "Local memory: spilled registers, or arrays indexed at run time."},
    {"peer", kPlace, "Memory of another GPU or of the host is accessed from a kernel."},
    {"predication", kPlace, "Threads are switched off by predicates."},
    {"tail", kPlace, "The last wave of blocks leaves SMs idle."},
    {"ceiling", kGain, "From the distance to a roof: the most that a fix can save."},
    {"share", kGain, "From the time that warps wait for it; other waits may take its place."},
    {"measured", kGain, "From measurements of both versions, not estimated."},
    {"high", kSeverity, "A fix could save 20 % of the kernel's time or more."},
    {"medium", kSeverity, "A fix could save 5 to 20 % of the kernel's time."},
    {"low", kSeverity, "A fix could save less than 5 % of the kernel's time."},
    {"info", kSeverity, "A roof that is reached cleanly: move fewer bytes or do less work."},
    {"gone", kCause, "Found in A, and not in B."},
    {"new", kCause, "Found in B, and not in A."},
    {"stayed", kCause, "Found in both."},
    {"correctness", kGate, "B's results were checked against a reference by the benchmark itself."},
    {"check", kGate, "The program that checks the results returned 0."},
    {"sanitizer", kGate, "compute-sanitizer found no error in B."},
    {"valid-times", kGate,
     "No time is impossible for the bytes and operations that were declared."},
    {"same-machine", kGate, "Both sides ran on the same GPU, driver and clocks."},
    {"same-method", kGate, "Both sides were timed in the same way."},
    {"same-inputs", kGate, "Both sides worked on the same inputs."},
    {"passed", kGateState, "It holds."},
    {"not-run", kGateState, "Nothing tells whether it holds."},
    {"faster", kChange, "The whole interval is below 1 by more than the threshold."},
    {"slower", kChange, "The whole interval is above 1 by more than the threshold."},
    {"same", kChange, "The whole interval is within the threshold."},
    {"unclear", kChange, "The interval allows a change that matters and one that does not."},
    {"not compared", kChange, "One side has no valid time for it."},
    {"few-pairs", kRemark, "Too few pairs of runs for an interval."},
    {"few-runs", kRemark, "Too few runs of the program to see what differs between runs."},
    {"one-process", kRemark,
     "All samples come from one run of the program: what differs between runs is not seen."},
    {"too-few-samples", kRemark, "Too few samples to compare."},
    {"summary-only", kRemark, "The file has one number per side and no samples."},
    {"measured-apart", kRemark,
     "The sides were not run alternately: drift of the machine looks like a change."},
    {"drift", kRemark, "Times rise or fall from the first runs to the last."},
    {"two-modes", kRemark, "The times fall into two groups that lie far apart."},
    {"outliers", kRemark, "A few times are far from all others."},
    {"slow-start", kRemark, "The first run is far slower than the rest: warm up longer."},
    {"no-spread", kRemark, "All ratios are the same: the clock is too coarse, or nothing ran."},
    {"slower-mean", kRemark, "The median is not slower, the mean is: some runs take much longer."},
    {"slower-end", kRemark,
     "The median is not slower, the slow end is: some runs take much longer."},
    {"clock-changed", kRemark, "Time and cycles disagree: the clocks of the sides differed."},
    {"throttled-unequally", kRemark,
     "The GPU held its clock back for one side more than the other; a gain must show in cycles "
     "too."},
    {"at-the-power-limit", kRemark, "Samples were taken while the GPU was at its power limit."},
    {"cuda-events", kTimedBy, "CUDA events around the work: time on the GPU."},
    {"cuda-graph", kTimedBy, "A CUDA graph of many launches, timed by events."},
    {"cupti", kTimedBy, "The kernels' own time on the GPU, by CUPTI."},
    {"wall-clock", kTimedBy, "The host's clock around the work or the whole process."},
    {"cold cache", kTimedBy, "L2 was flushed before each sample."},
    {"hot cache", kTimedBy, "The caches held what the sample before left."},
    {"rotating cache", kTimedBy, "Inputs changed from sample to sample, so that none was cached."},
    {"wrong", kMeasurement, "The results did not match the reference; its time does not count."},
    {"skipped", kMeasurement, "The benchmark left it out."},
    {"launch (not explained)", kIdle,
     "Between a launch call and its kernel, but longer than launching takes."},
    {"ok", kMachine, "As it should be."},
    {"note", kMachine, "Worth knowing; nothing has to be done."},
    {"problem", kMachine, "It keeps something from working; the next step says what to do."},
    {"missing", kMachine, "Not on this machine."},
    {"unknown", kMachine, "It could not be found out."},
    {"clean", kToolRun, "It ran to the end and found nothing."},
    {"findings", kToolRun, "It found something."},
    {"hang", kToolRun, "The program did not end in time."},
    {"too-slow", kToolRun,
     "The tool did not end in time, though the program alone does: it hangs under the tool, or the "
     "tool is that slow."},
    {"application-failed", kToolRun, "The program itself failed under the tool."},
    {"interrupted", kToolRun, "It was ended before it was done."},
    {"out-of-bounds", kSanitizer, "An access outside every allocation."},
    {"misaligned", kSanitizer, "An access at an address that its width does not divide."},
    {"access-denied", kSanitizer, "An access that the memory's owner does not permit."},
    {"invalid-access", kSanitizer, "An access that the tool calls invalid, without saying why."},
    {"use-after-free", kSanitizer, "An access to memory that was freed."},
    {"use-before-allocation", kSanitizer, "An access to memory before its allocation took effect."},
    {"invalid-free", kSanitizer, "Freeing what was not allocated, or twice."},
    {"shared-race", kSanitizer,
     "Threads access the same shared memory without a barrier between them, and one writes."},
    {"divergent-barrier", kSanitizer, "Threads of a block do not all reach a barrier."},
    {"invalid-barrier", kSanitizer, "A barrier that is used before it is set up, or wrongly."},
    {"warpgroup-sequence", kSanitizer, "wgmma instructions in an order that is not allowed."},
    {"tensor-memory", kSanitizer, "Tensor memory is allocated, used or freed wrongly."},
    {"deadlock", kSanitizer, "Warps wait for each other for ever."},
    {"uninitialised-read", kSanitizer, "A read of memory that nothing has written."},
    {"unused-memory", kSanitizer, "Memory that was allocated and never accessed."},
    {"leak", kSanitizer, "Memory that was not freed when the program ended."},
    {"api-error", kSanitizer, "A CUDA call returned an error."},
    {"device-exception", kSanitizer, "The GPU stopped the kernel."},
    {"not-checked", kSanitizer, "The tool says that it did not check this."},
    {"global-load", kInstructions, "LDG: loads from global memory."},
    {"global-store", kInstructions, "STG: stores to global memory."},
    {"shared-load", kInstructions, "LDS, LDSM: loads from shared memory."},
    {"shared-store", kInstructions, "STS, STSM: stores to shared memory."},
    {"local-load", kInstructions, "LDL: loads from local memory, as of spilled registers."},
    {"local-store", kInstructions, "STL: stores to local memory, as of spilled registers."},
    {"generic-load", kInstructions, "LD: loads whose address alone tells the memory."},
    {"generic-store", kInstructions, "ST: stores whose address alone tells the memory."},
    {"async-copy", kInstructions, "LDGSTS: cp.async, from global to shared memory."},
    {"bulk-copy", kInstructions, "UBLKCP, UTMALDG and their like: bulk copies, by the TMA."},
};

constexpr auto kScreenWords = [] {
  std::array<ScreenWord, std::size(kOtherWords) + kIdleClasses> all{};
  auto* next = std::copy(std::begin(kOtherWords), std::end(kOtherWords), all.begin());
  for (const IdleClassInfo& one : kIdleClassTable) *next++ = {one.label, kIdle, one.meaning};
  return all;
}();

}  // namespace

std::span<const ScreenWord> screen_words() { return kScreenWords; }

}  // namespace proofline
