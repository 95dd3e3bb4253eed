// SPDX-License-Identifier: Apache-2.0
//
// What `diagnose` says, read as a person reads it: on a terminal of 100 columns.

#include "views/diagnosis/diagnosis_document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "diagnosis/order_kernels.h"
#include "support/diagnosis_builder.h"
#include "views/view.h"

namespace proofline {
View terminal();
View csv();
}  // namespace proofline

namespace proofline::diagnosis_document_test {
namespace {

using test_support::DiagnosisBuilder;
using test_support::finding;

std::string rendered(const Document& document, View view = terminal(), std::size_t width = 100) {
  Presentation presentation;
  presentation.document = [&document] { return document; };
  std::string text;
  Output output(text);
  view.render(presentation, {width, false}, output);
  return text;
}

std::string screen(const DiagnosisBuilder& builder, const DiagnosisParts& parts = {}) {
  return rendered(compose_diagnosis(builder.diagnosis, parts));
}

::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

// With all that a usual kernel has.
void add_facts(KernelDiagnosis& kernel) {
  const auto share = [&](const std::string& name, double value) {
    kernel.facts.add({name, "share", value, {"some__metric.sum"}});
  };
  share("throughput.dram.share", 0.861);
  share("throughput.l2.share", 0.42);
  share("throughput.l1.share", 0.31);
  share("throughput.shared.share", 0.001);
  share("throughput.tensor.share", 0);
  share("throughput.fma.share", 0.12);
  share("throughput.integer.share", 0.08);
  share("throughput.lsu.share", 0.19);
  share("throughput.issue.share", 0.22);
  kernel.facts.add({"stall.source", "", std::string("counters"), {}});
  share("stall.selected.share", 0.12);
  share("stall.barrier.share", 0.05);
  share("stall.long_scoreboard.share", 0.632);
  share("stall.lg_throttle.share", 0.15);
  share("stall.wait.share", 0.04);
  share("stall.exposed.share", 0.8);
  share("stall.group.memory.share", 0.78);
  share("stall.group.synchronisation.share", 0.05);
  share("stall.group.compute.share", 0.04);
  share("stall.group.other.share", 0.13);
}

TEST(DiagnosisDocument, OneKernelIsOneScreen) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("gather(const float *, const int *)", 139100);
  add_facts(kernel);
  kernel.findings = {finding("uncoalesced-global", 0.4, 0.6), finding("memory-latency", 0.1, 0.18),
                     finding("tail-effect", 0.05, 0.05), finding("narrow-access", 0.001, 0.004)};
  kernel.not_evaluated = {
      {"host-memory", {"dram__bytes.sum"}, "the capture lacks a", "--section M"},
      {"peer-memory", {"launch__grid_size"}, "the capture lacks b", "--section M"},
      {"poor-locality", {"c"}, "nobody declared the unique bytes", ""}};
  kernel.notes = {{NoteKind::kInfo, "", "a single launch was profiled", 1}};
  EXPECT_EQ(
      screen(builder),
      "report.ncu-rep  NVIDIA H200 (cc 9.0); Nsight Compute 2025.3.1; 1 kernel, 1 launch\n"
      "\n"
      "kernel 0  gather\n"
      "Bound by DRAM: 86.1 % of its peak.\n"
      "memory-bound: DRAM; grid 1320, block 16x16; 139.10 us under ncu replay\n"
      "\n"
      "1. uncoalesced-global  high, gain 40-60 %\n"
      "   Each sector of 32 bytes that a global load fetches serves 8 bytes.\n"
      "   evidence: 25 % of each sector loaded is used (threshold 50 %); DRAM at 86.1 % of its "
      "peak\n"
      "             (threshold 80 %); DRAM moves 4.13 TB/s\n"
      "   next: Let consecutive threads read consecutive addresses.\n"
      "2. memory-latency  medium, gain 10-18 %\n"
      "   Each sector of 32 bytes that a global load fetches serves 8 bytes.\n"
      "3. tail-effect  medium, gain 5 %\n"
      "   Each sector of 32 bytes that a global load fetches serves 8 bytes.\n"
      "Also found:  narrow-access (gain below 1 %)\n"
      "\n"
      "Share of peak (| = threshold)            Warps wait for\n"
      "dram   ###################|#...  86.1 %  long_scoreboard  ###############.........  63.2 %\n"
      "l2     ##########..............    42 %  lg_throttle      ####....................    15 %\n"
      "l1     #######.................    31 %  (issuing)        ###.....................    12 %\n"
      "fma    ###.....................    12 %  barrier          #.......................     5 %\n"
      "lsu    #####...................    19 %  wait             #.......................     4 %\n"
      "issue  #####...................    22 %\n"
      "Waits by kind: memory 78 %, synchronisation 5 %, compute 4 %, other 13 %\n"
      "\n"
      "note: 3 rules not evaluated; to evaluate 2 of them: ncu --section LaunchStats --section\n"
      "      SpeedOfLight_RooflineChart; poor-locality: nobody declared the unique bytes\n"
      "note: a single launch was profiled\n");
}

// The rules word the headline as the first finding's statement: once is enough.
TEST(DiagnosisDocument, TheHeadlineIsNotSaidTwice) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("copy", 1e6);
  kernel.findings = {finding("dram-bandwidth", 0, 0)};
  kernel.findings[0].severity = Severity::kInfo;
  kernel.findings[0].statement = "dram works at 86 % of its peak";
  kernel.findings[0].next = "move fewer bytes";
  kernel.findings[0].evidence.clear();
  kernel.verdict.headline = "Dram works at 86 % of its peak; move fewer bytes";
  EXPECT_EQ(screen(builder).substr(screen(builder).find("kernel 0")),
            "kernel 0  copy\n"
            "Dram works at 86 % of its peak; move fewer bytes\n"
            "memory-bound: DRAM; grid 1320, block 16x16; 1.00 ms under ncu replay\n"
            "\n"
            "1. dram-bandwidth  info\n");
}

