// SPDX-License-Identifier: Apache-2.0
//
// The class of a gap, on timelines made by hand: each class once, and beside it the twin that just
// misses it. All of them are two operations with a gap from 100 to 200 ns between them.
#include "analysis/timeline/idle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/timeline/device_time.h"
#include "analysis/timeline/launches.h"
#include "model/timeline/timeline.h"

namespace proofline::idle_test {
namespace {

class GapCase {
 public:
  GapCase() {
    timeline_.devices.emplace_back();
    timeline_.processes.emplace_back();
    timeline_.threads.emplace_back();
    timeline_.streams.emplace_back();
  }

  GapCase& call(std::string_view name, std::int64_t start, std::int64_t end,
                std::uint32_t correlation = 0) {
    timeline_.calls.push_back({start, end, name_of(name), 0, correlation});
    return *this;
  }
  GapCase& range(std::string_view name, std::int64_t start, std::int64_t end) {
    timeline_.ranges.push_back({start, end, name_of(name), 0, HostWork::kAnnotation});
    return *this;
  }
  // The operation before the gap, by the call of correlation 1.
  GapCase& first_kernel(std::string_view name = "kernel") { return op(name, 0, 100, 1); }
  GapCase& first_copy(MemoryKind from) {
    op("Memcpy HtoD", 0, 100, 1);
    timeline_.ops.back().work = GpuWork::kCopy;
    timeline_.ops.back().from = from;
    return *this;
  }
  // The one after it; it is of the same name, so not the first launch of its kernel.
  GapCase& kernel_called_at(std::int64_t start, std::int64_t end) {
    return call("cudaLaunchKernel", start, end, 2).op("kernel", 200, 300, 2);
  }
  GapCase& kernel_without_call() { return op("kernel", 200, 300, 0); }

  Gap gap() const {
    const Launches launches = join_launches(timeline_);
    const Idle idle = find_idle(timeline_, launches, device_times(timeline_).at(0));
    EXPECT_EQ(idle.gaps.size(), 1U);
    EXPECT_EQ(idle.of_class(idle.gaps.at(0).idle), 100);
    return idle.gaps.at(0);
  }
  IdleClass idle() const { return gap().idle; }

 private:
  GapCase& op(std::string_view name, std::int64_t start, std::int64_t end,
              std::uint32_t correlation) {
    GpuOp op;
    op.start_ns = start;
    op.end_ns = end;
    op.name = name_of(name);
    op.correlation = correlation;
    timeline_.ops.push_back(op);
    return *this;
  }
  std::uint32_t name_of(std::string_view name) {
    timeline_.names.emplace_back(name);
    for (std::uint32_t i = 0;; ++i) {
      if (timeline_.names[i] == name) return i;
    }
  }

