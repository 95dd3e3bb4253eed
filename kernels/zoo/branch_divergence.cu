// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a warp that go different ways: eight kinds of item with a loop of their own each, or one
// loop that most lanes leave early. While some lanes work, the others of their warp wait. The twins
// take the items in an order that puts like with like, so that the lanes of a warp stay together.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

constexpr unsigned kKinds = 8;
constexpr unsigned kSteps = 256;
constexpr unsigned kLawWaves = 4;

// Eight laws that have no operations in common, each to be followed for kSteps steps.
__host__ __device__ inline float follow_law(unsigned kind, float x) {
  float y = 0.5f;
  unsigned n = static_cast<unsigned>(x * 65536.0f + 65536.0f);
  switch (kind) {
    case 0:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        x = fmaf(x, 0.5f, 0.3f);
        y = fmaf(y, 0.25f, x);
        x = fmaf(y, -0.125f, x);
      }
      return x + y;
    case 1:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        x = fmaf(x * x, -0.4f, 0.6f);
        y = fmaf(x, y, 0.1f);
      }
      return x - y;
    case 2:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        n = n * 1664525u + 1013904223u;
        n ^= n >> 13;
      }
      return static_cast<float>(n >> 8) * 0x1p-24f;
    case 3:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        x = fminf(fmaf(x, 1.25f, 0.125f), 0.75f);
        y = fmaxf(0.5f * y, x);
      }
      return x * y;
    case 4:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        n = (n << 5 | n >> 27) + i;
        n ^= 0x9e3779b9u;
      }
      return static_cast<float>(n >> 8) * 0x1p-24f;
    case 5:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        y = fmaf(fabsf(x), 0.5f, -0.375f);
        x = fmaf(x, -0.25f, y);
        x = x - 0.0625f;
      }
      return fmaf(x, 2.0f, y);
    case 6:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        x = fmaf(x, x, -0.25f);
        y = fmaf(y, -0.5f, x);
      }
      return fmaf(y, 4.0f, x);
    default:
#pragma unroll 4
      for (unsigned i = 0; i < kSteps; ++i) {
        n += n >> 3 & 0x5555u;
        n = n * 5u ^ i;
      }
      return static_cast<float>(n >> 8) * 0x1p-24f;
  }
}

// Items of all kinds as they come.
// zoo: follow_laws plants branch-divergence, fixed by follow_laws_by_kind
__global__ __launch_bounds__(kThreads, kBlocksResident) void follow_laws(
    const unsigned* __restrict__ kinds,  // (gridDim.x, kThreads)
    const float* __restrict__ starts,    // (gridDim.x, kThreads)
    float* __restrict__ ends) {          // (gridDim.x, kThreads)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  ends[i] = follow_law(kinds[i], starts[i]);
}

// The same items kind by kind.
// zoo: follow_laws_by_kind fixes follow_laws
__global__ __launch_bounds__(kThreads, kBlocksResident) void follow_laws_by_kind(
    const unsigned* __restrict__ order,  // (gridDim.x, kThreads): all items, sorted by kind
    const unsigned* __restrict__ kinds,  // (gridDim.x, kThreads)
    const float* __restrict__ starts,    // (gridDim.x, kThreads)
    float* __restrict__ ends) {          // (gridDim.x, kThreads)
  const unsigned i = order[blockIdx.x * kThreads + threadIdx.x];
  ends[i] = follow_law(kinds[i], starts[i]);
}

constexpr unsigned kLevels = 6;       // of accuracy, each of which doubles the terms
constexpr unsigned kLeastGroups = 4;  // of terms
constexpr unsigned kTerms = 8;        // of a group
constexpr unsigned kSumWaves = 8;

__host__ __device__ inline float sum_groups(unsigned groups, float x) {
  float a = x;
  float b = 0.25f;
#pragma unroll 1
  for (unsigned group = 0; group < groups; ++group) {
#pragma unroll
    for (unsigned term = 0; term < kTerms; ++term) {
      a = fmaf(a, 0.5f, x);
      b = fmaf(b, 0.25f, a);
      a = fmaf(b, -0.125f, a);
      b = fmaf(a, 0.0625f, b);
    }
  }
  return a + b + static_cast<float>(groups);
}

