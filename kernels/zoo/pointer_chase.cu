// SPDX-License-Identifier: Apache-2.0
//
// Linked lists, one to a lane, whose nodes lie all over the memory. The next node is known when
// this one has come, so a lane has one load under way, and no order of the lanes would bring their
// addresses together. The few warps that are there leave all levels of the memory mostly idle. The
// twin has as many warps, each lane of which follows its lists side by side.
#include "resident.cuh"

constexpr unsigned kThreads = 64;      // a block, one on each multiprocessor
constexpr unsigned kLists = 4;         // of a thread
constexpr unsigned kNodes = 1u << 22;  // 256 MiB of them, five times the L2
constexpr unsigned kSteps = 123;       // along each list

// As much as a fetch from the memory brings.
struct __align__(64) Node {
  unsigned next;
  unsigned value;
  unsigned rest[14];
};
static_assert(sizeof(Node) == 64, "two sectors");

__device__ inline uint2 head_of(const Node& node) { return *reinterpret_cast<const uint2*>(&node); }

// One list after the other.
// zoo: chase_lists plants memory-latency or small-grid, fixed by chase_lists_abreast
__global__ __launch_bounds__(kThreads) void chase_lists(
    const Node* __restrict__ nodes,       // (kNodes)
    const unsigned* __restrict__ starts,  // (kLists, threads)
    unsigned* __restrict__ sums) {        // (kLists, threads)
  const unsigned threads = gridDim.x * kThreads;
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
#pragma unroll 1
  for (unsigned list = 0; list < kLists; ++list) {
    unsigned at = starts[list * threads + thread];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < kSteps; ++step) {
      const uint2 head = head_of(nodes[at]);
      at = head.x;
      sum += head.y;
    }
    sums[list * threads + thread] = sum;
  }
}

// zoo: chase_lists_abreast fixes chase_lists
__global__ __launch_bounds__(kThreads) void chase_lists_abreast(
    const Node* __restrict__ nodes,       // (kNodes)
    const unsigned* __restrict__ starts,  // (kLists, threads)
    unsigned* __restrict__ sums) {        // (kLists, threads)
  const unsigned threads = gridDim.x * kThreads;
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  unsigned at[kLists];
  unsigned sum[kLists];
#pragma unroll
  for (unsigned list = 0; list < kLists; ++list) {
    at[list] = starts[list * threads + thread];
    sum[list] = 0;
  }
#pragma unroll 1
  for (unsigned step = 0; step < kSteps; ++step) {
    uint2 head[kLists];
#pragma unroll
    for (unsigned list = 0; list < kLists; ++list) head[list] = head_of(nodes[at[list]]);
#pragma unroll
    for (unsigned list = 0; list < kLists; ++list) {
      at[list] = head[list].x;
      sum[list] += head[list].y;
    }
  }
#pragma unroll
  for (unsigned list = 0; list < kLists; ++list) sums[list * threads + thread] = sum[list];
}

namespace {

// A full-period generator: from any node the way visits every other one before it returns.
unsigned next_node(unsigned node) { return (node * 1664525u + 1013904223u) % kNodes; }
unsigned value_of(unsigned node) { return node * 2654435761u; }

void run_chase_lists() {
  const unsigned blocks = multiprocessors();
  const unsigned lists = blocks * kThreads * kLists;
  REQUIRE(std::size_t{lists} * kSteps <= kNodes, "no node is visited twice, so the L2 never helps");
  std::vector<Node> host_nodes(kNodes);
  for (unsigned node = 0; node < kNodes; ++node) {
    host_nodes[node].next = next_node(node);
    host_nodes[node].value = value_of(node);
  }
  std::vector<unsigned> host_starts(lists);
  std::vector<unsigned> expected(lists);
  unsigned at = 0;
  for (unsigned list = 0; list < lists; ++list) {
    host_starts[list] = at;
    for (unsigned step = 0; step < kSteps; ++step) {
      expected[list] += value_of(at);
      at = next_node(at);
    }
  }

  DeviceBuffer<Node> nodes(host_nodes);        // (kNodes)
  DeviceBuffer<unsigned> starts(host_starts);  // (kLists, threads)
  DeviceBuffer<unsigned> sums(lists);          // (kLists, threads)
  sums.clear();
  chase_lists<<<blocks, kThreads>>>(nodes.data(), starts.data(), sums.data());
  finish_launch();
  expect_equal("chase lists", sums.download(), expected);
  passed("chase lists");

  sums.clear();
  chase_lists_abreast<<<blocks, kThreads>>>(nodes.data(), starts.data(), sums.data());
  finish_launch();
  expect_equal("chase lists abreast", sums.download(), expected);
  passed("chase lists abreast");
}

}  // namespace

int main() { run_chase_lists(); }