  Timeline timeline_;
};

// A kernel whose launch is before all else, so that it explains nothing of the gap.
GapCase after_kernel() { return GapCase().call("cudaLaunchKernel", -20, -10, 1).first_kernel(); }

TEST(IdleClass, UnattributedWhereTheLaunchIsNotInTheTimeline) {
  EXPECT_EQ(after_kernel().kernel_without_call().idle(), IdleClass::kUnattributed);
  EXPECT_EQ(after_kernel().kernel_called_at(120, 130).idle(), IdleClass::kLaunch);
}

TEST(IdleClass, LoadWhereTheCallOfAFirstLaunchTakesHalf) {
  const auto after_another = [] {
    return GapCase().call("cudaLaunchKernel", -20, -10, 1).first_kernel("another");
  };
  EXPECT_EQ(after_another().kernel_called_at(140, 190).idle(), IdleClass::kLoad);
  EXPECT_EQ(after_another().kernel_called_at(140, 189).idle(), IdleClass::kLaunch);
  // The kernel has been launched before.
  EXPECT_EQ(after_kernel().kernel_called_at(140, 190).idle(), IdleClass::kLaunch);
}

TEST(IdleClass, SynchronisationWhereTheGapBeginsWithinTheWait) {
  const auto waiting = [](std::int64_t start, std::int64_t end) {
    return after_kernel()
        .call("cudaDeviceSynchronize", start, end)
        .kernel_called_at(180, 190)
        .idle();
  };
  EXPECT_EQ(waiting(10, 100), IdleClass::kSynchronise);
  EXPECT_EQ(waiting(10, 99), IdleClass::kHost);
  // It begins when the GPU has run dry already, however long it takes.
  EXPECT_EQ(waiting(101, 180), IdleClass::kHost);
}

TEST(IdleClass, BlockingCopiesWhereTheGapBeginsWithinACopyThatTheHostWaitsFor) {
  const auto after_copy = [](std::string_view call, MemoryKind from, std::int64_t end) {
    return GapCase().call(call, -10, end, 1).first_copy(from).kernel_called_at(180, 190).idle();
  };
  EXPECT_EQ(after_copy("cudaMemcpyAsync", MemoryKind::kPageable, 110), IdleClass::kBlockingCopy);
  EXPECT_EQ(after_copy("cudaMemcpy", MemoryKind::kPinned, 110), IdleClass::kBlockingCopy);
  EXPECT_EQ(after_copy("cudaMemcpyAsync", MemoryKind::kPinned, 110), IdleClass::kHost);
  EXPECT_EQ(after_copy("cudaMemcpyAsync", MemoryKind::kPageable, 99), IdleClass::kHost);
}

TEST(IdleClass, AllocationWhereItCoversHalf) {
  const auto allocating = [](std::string_view name, std::int64_t start, std::int64_t end) {
    return after_kernel().call(name, start, end).kernel_called_at(180, 190).idle();
  };
  EXPECT_EQ(allocating("cudaMalloc", 110, 160), IdleClass::kAllocate);
  EXPECT_EQ(allocating("cudaFree", 50, 150), IdleClass::kAllocate);
  EXPECT_EQ(allocating("cudaMalloc", 110, 159), IdleClass::kHost);
  EXPECT_EQ(allocating("cudaMalloc", 50, 149), IdleClass::kHost);
}

TEST(IdleClass, DataLoadingWhereItCoversHalf) {
  const auto loading = [](std::string_view name, std::int64_t end) {
    return after_kernel().range(name, 110, end).kernel_called_at(180, 190).idle();
  };
  EXPECT_EQ(loading("enumerate(DataLoader)#_Iter.__next__", 160), IdleClass::kLoader);
  EXPECT_EQ(loading("enumerate(DataLoader)#_Iter.__next__", 159), IdleClass::kHost);
  EXPECT_EQ(loading("enumerate(Batches)", 160), IdleClass::kHost);
}

TEST(IdleClass, HostWhereHalfOfTheGapLiesBeforeTheCallAndElseLaunch) {
  EXPECT_EQ(after_kernel().kernel_called_at(150, 160).idle(), IdleClass::kHost);
  EXPECT_EQ(after_kernel().kernel_called_at(149, 160).idle(), IdleClass::kLaunch);
  const Gap gap = after_kernel().kernel_called_at(130, 150).gap();
  EXPECT_EQ(gap.host_ns, 30);
  EXPECT_EQ(gap.call_ns, 20);
  EXPECT_EQ(gap.wait_ns, 50);
  // The call may be before the gap, or reach beyond it.
  EXPECT_EQ(after_kernel().kernel_called_at(20, 40).gap().wait_ns, 100);
  EXPECT_EQ(after_kernel().kernel_called_at(180, 250).gap().call_ns, 20);
}

// The classes are tried in their order, so a wait that allocates afterwards is a wait.
TEST(IdleClass, IsTheFirstThatFits) {
  const auto waiting = [] { return after_kernel().call("cudaStreamSynchronize", 10, 105); };
  EXPECT_EQ(waiting().call("cudaMalloc", 110, 170).kernel_called_at(180, 190).idle(),
            IdleClass::kSynchronise);
  EXPECT_EQ(waiting().kernel_without_call().idle(), IdleClass::kUnattributed);
  EXPECT_EQ(after_kernel()
                .range("enumerate(DataLoader)", 110, 170)
                .call("cudaMalloc", 110, 170)
                .kernel_called_at(180, 190)
                .idle(),
            IdleClass::kAllocate);
}

}  // namespace
}  // namespace proofline::idle_test