// Each item names how many terms it needs: most of them few, some of them many.
// zoo: sum_terms plants branch-divergence, fixed by sum_terms_by_count
__global__ __launch_bounds__(kThreads, kBlocksResident) void sum_terms(
    const unsigned* __restrict__ groups,  // (gridDim.x, kThreads)
    const float* __restrict__ arguments,  // (gridDim.x, kThreads)
    float* __restrict__ sums) {           // (gridDim.x, kThreads)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  sums[i] = sum_groups(groups[i], arguments[i]);
}

// The same items, those with the most terms first.
// zoo: sum_terms_by_count fixes sum_terms
__global__ __launch_bounds__(kThreads, kBlocksResident) void sum_terms_by_count(
    const unsigned* __restrict__ order,   // (gridDim.x, kThreads): all items, sorted by count
    const unsigned* __restrict__ groups,  // (gridDim.x, kThreads)
    const float* __restrict__ arguments,  // (gridDim.x, kThreads)
    float* __restrict__ sums) {           // (gridDim.x, kThreads)
  const unsigned i = order[blockIdx.x * kThreads + threadIdx.x];
  sums[i] = sum_groups(groups[i], arguments[i]);
}

namespace {

// The items in the order of their classes, 0 first, and as they come within a class.
std::vector<unsigned> order_by_class(const std::vector<unsigned>& classes, unsigned class_count) {
  std::vector<unsigned> order;
  order.reserve(classes.size());
  for (unsigned wanted = 0; wanted < class_count; ++wanted) {
    for (unsigned i = 0; i < classes.size(); ++i) {
      if (classes[i] == wanted) order.push_back(i);
    }
  }
  return order;
}

void run_follow_laws() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kLawWaves;
  const std::size_t count = std::size_t{blocks} * kThreads;
  const std::vector<unsigned> host_kinds = random_integers(count, kKinds, 121);
  const std::vector<float> host_starts = random_floats(count, 122);
  DeviceBuffer<unsigned> kinds(host_kinds);  // (count)
  DeviceBuffer<float> starts(host_starts);   // (count)
  DeviceBuffer<float> ends(count);           // (count)
  ends.clear();
  follow_laws<<<blocks, kThreads>>>(kinds.data(), starts.data(), ends.data());
  finish_launch();
  const std::vector<float> slow = ends.download();
  for (std::size_t i = 0; i < count; i += 127) {
    expect_close("follow laws", slow[i], follow_law(host_kinds[i], host_starts[i]), 1e-4, i);
  }
  passed("follow laws");

  DeviceBuffer<unsigned> order(order_by_class(host_kinds, kKinds));  // (count)
  ends.clear();
  follow_laws_by_kind<<<blocks, kThreads>>>(order.data(), kinds.data(), starts.data(), ends.data());
  finish_launch();
  expect_all_close("follow laws by kind", ends.download(), slow, 1e-5);
  passed("follow laws by kind");
}

void run_sum_terms() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kSumWaves;
  const std::size_t count = std::size_t{blocks} * kThreads;
  // Half of the items are of the lowest level, a quarter of the next, and so on.
  std::vector<unsigned> falling = random_integers(count, 1u << (kLevels - 1), 123);
  std::vector<unsigned> host_groups(count);
  for (std::size_t i = 0; i < count; ++i) {
    unsigned level = 0;
    while (level + 1 < kLevels && (falling[i] >> level & 1) == 0) ++level;
    host_groups[i] = kLeastGroups << level;
    falling[i] = kLevels - 1 - level;
  }
  const std::vector<float> host_arguments = random_floats(count, 124);
  DeviceBuffer<unsigned> groups(host_groups);     // (count)
  DeviceBuffer<float> arguments(host_arguments);  // (count)
  DeviceBuffer<float> sums(count);                // (count)
  sums.clear();
  sum_terms<<<blocks, kThreads>>>(groups.data(), arguments.data(), sums.data());
  finish_launch();
  const std::vector<float> slow = sums.download();
  for (std::size_t i = 0; i < count; i += 1009) {
    expect_close("sum terms", slow[i], sum_groups(host_groups[i], host_arguments[i]), 1e-5, i);
  }
  passed("sum terms");

  DeviceBuffer<unsigned> order(order_by_class(falling, kLevels));  // (count)
  sums.clear();
  sum_terms_by_count<<<blocks, kThreads>>>(order.data(), groups.data(), arguments.data(),
                                           sums.data());
  finish_launch();
  expect_all_close("sum terms by count", sums.download(), slow, 1e-6);
  passed("sum terms by count");
}

}  // namespace

int main() {
  run_follow_laws();
  run_sum_terms();
}
