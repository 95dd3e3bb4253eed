// SPDX-License-Identifier: Apache-2.0
//
// What fake_cupti gives to the recorder is what the timeline says: each kind of record, several
// threads, streams, devices and processes, and what is lost where something goes wrong. The fake's
// own time is made up (tests/programs/fake_cupti.cpp), so all of it is exact.
#include <gtest/gtest.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/recorded_program.h"

namespace proofline::timeline_recorder_test {
namespace {

using TimelineRecorderTest = RecordedProgramTest;

bool says(const Timeline& timeline, std::string_view part) {
  return std::any_of(timeline.notes.begin(), timeline.notes.end(),
                     [&](const Note& note) { return note.what.find(part) != std::string::npos; });
}

const std::string& name_of(const Timeline& timeline, std::uint32_t name) {
  return timeline.names.at(name);
}

// What happened, in the order of its start, with times from the first of all.
struct Happened {
  std::int64_t start;
  std::int64_t length;
  std::string name;

  bool operator==(const Happened&) const = default;
};

void PrintTo(const Happened& one, std::ostream* out) {
  *out << "{" << one.start << ", " << one.length << ", \"" << one.name << "\"}";
}

template <class Event>
std::vector<Happened> in_order(const Timeline& timeline, const std::vector<Event>& events,
                               std::int64_t origin) {
  std::vector<Happened> all;
  for (const Event& event : events) {
    all.push_back(
        {event.start_ns - origin, event.end_ns - event.start_ns, name_of(timeline, event.name)});
  }
  std::sort(all.begin(), all.end(), [](const Happened& a, const Happened& b) {
    return std::tie(a.start, a.name) < std::tie(b.start, b.name);
  });
  return all;
}

std::int64_t first_start(const Timeline& timeline) {
  std::int64_t first = timeline.ops.at(0).start_ns;
  for (const GpuOp& op : timeline.ops) first = std::min(first, op.start_ns);
  return first;
}

std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

TEST_F(TimelineRecorderTest, KernelsCopiesAndSetsWithTheirCalls) {
  const auto timeline =
      trace({"_Z5scalePff:5000@264x256", "--do=copy 1 1 3 4096 2000", "--do=copy 2 3 2 8192 3000",
             "--do=set 512 700", "--do=graph step 2 1500"});
  EXPECT_TRUE(timeline.notes.empty());
  EXPECT_FALSE(timeline.partial);
  EXPECT_EQ(timeline.format, "recording");
  const std::int64_t origin = first_start(timeline);
  EXPECT_EQ(in_order(timeline, timeline.ops, origin),
            (std::vector<Happened>{{0, 5000, "scale(float*, float)"},
                                   {6000, 2000, "Memcpy HtoD (Pageable -> Device)"},
                                   {9000, 3000, "Memcpy DtoH (Device -> Pinned)"},
                                   {13000, 700, "Memset (Device)"},
                                   {14700, 1500, "node"},
                                   {17200, 1500, "node"}}));
  EXPECT_EQ(in_order(timeline, timeline.calls, origin),
            (std::vector<Happened>{{-800, 500, "cudaLaunchKernel"},
                                   {5200, 500, "cudaMemcpy"},
                                   {8200, 500, "cudaMemcpyAsync"},
                                   {12200, 500, "cudaMemsetAsync"},
                                   {13900, 500, "cudaGraphLaunch"}}));
  for (const GpuOp& op : timeline.ops) {
    const bool is_node = name_of(timeline, op.name) == "node";
    EXPECT_EQ(op.in_graph, is_node);
    // Each has the call that asked for it, and it alone.
    const auto same = [&](const ApiCall& call) { return call.correlation == op.correlation; };
    ASSERT_EQ(std::count_if(timeline.calls.begin(), timeline.calls.end(), same), 1);
  }
  const auto copy = std::find_if(timeline.ops.begin(), timeline.ops.end(),
                                 [](const GpuOp& op) { return op.work == GpuWork::kCopy; });
  ASSERT_NE(copy, timeline.ops.end());
  EXPECT_EQ(copy->bytes, 4096U);
  EXPECT_EQ(copy->direction, CopyDirection::kHostToDevice);
  EXPECT_EQ(copy->from, MemoryKind::kPageable);
  EXPECT_EQ(copy->to, MemoryKind::kDevice);
  const auto kernel = std::find_if(timeline.ops.begin(), timeline.ops.end(),
                                   [](const GpuOp& op) { return op.work == GpuWork::kKernel; });
  ASSERT_NE(kernel, timeline.ops.end());
  const LaunchShape& shape = timeline.shapes.at(kernel->shape);
  EXPECT_EQ(shape.grid, (Dim3{264, 1, 1}));
  EXPECT_EQ(shape.block, (Dim3{256, 1, 1}));
  EXPECT_EQ(shape.registers, 32U);
  EXPECT_EQ(shape.shared_bytes, 1024U);
}

TEST_F(TimelineRecorderTest, ManyOfEach) {
  const auto timeline = trace({"a*40000:300", "--do=copy 1 2 3 64 100", "b*40000:200"});
  EXPECT_TRUE(timeline.notes.empty());
  ASSERT_EQ(timeline.ops.size(), 80001U);
  ASSERT_EQ(timeline.calls.size(), 80001U);
  std::int64_t total = 0;
  for (const GpuOp& op : timeline.ops) total += op.end_ns - op.start_ns;
  EXPECT_EQ(total, 40000 * 300 + 100 + 40000 * 200);
  const auto [first, last] =
      std::minmax_element(timeline.ops.begin(), timeline.ops.end(),
                          [](const GpuOp& a, const GpuOp& b) { return a.start_ns < b.start_ns; });
  EXPECT_EQ(last->end_ns - first->start_ns, total + 80000 * 1000);
  for (const ApiCall& call : timeline.calls) ASSERT_EQ(call.end_ns - call.start_ns, 500);
}

TEST_F(TimelineRecorderTest, OnlyCallsThatMatterAreShown) {
  const auto timeline = trace({"a", "--do=call cudaDriverGetVersion 10",
                               "--do=call cuCtxGetCurrent 10", "--do=call __cudaLaunchKernel 90",
                               "--do=call cuLaunchKernel 20", "--do=call cuMemAlloc_v2 30"});
  std::vector<std::string> names;
  for (const auto& call : in_order(timeline, timeline.calls, 0)) names.push_back(call.name);
  EXPECT_EQ(names, (std::vector<std::string>{"cudaLaunchKernel", "cudaLaunchKernel",
                                             "cuLaunchKernel", "cuMemAlloc_v2"}));
}

TEST_F(TimelineRecorderTest, ThreadsStreamsAndDevices) {
  const auto timeline = trace({"a", "--do=thread 200", "--do=stream 13", "a", "--do=device 1", "b",
                               "--do=peer 0 65536 900"});
  ASSERT_EQ(timeline.threads.size(), 2U);
  EXPECT_EQ(timeline.threads[0].id, 100U);
  EXPECT_EQ(timeline.threads[1].id, 200U);
  ASSERT_EQ(timeline.devices.size(), 2U);
  EXPECT_EQ(timeline.devices[1].id, 1U);
  EXPECT_EQ(timeline.devices[1].name, "Fake H200");
  EXPECT_EQ(timeline.devices[1].compute_capability, "9.0");
  EXPECT_EQ(timeline.devices[1].multiprocessors, 132U);
  std::vector<std::tuple<std::uint32_t, std::uint64_t>> streams;
  for (const TimelineStream& stream : timeline.streams) {
    streams.emplace_back(stream.device, stream.id);
  }
  std::sort(streams.begin(), streams.end());
  EXPECT_EQ(streams, (std::vector<std::tuple<std::uint32_t, std::uint64_t>>{
                         {0U, 7U}, {0U, 13U}, {1U, 13U}}));
  const auto peer = std::find_if(timeline.ops.begin(), timeline.ops.end(), [](const GpuOp& op) {
    return op.direction == CopyDirection::kPeerToPeer;
  });
  ASSERT_NE(peer, timeline.ops.end());
  EXPECT_EQ(peer->bytes, 65536U);
  EXPECT_EQ(timeline.streams[peer->stream].device, 1U);
}

TEST_F(TimelineRecorderTest, RangesOfNvtxAndOverheads) {
  const auto timeline = trace({"--nvtx", "a", "--do=push step 1", "--do=push forward", "b:3000",
                               "--do=pop", "--do=push backward", "--do=pop", "--do=pop",
                               "--do=overhead 393216 2500", "--do=push never closed"});
  const std::int64_t origin = first_start(timeline);
  EXPECT_EQ(in_order(timeline, timeline.ranges, origin),
            (std::vector<Happened>{{2000, 4500, "step 1"},
                                   {2100, 4100, "forward"},
                                   {6300, 100, "backward"},
                                   {6600, 2500, "command buffer full"},
                                   {10100, 0, "never closed"}}));
  EXPECT_TRUE(says(timeline, "still open"));
  for (const HostRange& range : timeline.ranges) {
    EXPECT_EQ(timeline.threads[range.thread].id, 100U);
    EXPECT_EQ(range.work, name_of(timeline, range.name) == "command buffer full"
                              ? HostWork::kOverhead
                              : HostWork::kAnnotation);
  }
}

TEST_F(TimelineRecorderTest, AllocationsWaitsAndEvents) {
  const auto timeline = trace({"a", "--do=malloc 1048576 4000", "--do=record 3", "--do=stream 9",
                               "--do=wait 3", "b", "--do=sync 6000", "--do=free 1048576 100"});
  ASSERT_EQ(timeline.memory.size(), 2U);
  EXPECT_EQ(timeline.memory[0].bytes, 1048576U);
  EXPECT_FALSE(timeline.memory[0].is_release);
  EXPECT_TRUE(timeline.memory[1].is_release);
  EXPECT_EQ(timeline.memory[0].address, timeline.memory[1].address);
  EXPECT_EQ(timeline.memory[0].kind, MemoryKind::kDevice);
  ASSERT_EQ(timeline.events.size(), 1U);
  EXPECT_EQ(timeline.events[0].event, 3U);
  EXPECT_EQ(timeline.streams.at(timeline.events[0].stream).id, 7U);
  ASSERT_EQ(timeline.waits.size(), 2U);
  EXPECT_EQ(timeline.waits[0].wait, WaitFor::kEventInQueue);
  EXPECT_EQ(timeline.waits[0].event, 3U);
  EXPECT_EQ(timeline.streams.at(timeline.waits[0].stream).id, 9U);
  EXPECT_EQ(timeline.waits[1].wait, WaitFor::kStream);
  EXPECT_EQ(timeline.waits[1].end_ns - timeline.waits[1].start_ns, 6000);
}

TEST_F(TimelineRecorderTest, UnifiedMemoryMoves) {
  const auto timeline =
      trace({"a", "--await", "--do=migrate 1 65536 2000", "--do=migrate 2 4096 300"});
  const std::int64_t origin = first_start(timeline);
  EXPECT_EQ(in_order(timeline, timeline.ops, origin),
            (std::vector<Happened>{{0, 1000, "a"},
                                   {2000, 2000, "Unified memory HtoD"},
                                   {5000, 300, "Unified memory DtoH"}}));
  EXPECT_EQ(timeline.ops.back().bytes, 4096U);
}

// Each process has a clock of its own; noted at the same moments as the system's, they become one.
TEST_F(TimelineRecorderTest, ProcessesAreOnOneClock) {
  const std::int64_t before = monotonic_now();
  const auto timeline = trace({"a", "--child", "b", "--child", "c"});
  const std::int64_t after = monotonic_now();
  EXPECT_TRUE(timeline.notes.empty());
  ASSERT_EQ(timeline.processes.size(), 3U);
  EXPECT_EQ(timeline.devices.size(), 1U) << "the same GPU, by its UUID";
  ASSERT_EQ(timeline.ops.size(), 3U);
  for (const GpuOp& op : timeline.ops) {
    EXPECT_GE(op.start_ns, before);
    EXPECT_LE(op.start_ns, after);
  }
  ASSERT_TRUE(timeline.unix_ns);
  std::map<std::string, std::int64_t> starts;
  for (const GpuOp& op : timeline.ops) starts[name_of(timeline, op.name)] = op.start_ns;
  EXPECT_LT(starts["a"], starts["b"]);
  EXPECT_LT(starts["b"], starts["c"]);
}

TEST_F(TimelineRecorderTest, EachProcessMayCallItsGpuNumberZero) {
  auto recorder = Recorder::prepare(dir_.path(""), {.timeline = true});
  ASSERT_TRUE(recorder);
  for (const char* visible : {"0", "1", "1"}) {
    auto variables = recorder->variables();
    variables.emplace_back("CUDA_VISIBLE_DEVICES", visible);
    run({"a"}, variables);
  }
  const auto timeline = recorder->read_timeline();
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->processes.size(), 3U);
  ASSERT_EQ(timeline->devices.size(), 2U);
  EXPECT_NE(timeline->devices[0].id, timeline->devices[1].id);
  std::vector<std::uint32_t> devices;
  for (const GpuOp& op : timeline->ops) {
    devices.push_back(timeline->streams[op.stream].device);
  }
  std::sort(devices.begin(), devices.end());
  EXPECT_TRUE(devices == (std::vector<std::uint32_t>{0, 0, 1}) ||
              devices == (std::vector<std::uint32_t>{0, 1, 1}));
}

TEST_F(TimelineRecorderTest, ForkedChildLeavesTheParentsFileAlone) {
  const auto timeline = trace({"a*3000", "--fork", "b*7000"});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_TRUE(timeline.notes.empty());
  EXPECT_EQ(timeline.processes.size(), 1U);
  EXPECT_EQ(timeline.ops.size(), 10000U);
  EXPECT_EQ(timeline.calls.size(), 10000U);
}

TEST_F(TimelineRecorderTest, KilledItKeepsWhatWasHandedOver) {
  // A buffer of 1 MiB has at least this many launches with their calls.
  constexpr std::uint64_t kBuffer = (1U << 20U) / (216 + 40) - 1;
  const auto timeline = trace({"a*20000", "--kill"});
  EXPECT_TRUE(WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL) << status_;
  EXPECT_GE(timeline.ops.size(), 20000 / kBuffer * kBuffer - kBuffer);
  EXPECT_TRUE(says(timeline, "did not end in order"));
}

TEST_F(TimelineRecorderTest, CountsWhatIsLost) {
  set("FAKE_CUPTI", "drop");
  const auto dropped = trace({"a*10"});
  EXPECT_EQ(dropped.ops.size(), 10U);
  EXPECT_TRUE(dropped.partial);
  EXPECT_TRUE(says(dropped, "dropped"));
}

TEST_F(TimelineRecorderTest, WorkWithoutTimeIsCountedNotShown) {
  set("FAKE_CUPTI", "untimed");
  const auto timeline = trace({"a*100"});
  EXPECT_EQ(timeline.ops.size(), 90U);
  EXPECT_TRUE(says(timeline, "no time"));
}

TEST_F(TimelineRecorderTest, SaysWhereAnotherProfilerTookTheRecords) {
  set("FAKE_CUPTI", "steal");
  const auto timeline = trace({"a*10", "--print=done"});
  EXPECT_EQ(output_, "done\n");
  EXPECT_TRUE(timeline.partial);
  EXPECT_TRUE(says(timeline, "another profiler"));
}

TEST_F(TimelineRecorderTest, OldCuptiGivesWhatItHas) {
  const std::filesystem::path fake = PROOFLINE_FAKE_CUPTI;
  set("PROOFLINE_CUPTI", fake.parent_path() / "libcupti.so.11");
  const auto timeline =
      trace({"--nvtx", "a", "--do=call cudaDriverGetVersion 10", "--do=call cudaMalloc 20",
             "--do=malloc 64 20", "--do=push step", "--do=pop"});
  EXPECT_EQ(exit_code(), 0);
  std::vector<std::string> names;
  for (const auto& call : in_order(timeline, timeline.calls, 0)) names.push_back(call.name);
  EXPECT_EQ(names, (std::vector<std::string>{"cudaLaunchKernel", "cudaMalloc", "cudaMalloc"}));
  EXPECT_EQ(timeline.ops.size(), 1U);
  EXPECT_TRUE(timeline.memory.empty());
  EXPECT_TRUE(timeline.ranges.empty());
  EXPECT_TRUE(says(timeline, "does not record allocations"));
}

TEST_F(TimelineRecorderTest, RefusedItLeavesTheProgramAlone) {
  set("FAKE_CUPTI", "refuse");
  const auto timeline = trace({"--nvtx", "a*10", "--print=done", "--exit=4"});
  EXPECT_EQ(exit_code(), 4);
  EXPECT_EQ(output_, "done\n");
  EXPECT_TRUE(timeline.ops.empty());
  EXPECT_TRUE(says(timeline, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
}

// What comes after the time that was asked for is not recorded, and neither is what comes before.
TEST_F(TimelineRecorderTest, KeepsToItsWindow) {
  const auto late = trace({"a*10"}, {.timeline = true, .delay = 3600});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_TRUE(late.ops.empty());
  EXPECT_TRUE(late.calls.empty());
  EXPECT_TRUE(late.notes.empty());
}

TEST_F(TimelineRecorderTest, EndsWithItsWindow) {
  const auto early =
      trace({"a*10", "--await-closed", "b*10"}, {.timeline = true, .delay = 0, .duration = 0.001});
  EXPECT_EQ(exit_code(), 0);
  for (const GpuOp& op : early.ops) EXPECT_EQ(name_of(early, op.name), "a");
  EXPECT_TRUE(early.notes.empty());
}

// The light pass of `profile` asks for kernels and nothing else.
TEST_F(TimelineRecorderTest, KernelsAloneStayKernelsAlone) {
  const auto recording = record({"--nvtx", "a*10", "--do=copy 1 1 3 64 100", "--do=push x"});
  EXPECT_TRUE(recording.notes.empty());
  ASSERT_EQ(recording.processes.size(), 1U);
  EXPECT_EQ(recording.processes[0].launches.size(), 10U);
}

// A recording of a timeline still lists the kernels.
TEST_F(TimelineRecorderTest, IsARecordingToo) {
  auto recorder = Recorder::prepare(dir_.path(""), {.timeline = true});
  ASSERT_TRUE(recorder);
  run({"a*10", "--do=copy 1 1 3 64 100"}, recorder->variables());
  const auto recording = recorder->read();
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->notes.empty());
  EXPECT_EQ(recording->processes.at(0).launches.size(), 10U);
}

}  // namespace
}  // namespace proofline::timeline_recorder_test