TEST(DiagnosisDocument, AHealthyKernelIsAFewLines) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("copy(float *)", 1.5e6);
  kernel.spread = {3, 1.4e6, 1.5e6, 1.6e6, 4.5e6};
  kernel.findings = {finding("dram-bandwidth", 0, 0)};
  kernel.findings[0].severity = Severity::kInfo;
  kernel.findings[0].evidence.clear();
  EXPECT_EQ(screen(builder),
            "report.ncu-rep  NVIDIA H200 (cc 9.0); Nsight Compute 2025.3.1; 1 kernel, 3 launches\n"
            "\n"
            "kernel 0  copy\n"
            "Bound by DRAM: 86.1 % of its peak.\n"
            "memory-bound: DRAM; grid 1320, block 16x16; 3 launches of 1.40 ms to 1.60 ms, median "
            "1.50 ms, under\n"
            "ncu replay\n"
            "\n"
            "1. dram-bandwidth  info\n"
            "   Each sector of 32 bytes that a global load fetches serves 8 bytes.\n"
            "   next: Let consecutive threads read consecutive addresses.\n");
}

// An old GPU, --set basic: nothing known is not a reason to be silent or to guess.
TEST(DiagnosisDocument, ACaptureThatSaysNothing) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("k", 0);
  kernel.grid.reset();
  kernel.block.reset();
  kernel.duration_ns.reset();
  kernel.spread = {1, {}, {}, {}, {}};
  kernel.device_name = "";
  kernel.compute_capability = "6.1";
  kernel.verdict = {Bound::kNone, "", "The capture does not tell."};
  kernel.not_evaluated = {
      {"small-grid", {"launch__waves_per_multiprocessor"}, "the capture lacks w", "--set full"}};
  EXPECT_EQ(screen(builder),
            "report.ncu-rep  unnamed device (cc 6.1); Nsight Compute 2025.3.1; 1 kernel, 1 launch\n"
            "\n"
            "kernel 0  k\n"
            "The capture does not tell.\n"
            "kernel; no duration in the capture\n"
            "\n"
            "note: 1 rule not evaluated; to evaluate it: ncu --section SpeedOfLight\n");
}

TEST(DiagnosisDocument, SeveralKernelsAreATableFirst) {
  DiagnosisBuilder builder;
  builder.kernel("gemm(int)", 3e6).findings = {finding("tail-effect", 0.1, 0.2)};
  builder.kernel("gemm(int)", 1e6).grid = Dim3{64, 2, 1};
  builder.diagnosis.kernels[1].verdict = {Bound::kNone, "", "Nothing stands out."};
  KernelDiagnosis& copy = builder.kernel("copy(int)", 0);
  copy.spread.total_ns.reset();
  copy.verdict = {Bound::kLatency, "memory", "Waits for memory."};
  const std::string text = screen(builder);
  EXPECT_TRUE(contains(
      text,
      "#  Kernel                Total  Could save     Gain  First cause  Bound by           Share  "
      "Count\n"
      "-  ------------------  -------  ----------  -------  -----------  ----------------  ------  "
      "-----\n"
      "0  gemm [1320, 16x16]  3.00 ms   450.00 us  10-20 %  tail-effect  dram              75.0 %  "
      "    1\n"
      "1  gemm [64x2, 16x16]  1.00 ms           -        -  -            none              25.0 %  "
      "    1\n"
      "2  copy                      -           -        -  -            latency (memory)       -  "
      "    1\n"));
  EXPECT_TRUE(contains(text, "not wall time"));
  EXPECT_LT(text.find("First cause"), text.find("kernel 0  gemm"));
  EXPECT_TRUE(contains(text, "kernel 2  copy\n"));
  EXPECT_EQ(text.find("follow; all"), std::string::npos);
}

