// SPDX-License-Identifier: Apache-2.0
//
// Two ways to lay out data. Values scattered over the memory: in linked lists, whose next place is
// known when this node has come, and by a table of indices, which has them all beforehand. And
// records of 24 bytes, read whole by neighbouring threads, against an array for each member.
#include <numeric>

#include "../zoo/fill.cuh"

constexpr unsigned kListThreads = 64;            // a block, one on each multiprocessor
constexpr unsigned kLists = 132 * kListThreads;  // one a thread
constexpr unsigned kLength = 496;
constexpr unsigned kNodes = 1u << 22;  // 134 MB, more than twice the L2
constexpr double kTolerance = 1e-4;
static_assert(kLists * kLength <= kNodes, "no node is in two lists");

struct __align__(32) Node {
  unsigned next;
  float value;
  float more[6];
};

// Two warps a multiprocessor, and one load a thread under way: the memory answers, and waits.
// ladder: gather step 1: gather_lists is held by memory-latency or small-grid, lifted by gather_indices
__global__ __launch_bounds__(kListThreads) void gather_lists(
    const Node* __restrict__ nodes,       // (kNodes)
    const unsigned* __restrict__ firsts,  // (kLists)
    float* __restrict__ sums) {           // (kLists)
  const unsigned list = blockIdx.x * kListThreads + threadIdx.x;
  unsigned node = firsts[list];
  float sum = 0.0f;
  for (unsigned i = 0; i < kLength; ++i) {
    const uint2 both = *reinterpret_cast<const uint2*>(&nodes[node]);
    sum += __uint_as_float(both.y);
    node = both.x;
  }
  sums[list] = sum;
}

// Sixteen loads under way, each of them a sector for four bytes, which no order of the lanes can
// help: still few warps, but the scattered sectors begin to fill the memory.
// ladder: gather step 2: gather_indices is held by uncoalesced-global or memory-latency
__global__ __launch_bounds__(kListThreads) void gather_indices(
    const Node* __restrict__ nodes,        // (kNodes)
    const unsigned* __restrict__ indices,  // (kLength, kLists)
    float* __restrict__ sums) {            // (kLists)
  const unsigned list = blockIdx.x * kListThreads + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 16
  for (unsigned i = 0; i < kLength; ++i) sum += nodes[indices[i * kLists + list]].value;
  sums[list] = sum;
}

constexpr unsigned kThreads = 256;
constexpr unsigned kBodies = 132 * 2048 * 32;

struct Body {
  float x, y, z;
  float vx, vy, vz;
};
static_assert(sizeof(Body) == 24, "six loads of four bytes, none of them wider");

__host__ __device__ inline float spin_of(float x, float y, float z, float vx, float vy, float vz) {
  return (x * vy - y * vx) + (y * vz - z * vy) + (z * vx - x * vz);
}

// Each of six loads touches the 24 sectors of the warp's records; the first brings them to L1,
// where the others find them. The memory moves every byte once.
// ladder: gather step 3: spin_records is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void spin_records(
    const Body* __restrict__ bodies,  // (count)
    float* __restrict__ spins,        // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const Body body = bodies[i];
  spins[i] = spin_of(body.x, body.y, body.z, body.vx, body.vy, body.vz);
}

// The same bytes, packed.
// ladder: gather step 4: spin_arrays is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void spin_arrays(
    const float* __restrict__ members,  // (6, count)
    float* __restrict__ spins,          // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  spins[i] = spin_of(members[i], members[i + count], members[i + 2 * count], members[i + 3 * count],
                     members[i + 4 * count], members[i + 5 * count]);
}

namespace {

void run_lists() {
  std::vector<unsigned> order(kNodes);  // (kLists, kLength) and a rest
  std::iota(order.begin(), order.end(), 0u);
  const std::vector<unsigned> drawn = random_integers(kNodes, 1u << 31, 127);
  for (unsigned i = kNodes - 1; i > 0; --i) std::swap(order[i], order[drawn[i] % (i + 1)]);
  const std::vector<float> values = random_floats(kNodes, 128);
  std::vector<Node> nodes(kNodes);
  std::vector<unsigned> firsts(kLists);
  std::vector<unsigned> indices(std::size_t{kLists} * kLength);  // (kLength, kLists)
  std::vector<double> expected(kLists);
  for (unsigned list = 0; list < kLists; ++list) {
    const unsigned* own = &order[std::size_t{list} * kLength];
    firsts[list] = own[0];
    for (unsigned i = 0; i < kLength; ++i) {
      nodes[own[i]] = Node{own[(i + 1) % kLength], values[own[i]], {}};
      indices[std::size_t{i} * kLists + list] = own[i];
      expected[list] += values[own[i]];
    }
  }
  const DeviceBuffer<Node> device_nodes(nodes);
  const DeviceBuffer<unsigned> device_firsts(firsts);
  const DeviceBuffer<unsigned> device_indices(indices);
  DeviceBuffer<float> sums(kLists);
  const auto check = [&](const char* name) {
    finish_launch();
    const std::vector<float> actual = sums.download();
    for (std::size_t i = 0; i < kLists; ++i) {
      expect_close(name, actual[i], expected[i], kTolerance, i);
    }
    passed(name);
  };
  sums.clear();
  gather_lists<<<kLists / kListThreads, kListThreads>>>(device_nodes.data(), device_firsts.data(),
                                                        sums.data());
  check("gather along lists");
  sums.clear();
  gather_indices<<<kLists / kListThreads, kListThreads>>>(device_nodes.data(),
                                                          device_indices.data(), sums.data());
  check("gather by indices");
}

// The records repeat, and so do the arrays: member m of record i is block[(6 i + m) % (6 period)].
void run_records() {
  constexpr std::size_t kRecords = 160'000;
  const std::vector<float> drawn = random_floats(6 * kRecords, 129);
  std::vector<Body> block(kRecords);
  for (std::size_t i = 0; i < kRecords; ++i) {
    const float* d = &drawn[6 * i];
    block[i] = Body{d[0], d[1], d[2], d[3], d[4], d[5]};
  }
  DeviceBuffer<Body> bodies(kBodies);
  fill_repeating(bodies, block);
  std::vector<float> arrays(std::size_t{6} * kBodies);  // (6, kBodies)
  for (std::size_t member = 0; member < 6; ++member) {
    float* array = &arrays[member * kBodies];
    for (std::size_t i = 0; i < kBodies; ++i) array[i] = drawn[6 * (i % kRecords) + member];
  }
  const DeviceBuffer<float> members(arrays);  // (6, kBodies)
  DeviceBuffer<float> spins(kBodies);
  const auto check = [&](const char* name) {
    finish_launch();
    const std::vector<float> actual = spins.download();
    for (std::size_t i = 0; i < kBodies; i += 7) {
      const Body& b = block[i % kRecords];
      expect_close(name, actual[i], spin_of(b.x, b.y, b.z, b.vx, b.vy, b.vz), kTolerance, i);
    }
    passed(name);
  };
  spins.clear();
  spin_records<<<kBodies / kThreads, kThreads>>>(bodies.data(), spins.data(), kBodies);
  check("spin of records");
  spins.clear();
  spin_arrays<<<kBodies / kThreads, kThreads>>>(members.data(), spins.data(), kBodies);
  check("spin of arrays");
}

}  // namespace

int main() {
  run_lists();
  run_records();
}
