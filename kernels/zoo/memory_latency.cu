// SPDX-License-Identifier: Apache-2.0
//
// One load in flight per warp. All warps are resident, every access is one full line, and still the
// DRAM bus is mostly idle: each warp asks for its next line only when the last one has come. The
// twins keep several independent lines on their way.
#include "fill.cuh"
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kLanes = 32;
constexpr unsigned kFull = 0xffffffffu;

constexpr unsigned kRecords = 1u << 21;  // of 128 bytes, five times the L2
constexpr unsigned kChains = 4;          // for each warp

// A record is 32 words, one for each lane; the first names the record after it. A warp walks its
// chains one after the other.
// zoo: follow_records plants memory-latency, fixed by follow_records_abreast
__global__ __launch_bounds__(kThreads, kBlocksResident) void follow_records(
    const unsigned* __restrict__ records,  // (kRecords, kLanes)
    const unsigned* __restrict__ starts,   // (warps, kChains)
    unsigned* __restrict__ sums,           // (warps, kChains, kLanes)
    unsigned steps) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
#pragma unroll 1
  for (unsigned chain = warp * kChains; chain < (warp + 1) * kChains; ++chain) {
    unsigned at = starts[chain];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned word = records[at * kLanes + lane];
      at = __shfl_sync(kFull, word, 0);
      sum += word;
    }
    sums[chain * kLanes + lane] = sum;
  }
}

// The chains of a warp side by side.
// zoo: follow_records_abreast fixes follow_records
__global__ __launch_bounds__(kThreads, kBlocksResident) void follow_records_abreast(
    const unsigned* __restrict__ records,  // (kRecords, kLanes)
    const unsigned* __restrict__ starts,   // (warps, kChains)
    unsigned* __restrict__ sums,           // (warps, kChains, kLanes)
    unsigned steps) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
  unsigned at[kChains];
  unsigned sum[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) {
    at[c] = starts[warp * kChains + c];
    sum[c] = 0;
  }
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    unsigned word[kChains];
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) word[c] = records[at[c] * kLanes + lane];
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) {
      at[c] = __shfl_sync(kFull, word[c], 0);
      sum[c] += word[c];
    }
  }
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) sums[(warp * kChains + c) * kLanes + lane] = sum[c];
}

constexpr unsigned kRows = 1u << 21;  // of the table, 128 bytes each
constexpr unsigned kBag = 64;         // rows summed to one result
constexpr unsigned kBagsAWarp = 8;
constexpr unsigned kAhead = 8;  // rows that the twin has on their way

// The sum of the rows that each bag names. The next row's number is not read before this row has
// come.
// zoo: sum_listed_rows plants memory-latency, fixed by sum_listed_rows_ahead
__global__ __launch_bounds__(kThreads, kBlocksResident) void sum_listed_rows(
    const float* __restrict__ table,    // (kRows, kLanes)
    const unsigned* __restrict__ bags,  // (bag_count, kBag): rows of the table
    float* __restrict__ sums,           // (bag_count, kLanes)
    unsigned bag_count) {
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warps = gridDim.x * kThreads / kLanes;
  for (unsigned bag = (blockIdx.x * kThreads + threadIdx.x) / kLanes; bag < bag_count;
       bag += warps) {
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned i = 0; i < kBag; ++i) {
      sum += table[bags[bag * kBag + i] * kLanes + lane];
    }
    sums[bag * kLanes + lane] = sum;
  }
}

// The row numbers come 32 at a time, and the loads of eight rows are sent before the first is used.
// zoo: sum_listed_rows_ahead fixes sum_listed_rows
__global__ __launch_bounds__(kThreads, kBlocksResident) void sum_listed_rows_ahead(
    const float* __restrict__ table,    // (kRows, kLanes)
    const unsigned* __restrict__ bags,  // (bag_count, kBag): rows of the table
    float* __restrict__ sums,           // (bag_count, kLanes)
    unsigned bag_count) {
  static_assert(kBag % kLanes == 0 && kLanes % kAhead == 0, "a bag is read in whole groups");
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warps = gridDim.x * kThreads / kLanes;
  for (unsigned bag = (blockIdx.x * kThreads + threadIdx.x) / kLanes; bag < bag_count;
       bag += warps) {
    float sum = 0.0f;
#pragma unroll 1
    for (unsigned first = 0; first < kBag; first += kLanes) {
      const unsigned mine = bags[bag * kBag + first + lane];
#pragma unroll 1
      for (unsigned i = 0; i < kLanes; i += kAhead) {
        float row[kAhead];
#pragma unroll
        for (unsigned j = 0; j < kAhead; ++j) {
          row[j] = table[__shfl_sync(kFull, mine, i + j) * kLanes + lane];
        }
#pragma unroll
        for (unsigned j = 0; j < kAhead; ++j) sum += row[j];
      }
    }
    sums[bag * kLanes + lane] = sum;
  }
}