TEST(DiagnosisDocument, ManyKernelsGetFewScreens) {
  DiagnosisBuilder builder;
  for (int i = 0; i < 9; ++i) builder.kernel("k" + std::to_string(i), 1e6 / (i + 1));
  const std::string text = screen(builder);
  EXPECT_TRUE(contains(text, "The first 5 follow; all"));
  EXPECT_TRUE(contains(text, "kernel 4  k4\n"));
  EXPECT_EQ(text.find("kernel 5  k5\n"), std::string::npos);
  const std::string all = screen(builder, {.all = true});
  EXPECT_TRUE(contains(all, "kernel 8  k8\n"));
  EXPECT_EQ(all.find("follow"), std::string::npos);
}

// A kernel keeps the number of its first launch, whatever the order; --top leaves the others out.
TEST(DiagnosisDocument, NumbersAreThoseOfLaunches) {
  DiagnosisBuilder builder;
  for (int i = 0; i < 3; ++i) {
    KernelDiagnosis& kernel = builder.kernel("k" + std::to_string(i), 1e6 * (i + 1));
    kernel.launches = {static_cast<std::size_t>(10 + i), 20};
    kernel.findings = {finding("tail-effect", 0.4 / (i + 1), 0.4 / (i + 1) / (i + 1))};
  }
  order_kernels(KernelOrder::kCouldSave, builder.diagnosis.kernels);
  const std::string text = screen(builder, {.top = 2});
  EXPECT_TRUE(contains(text, "\n10  k0 "));
  EXPECT_TRUE(contains(text, "\n11  k1 "));
  EXPECT_LT(text.find("10  k0"), text.find("11  k1"));
  EXPECT_TRUE(contains(text, "kernel 11  k1\n"));
  EXPECT_TRUE(contains(text, "2 of 3 kernels."));
  EXPECT_EQ(text.find("k2"), std::string::npos);
}

TEST(DiagnosisDocument, SeveralFilesAreNamed) {
  DiagnosisBuilder builder;
  builder.kernel("a", 1e6);
  builder.diagnosis.sources.push_back({"other.csv", "ncu-csv", ""});
  KernelDiagnosis& second = builder.diagnosis.kernels.emplace_back();
  second.source = 1;
  second.launches = {0};
  second.spread = {1, 1, 1, 1, 1};
  second.display_name = "b";
  second.device_name = "Tesla V100";
  second.compute_capability = "7.0";
  const std::string text = screen(builder);
  EXPECT_TRUE(contains(text, "other.csv  Tesla V100 (cc 7.0); 1 kernel, 1 launch\n"));
  EXPECT_TRUE(contains(text, "0  other.csv       "));
  EXPECT_TRUE(contains(text, "; Tesla V100\n"));
  EXPECT_EQ(text.find("Where to start"), std::string::npos);  // nothing could be saved
  second.findings = {finding("tail-effect", 0.1, 0.2)};
  EXPECT_TRUE(contains(screen(builder), "Where to start, over all 2 files\n\n#  File"));
}

// What holds for all kernels stands once, at the end.
TEST(DiagnosisDocument, NotesAreNotRepeated) {
  DiagnosisBuilder builder;
  for (int i = 0; i < 4; ++i) {
    KernelDiagnosis& kernel = builder.kernel("k" + std::to_string(i), 1e6);
    kernel.notes = {{NoteKind::kInfo, "", "clocks were not locked", 1}};
    if (i != 1) kernel.notes.push_back({NoteKind::kInfo, "", "a single launch", 1});
    if (i == 3)
      kernel.not_evaluated = {{"host-memory", {"launch__grid_size"}, "", "--section LaunchStats"}};
  }
  EXPECT_TRUE(contains(
      screen(builder),
      "\n\nnote: clocks were not locked\n"
      "note: kernels 0, 2, 3: a single launch\n"
      "note: kernel 3: 1 rule not evaluated; to evaluate it: ncu --section LaunchStats\n"));
}

TEST(DiagnosisDocument, FitsANarrowTerminal) {
  DiagnosisBuilder builder;
  builder.kernel("a_kernel_with_a_long_name<float, 128>", 3e6).findings = {
      finding("shared-bank-conflicts", 0.1, 0.2)};
  builder.kernel("copy(int)", 1e6).verdict.at = "global-access";
  const std::string text = rendered(compose_diagnosis(builder.diagnosis, {}), terminal(), 80);
  EXPECT_TRUE(
      contains(text, "#  Kernel                      Total  Could save     Gain  First cause\n"));
}

