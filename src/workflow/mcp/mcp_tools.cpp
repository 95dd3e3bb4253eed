// SPDX-License-Identifier: Apache-2.0
//
// The tools as a table, and what is made of it. Only what a client can use is in it: nothing that
// writes where it likes (--extract, --cfg, --out) or lets a disassembler loose on a file.
#include "workflow/mcp/mcp_tools.h"

#include <algorithm>

namespace proofline {
namespace {

using Type = ToolInput::Type;

constexpr ToolInput kKernel = {.name = "kernel",
                               .type = Type::kText,
                               .flag = "--kernel",
                               .help = "Only kernels whose name matches this regex (RE2)"};
constexpr ToolInput kLaunch = {.name = "launch",
                               .type = Type::kIntegers,
                               .flag = "--launch",
                               .help = "Only these launches, by their number"};

constexpr ToolInput kIdentifyInputs[] = {
    {.name = "files", .type = Type::kPaths, .flag = "", .help = "Any files", .required = true}};

constexpr ToolInput::Choice kDetails[] = {{"brief", "--brief"}, {"full"}, {"facts", "--facts"}};
constexpr ToolInput kDiagnoseInputs[] = {
    {.name = "files",
     .type = Type::kPaths,
     .flag = "",
     .help = "Reports of ncu, what ncu printed, or logs of compute-sanitizer",
     .required = true},
    kKernel,
    kLaunch,
    {.name = "detail",
     .type = Type::kMode,
     .flag = "",
     .help = "brief: what decides, about 1 KB per kernel (the default; for profiles alone); full: "
             "every rule's answer; facts: and every number",
     .choices = kDetails}};

constexpr ToolInput kShowInputs[] = {
    {.name = "file",
     .type = Type::kPath,
     .flag = "",
     .help = "A report, a sanitizer's log, results of benchmarks, or a GPU's ceilings",
     .required = true},
    kKernel,
    kLaunch,
    {.name = "metrics",
     .type = Type::kList,
     .flag = "--metrics",
     .help = "These metrics: names with * and ?, base names, or regex:RE"},
    {.name = "all", .type = Type::kSwitch, .flag = "--all", .help = "Every metric; may be long"},
    {.name = "session",
     .type = Type::kSwitch,
     .flag = "--session",
     .help = "Who recorded it, how and on what"}};

constexpr ToolInput kCompareInputs[] = {
    {.name = "a",
     .type = Type::kPath,
     .flag = "",
     .help = "What to compare with",
     .required = true},
    {.name = "b",
     .type = Type::kPath,
     .flag = "",
     .help =
         "What is compared with it: both are profiles, timelines, or binaries; a timeline and a "
         "profile of the same program are joined",
     .required = true},
    kKernel,
    {.name = "metrics",
     .type = Type::kList,
     .flag = "--metrics",
     .help = "List these facts and metrics too, changed or not"},
    {.name = "function",
     .type = Type::kText,
     .flag = "--kernel",
     .help = "Of code: only functions whose name matches this regex (RE2)"},
    {.name = "code",
     .type = Type::kSwitch,
     .flag = "--code",
     .help = "Of two reports, compare the machine code in them"},
    {.name = "force",
     .type = Type::kSwitch,
     .flag = "--force",
     .help = "Compare although GPU, clocks or shapes differ"}};

constexpr ToolInput kSassInputs[] = {
    {.name = "file",
     .type = Type::kPath,
     .flag = "",
     .help = "A listing, cubin, fatbin, program, library or report",
     .required = true},
    {.name = "function",
     .type = Type::kText,
     .flag = "--kernel",
     .help = "Only functions whose name matches this regex (RE2), mangled or not"},
    {.name = "expect",
     .type = Type::kTexts,
     .flag = "--expect",
     .help = "What the code must have, such as 'HGMMA >= 4 in loop'"},
    {.name = "forbid",
     .type = Type::kTexts,
     .flag = "--forbid",
     .help = "What it must not have, such as 'spill'"},
    {.name = "listing", .type = Type::kSwitch, .flag = "--listing", .help = "Every instruction"},
    {.name = "source",
     .type = Type::kSwitch,
     .flag = "--source",
     .help = "Source lines beside the SASS that they became; needs -lineinfo"},
    {.name = "source_folder",
     .type = Type::kText,
     .flag = "--source-folder",
     .help = "Where the sources are, if not where the code says"}};

constexpr ToolInput kTimelineInputs[] = {
    {.name = "files",
     .type = Type::kPaths,
     .flag = "",
     .help = "Timelines of PyTorch's profiler, nsys or trace; several are the ranks of one job",
     .required = true},
    {.name = "step", .type = Type::kText, .flag = "--step", .help = "Only this step"},
    {.name = "range",
     .type = Type::kText,
     .flag = "--range",
     .help = "Only within annotations of this name"},
    {.name = "from",
     .type = Type::kText,
     .flag = "--from",
     .help = "Only from this time on, since the first event: 1.5s, 200ms"},
    {.name = "to", .type = Type::kText, .flag = "--to", .help = "Only up to this time"},
    {.name = "rank", .type = Type::kInteger, .flag = "--rank", .help = "Judge this rank"}};

constexpr ToolInput kExplainInputs[] = {
    {.name = "name",
     .type = Type::kText,
     .flag = "",
     .help = "A rule, fact, metric, stall reason, section, playbook or old name",
     .required = true}};

constexpr ToolInput kCheckInputs[] = {
    {.name = "playbook",
     .type = Type::kText,
     .flag = "",
     .help = "A shipped playbook, by its name, or a TOML file",
     .required = true},
    {.name = "files",
     .type = Type::kPaths,
     .flag = "",
     .help = "Evidence: reports, code, benchmarks, sanitizer logs, or a run's folder",
     .required = true},
    {.name = "before",
     .type = Type::kPaths,
     .flag = "--before",
     .help = "Evidence of before the change"},
    {.name = "workload",
     .type = Type::kTexts,
     .flag = "--workload",
     .help = "What the playbook asks about the workload: KEY=VALUE"},
    kKernel,
    {.name = "only", .type = Type::kList, .flag = "--only", .help = "Only these checks"},
    {.name = "cc",
     .type = Type::kText,
     .flag = "--cc",
     .help = "Compute capability, where no file tells it: 9.0"}};

constexpr ToolInput::Choice kTimings[] = {{"auto"}, {"program"}, {"cupti"}, {"wall"}};
constexpr ToolInput kMostRuns = {.name = "max_starts",
                                 .type = Type::kInteger,
                                 .flag = "--max-starts",
                                 .help = "Upper limit for the automatic number of runs"};
constexpr ToolInput kRuns = {.name = "starts",
                             .type = Type::kInteger,
                             .flag = "--starts",
                             .help = "Runs of each side; default: until the answer is clear"};
constexpr ToolInput kThreshold = {.name = "threshold",
                                  .type = Type::kText,
                                  .flag = "--threshold",
                                  .help = "Changes below this do not matter: 0.5%"};
constexpr ToolInput kKeepSame = {.name = "keep_same",
                                 .type = Type::kSwitch,
                                 .flag = "--keep-same",
                                 .help = "No difference is good enough"};
constexpr ToolInput kTimeBy = {.name = "time_by",
                               .type = Type::kChoice,
                               .flag = "--time-by",
                               .help =
                                   "The program's own benchmark result, its kernels' GPU time, "
                                   "or the wall clock",
                               .choices = kTimings};
constexpr ToolInput kMostTime = {.name = "max_time",
                                 .type = Type::kInteger,
                                 .flag = "--max-time",
                                 .help = "Begin no more runs after so many seconds"};
constexpr ToolInput kTimeLimit = {.name = "time_limit",
                                  .type = Type::kInteger,
                                  .flag = "--time-limit",
                                  .help = "Seconds for each run"};

constexpr ToolInput kBenchInputs[] = {
    {.name = "a",
     .type = Type::kCommand,
     .flag = "--a",
     .help = "The program before the change and its arguments",
     .required = true},
    {.name = "b",
     .type = Type::kCommand,
     .flag = "--b",
     .help = "The program after the change and its arguments",
     .required = true},
    kRuns,
    kMostRuns,
    kThreshold,
    kKeepSame,
    kTimeBy,
    {.name = "kernel",
     .type = Type::kText,
     .flag = "--kernel",
     .help = "With cupti: only kernels whose name matches this regex (RE2)"},
    kMostTime,
    kTimeLimit};

constexpr ToolInput kTryInputs[] = {
    {.name = "hypothesis",
     .type = Type::kText,
     .flag = "",
     .help = "What the change is and why it helps",
     .required = true},
    {.name = "command",
     .type = Type::kArguments,
     .flag = "",
     .help = "The program after the change and its arguments",
     .required = true},
    {.name = "a",
     .type = Type::kCommand,
     .flag = "--a",
     .help = "The program before the change and its arguments"},
    {.name = "baseline",
     .type = Type::kText,
     .flag = "--baseline",
     .help = "A baseline of the journal instead of a"},
    {.name = "expect",
     .type = Type::kText,
     .flag = "--expect",
     .help = "The gain that is expected: 10-20%, 1.2x-1.5x"},
    {.name = "kind", .type = Type::kText, .flag = "--kind", .help = "The kind of change, a word"},
    {.name = "risk", .type = Type::kText, .flag = "--risk", .help = "What may go wrong"},
    {.name = "task",
     .type = Type::kText,
     .flag = "--task",
     .help = "The playbook's task that this is: PLAYBOOK/ID"},
    {.name = "on", .type = Type::kText, .flag = "--on", .help = "With task: the kernel"},
    {.name = "check",
     .type = Type::kCommand,
     .flag = "--check",
     .help = "A program that returns 0 where the results are right; it runs first"},
    {.name = "sanitize",
     .type = Type::kSwitch,
     .flag = "--sanitize",
     .help = "compute-sanitizer over the changed program first"},
    {.name = "sanitize_with",
     .type = Type::kCommand,
     .flag = "--sanitize-with",
     .help = "compute-sanitizer over this program instead: the changed kernel on a small problem"},
    {.name = "sanitize_kernel",
     .type = Type::kText,
     .flag = "--sanitize-kernel",
     .help = "compute-sanitizer over kernels with a match of this in their mangled name only"},
    {.name = "profile",
     .type = Type::kSwitch,
     .flag = "--profile",
     .help = "Profile both with ncu, to explain the difference"},
    {.name = "profile_kernel",
     .type = Type::kText,
     .flag = "--profile-kernel",
     .help = "Profile kernels with a match of this in their name; default: those that take most"},
    kRuns,
    kMostRuns,
    kThreshold,
    kKeepSame,
    kTimeBy,
    kMostTime,
    kTimeLimit};

constexpr ToolInput::Choice kActions[] = {{"list"}, {"show"},  {"regressions"}, {"open"},
                                          {"note"}, {"close"}, {"verify"}};
constexpr ToolInput kJournalInputs[] = {
    {.name = "action",
     .type = Type::kChoice,
     .flag = "",
     .help = "list: the attempts; show, close: one, by its id; open, note: write, with text",
     .required = true,
     .choices = kActions},
    {.name = "text",
     .type = Type::kText,
     .flag = "",
     .help = "Of show and close the attempt's id; of open the hypothesis; of note the note"},
    {.name = "state",
     .type = Type::kList,
     .flag = "--state",
     .help = "Only attempts that are open, kept, no-difference, reverted, inconclusive, invalid, "
             "failed or abandoned"},
    {.name = "kind", .type = Type::kText, .flag = "--kind", .help = "Only this kind of change"},
    {.name = "since", .type = Type::kText, .flag = "--since", .help = "Only since: 2026-11-01"},
    {.name = "grep", .type = Type::kText, .flag = "--grep", .help = "Only those with this text"},
    {.name = "limit", .type = Type::kInteger, .flag = "--limit", .help = "Only the last so many"},
    {.name = "expect", .type = Type::kText, .flag = "--expect", .help = "Of open: the gain"},
    {.name = "attempt", .type = Type::kText, .flag = "--attempt", .help = "Of note: its id"},
    {.name = "reason", .type = Type::kText, .flag = "--reason", .help = "Of close: why"}};

constexpr std::string_view kOwnTables[] = {"--disassembler=native"};

constexpr Tool kTools[] = {
    {.name = "identify",
     .title = "Identify files",
     .what = "Say what files are, by their bytes, and which tools read them.",
     .inputs = kIdentifyInputs},
    {.name = "diagnose",
     .title = "Diagnose kernels",
     .what = "What bounds each kernel of an Nsight Compute report: verdict, causes ranked by how "
             "much time a fix could save, with evidence, throughput, stalls, hot lines, launch and "
             "the next command. Start here.",
     .inputs = kDiagnoseInputs},
    {.name = "show",
     .title = "Show metrics",
     .what = "Kernels and metrics of a report, or the numbers of a benchmark result.",
     .inputs = kShowInputs},
    {.name = "compare",
     .title = "Compare two captures",
     .what = "What changed between two profiles, timelines or binaries, and what explains it.",
     .inputs = kCompareInputs,
     .fixed = kOwnTables},
    {.name = "sass",
     .title = "Look at machine code",
     .what = "What the compiler made of a kernel: loops, widths, spills, registers, warp roles, "
             "where warps wait; assertions over the code.",
     .inputs = kSassInputs,
     .fixed = kOwnTables},
    {.name = "timeline",
     .title = "Judge a timeline",
     .what = "Whether host, copies, communication or kernels hold a whole program back.",
     .inputs = kTimelineInputs},
    {.name = "explain",
     .title = "Explain a name",
     .what = "What a rule, fact, metric, stall reason, section or old name means.",
     .inputs = kExplainInputs},
    {.name = "check",
     .title = "Check evidence by a playbook",
     .what = "PASS, FAIL or UNKNOWN for each item of a playbook, with the numbers.",
     .inputs = kCheckInputs},
    {.name = "bench",
     .title = "Time two programs",
     .what = "Run two programs alternately and decide which is faster: KEEP, REVERT, NO DIFFERENCE "
             "or INCONCLUSIVE. Runs the commands that you give; takes minutes.",
     .inputs = kBenchInputs,
     .read_only = false,
     .runs_programs = true},
    {.name = "try",
     .title = "Try a change",
     .what = "One attempt from hypothesis to verdict: checks, times both programs alternately, "
             "decides, and records it in the journal. Runs the commands that you give.",
     .inputs = kTryInputs,
     .read_only = false,
     .runs_programs = true},
    {.name = "journal",
     .title = "Read and write the journal",
     .what = "What was tried, what was expected of it, and what it gave.",
     .inputs = kJournalInputs,
     .read_only = false},
};

}  // namespace

std::span<const Tool> mcp_tools() { return kTools; }

const Tool* find_mcp_tool(std::string_view name) {
  const auto* tool = std::find_if(std::begin(kTools), std::end(kTools),
                                  [&](const Tool& one) { return one.name == name; });
  return tool == std::end(kTools) ? nullptr : tool;
}

}  // namespace proofline