namespace {

// A full-period generator: from any record the chain visits every other one before it returns.
unsigned next_record(unsigned record) { return (record * 1664525u + 1013904223u) % kRecords; }

unsigned record_word(unsigned record, unsigned lane) {
  return lane == 0 ? next_record(record) : record * 2654435761u + lane * 2246822519u;
}

void run_follow_records() {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const unsigned chains = blocks * (kThreads / kLanes) * kChains;
  const unsigned steps = kRecords / chains;  // no record is visited twice, so the L2 never helps
  REQUIRE(steps > 0, "there are more chains than records");

  std::vector<unsigned> host_records(std::size_t{kRecords} * kLanes);
  for (unsigned record = 0; record < kRecords; ++record) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      host_records[std::size_t{record} * kLanes + lane] = record_word(record, lane);
    }
  }
  std::vector<unsigned> host_starts(chains);
  unsigned at = 0;
  for (unsigned& start : host_starts) {
    start = at;
    for (unsigned step = 0; step < steps; ++step) at = next_record(at);
  }

  DeviceBuffer<unsigned> records(host_records);  // (kRecords, kLanes)
  DeviceBuffer<unsigned> starts(host_starts);    // (chains)
  DeviceBuffer<unsigned> sums(std::size_t{chains} * kLanes);
  sums.clear();
  follow_records<<<blocks, kThreads>>>(records.data(), starts.data(), sums.data(), steps);
  finish_launch();
  const std::vector<unsigned> slow = sums.download();
  for (unsigned chain = 0; chain < chains; chain += 97) {
    std::vector<unsigned> expected(kLanes);
    unsigned record = host_starts[chain];
    for (unsigned step = 0; step < steps; ++step) {
      for (unsigned lane = 0; lane < kLanes; ++lane) expected[lane] += record_word(record, lane);
      record = next_record(record);
    }
    const auto first = slow.begin() + std::size_t{chain} * kLanes;
    expect_equal("follow records", std::vector<unsigned>(first, first + kLanes), expected);
  }
  passed("follow records");

  sums.clear();
  follow_records_abreast<<<blocks, kThreads>>>(records.data(), starts.data(), sums.data(), steps);
  finish_launch();
  expect_equal("follow records abreast", sums.download(), slow);
  passed("follow records abreast");
}

void run_sum_listed_rows() {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const unsigned bag_count = blocks * (kThreads / kLanes) * kBagsAWarp;
  const std::vector<float> block = random_floats(kPeriod, 21);
  const std::vector<unsigned> host_bags = random_integers(std::size_t{bag_count} * kBag, kRows, 22);

  DeviceBuffer<float> table(std::size_t{kRows} * kLanes);  // (kRows, kLanes)
  fill_repeating(table, block);
  DeviceBuffer<unsigned> bags(host_bags);                     // (bag_count, kBag)
  DeviceBuffer<float> sums(std::size_t{bag_count} * kLanes);  // (bag_count, kLanes)
  sums.clear();
  sum_listed_rows<<<blocks, kThreads>>>(table.data(), bags.data(), sums.data(), bag_count);
  finish_launch();
  const std::vector<float> slow = sums.download();
  for (unsigned bag = 0; bag < bag_count; bag += 1013) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      double expected = 0.0;
      for (unsigned i = 0; i < kBag; ++i) {
        const std::size_t row = host_bags[std::size_t{bag} * kBag + i];
        expected += block[(row * kLanes + lane) % block.size()];
      }
      const std::size_t at = std::size_t{bag} * kLanes + lane;
      expect_close("sum listed rows", slow[at], expected, 1e-5, at);
    }
  }
  passed("sum listed rows");

  sums.clear();
  sum_listed_rows_ahead<<<blocks, kThreads>>>(table.data(), bags.data(), sums.data(), bag_count);
  finish_launch();
  expect_all_close("sum listed rows ahead", sums.download(), slow, 1e-5);
  passed("sum listed rows ahead");
}

}  // namespace

int main() {
  run_follow_records();
  run_sum_listed_rows();
}