TEST(DiagnosisDocument, VerboseSaysAll) {
  DiagnosisBuilder builder;
  KernelDiagnosis& kernel = builder.kernel("k", 1e6);
  add_facts(kernel);
  kernel.facts.add({"hot.line[0].place", "", std::string("softmax.cu:31"), {}});
  kernel.facts.add({"hot.line[0].share", "share", 0.62, {}});
  kernel.facts.add({"hot.line[0].reason", "", std::string("long_scoreboard"), {}});
  kernel.facts.add({"hot.line[1].place", "", std::string("softmax.cu:35"), {}});
  kernel.facts.add_absent({"memory.host.share", "the capture lacks m3", {"m3"}});
  kernel.findings = {finding("a", 0.4, 0.6), finding("b", 0.3, 0.5), finding("c", 0.2, 0.4),
                     finding("d", 0.1, 0.3)};
  Finding& symptom = kernel.findings[0].symptoms.emplace_back();
  symptom.id = "memory-latency";
  symptom.gain = {0.1, 0.3, GainKind::kStallShare};
  symptom.statement = "warps wait";
  kernel.not_evaluated = {{"host-memory", {"memory.host.share"}, "it lacks m3", "--section M"}};
  kernel.clean = {"small-grid"};
  const std::string text = screen(builder, {.verbose = true});
  EXPECT_TRUE(contains(text, "4. d  high, gain 10-30 % (ceiling)\n"));
  EXPECT_TRUE(contains(text, "   explains: memory-latency, gain 10-30 %: warps wait\n"));
  EXPECT_TRUE(contains(text, "small-grid   clean\n"));
  EXPECT_TRUE(contains(text, "host-memory  not evaluated  it lacks m3; capture with ncu "));
  EXPECT_TRUE(contains(text, "hottest line: softmax.cu:31, 62 % of samples, long_scoreboard\n"));
  EXPECT_TRUE(contains(text,
                       "Hottest lines:\nsoftmax.cu:31, 62 % of samples, long_scoreboard\n"
                       "softmax.cu:35\n"));
  EXPECT_TRUE(contains(text, "throughput.dram.share     86.1 %  some__metric.sum\n"));
  EXPECT_TRUE(contains(text, "memory.host.share  the capture lacks m3\n"));
  const std::string facts = screen(builder, {.facts = true});
  EXPECT_TRUE(contains(facts, "throughput.dram.share     86.1 %  some__metric.sum\n"));
  EXPECT_EQ(facts.find("small-grid"), std::string::npos);
}

TEST(DiagnosisDocument, NvidiaAdviceStandsBesideOurs) {
  DiagnosisBuilder builder;
  builder.kernel("k", 1e6);
  EXPECT_TRUE(contains(screen(builder, {.nvidia_rules = true}),
                       "The report holds no results of NVIDIA's rules.\n"));
  const auto rule = [](std::string title, double percent, bool global) {
    NvidiaRule made;
    made.title = std::move(title);
    made.speedup = {global, percent};
    made.messages = {{RuleMessageKind::kOptimization, "", "See @section:A:the table@. More."}};
    return made;
  };
  std::vector<NvidiaRule>& rules = builder.diagnosis.kernels[0].nvidia_rules;
  rules = {rule("one", 3, true), rule("two", 94.25, false), rule("three", 5, true),
           rule("four", 1, true)};
  EXPECT_EQ(screen(builder).find("NVIDIA's rules"), std::string::npos);
  EXPECT_TRUE(contains(screen(builder, {.nvidia_rules = true}),
                       "NVIDIA's rules say, by the speed-up they estimate:\n"
                       "- two  94.2 % of a part\n"
                       "  See the table\n"
                       "- three  5.0 % of the kernel\n"
                       "  See the table\n"
                       "- one  3.0 % of the kernel\n"
                       "  See the table\n"));
}

TEST(DiagnosisDocument, RowsForPrograms) {
  DiagnosisBuilder builder;
  builder.kernel("a", 1500).findings = {finding("x", 0.25, 0.5), finding("y", 0, 0.125)};
  builder.kernel("b", 10);
  const std::string text = rendered(compose_diagnosis_rows(builder.diagnosis), csv());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_TRUE(contains(text,
                       "\"0\",\"report.ncu-rep\",\"a\",\"1320\",\"16x16\",\"NVIDIA H200\",\"1\","
                       "\"1500\",\"1500\",\"memory\",\"dram\","
                       "\"Bound by DRAM: 86.1 % of its peak.\",\"2\",\"y\",\"medium\",\"0\","
                       "\"0.125\",\"ceiling\","));
  EXPECT_TRUE(contains(text,
                       "\"Bound by DRAM: 86.1 % of its peak.\",\"\",\"\",\"\",\"\",\"\","
                       "\"\",\"\",\"\",\"\"\n"));
}

}  // namespace
}  // namespace proofline::diagnosis_document_test
