// SPDX-License-Identifier: Apache-2.0
//
// Attention of one head in FP32, softmax(Q K^T / 8) V with 64 numbers a head: a thread for a query
// that reads all keys and values from global memory, the same from tiles in shared memory, and a
// block for 128 queries, in which a thread owns 8 x 4 scores and then 8 x 4 results.
#include "../zoo/fill.cuh"
#include "../zoo/resident.cuh"

constexpr unsigned kHead = 64;
constexpr unsigned kVectors = kHead / 4;
constexpr unsigned kQueries = 132 * 768;
constexpr unsigned kKeys = 384;
constexpr unsigned kThreads = 128;  // of the first two steps
constexpr float kScale = 0.125f;    // one over the root of kHead
constexpr double kTolerance = 1e-4;

// A query with what it has gathered so far.
struct Gathered {
  float4 query[kVectors];
  float4 sums[kVectors];
  float largest;
  float total;
};

__device__ __forceinline__ void start(Gathered& own, const float4* __restrict__ query) {
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    own.query[i] = query[i];
    own.sums[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  own.largest = -INFINITY;
  own.total = 0.0f;
}

__device__ __forceinline__ void attend(Gathered& own, const float4* key, const float4* value) {
  float4 products = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    const float4 k = key[i];
    products.x += own.query[i].x * k.x;
    products.y += own.query[i].y * k.y;
    products.z += own.query[i].z * k.z;
    products.w += own.query[i].w * k.w;
  }
  const float score = ((products.x + products.y) + (products.z + products.w)) * kScale;
  const float largest = fmaxf(own.largest, score);
  const float keep = __expf(own.largest - largest);
  const float weight = __expf(score - largest);
  own.largest = largest;
  own.total = own.total * keep + weight;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    const float4 v = value[i];
    own.sums[i].x = own.sums[i].x * keep + weight * v.x;
    own.sums[i].y = own.sums[i].y * keep + weight * v.y;
    own.sums[i].z = own.sums[i].z * keep + weight * v.z;
    own.sums[i].w = own.sums[i].w * keep + weight * v.w;
  }
}

__device__ __forceinline__ void finish(const Gathered& own, float4* __restrict__ result) {
  const float scale = 1.0f / own.total;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    result[i] = make_float4(own.sums[i].x * scale, own.sums[i].y * scale, own.sums[i].z * scale,
                            own.sums[i].w * scale);
  }
}

// All lanes read the same 16 bytes, 32 times for a key: a load serves four to eight operations of a
// lane, and the twelve warps that 128 numbers a thread leave room for wait for it.
// ladder: attention step 1: attend_global is held by memory-latency or l1-bandwidth
__global__ __launch_bounds__(kThreads) void attend_global(
    const float4* __restrict__ queries,  // (kQueries, kVectors)
    const float4* __restrict__ keys,     // (kKeys, kVectors)
    const float4* __restrict__ values,   // (kKeys, kVectors)
    float4* __restrict__ results) {      // (kQueries, kVectors)
  const unsigned query = blockIdx.x * kThreads + threadIdx.x;
  Gathered own;
  start(own, queries + query * kVectors);
  for (unsigned key = 0; key < kKeys; ++key) {
    attend(own, keys + key * kVectors, values + key * kVectors);
  }
  finish(own, results + query * kVectors);
}

constexpr unsigned kTileKeys = 32;

// The loads are quicker, but as many: 32 of 16 bytes take the shared memory 64 cycles a warp and
// key, and all of its 250 instructions take the schedulers as long.
// ladder: attention step 2: attend_shared is held by shared-bandwidth or issue-slots
__global__ __launch_bounds__(kThreads) void attend_shared(
    const float4* __restrict__ queries,  // (kQueries, kVectors)
    const float4* __restrict__ keys,     // (kKeys, kVectors)
    const float4* __restrict__ values,   // (kKeys, kVectors)
    float4* __restrict__ results) {      // (kQueries, kVectors)
  __shared__ float4 key_tile[kTileKeys][kVectors];
  __shared__ float4 value_tile[kTileKeys][kVectors];
  const unsigned query = blockIdx.x * kThreads + threadIdx.x;
  Gathered own;
  start(own, queries + query * kVectors);
  for (unsigned base = 0; base < kKeys; base += kTileKeys) {
    for (unsigned i = threadIdx.x; i < kTileKeys * kVectors; i += kThreads) {
      key_tile[i / kVectors][i % kVectors] = keys[base * kVectors + i];
      value_tile[i / kVectors][i % kVectors] = values[base * kVectors + i];
    }
    __syncthreads();
    for (unsigned key = 0; key < kTileKeys; ++key) attend(own, key_tile[key], value_tile[key]);
    __syncthreads();
  }
  finish(own, results + query * kVectors);
}

constexpr unsigned kTiledThreads = 256;
constexpr unsigned kBlockQueries = 128;
constexpr unsigned kBlockKeys = 64;
constexpr unsigned kAcross = 16;  // threads along a row of scores or results
constexpr unsigned kOwnRows = 8;
constexpr unsigned kOwnColumns = 4;
constexpr unsigned kPadding = 4;  // numbers, so that rows of 16-byte vectors stay aligned

// What a block keeps in shared memory. The operands lie so that a thread reads its rows and its
// columns as vectors.
struct Shared {
  float queries[kHead][kBlockQueries + kPadding];       // (head, queries)
  float keys[kHead][kBlockKeys + kPadding];             // (head, keys)
  float values[kBlockKeys][kHead];                      // (keys, head)
  float weights[kBlockKeys][kBlockQueries + kPadding];  // (keys, queries)
};

// sums += the products of a column of the left and a row of the right operand, for depth of them.
template <unsigned kLeft, unsigned kRight, unsigned kDepth>
__device__ __forceinline__ void add_products(const float (&left)[kDepth][kLeft],
                                             const float (&right)[kDepth][kRight], unsigned row,
                                             unsigned column,
                                             float (&sums)[kOwnRows][kOwnColumns]) {
#pragma unroll 8
  for (unsigned d = 0; d < kDepth; ++d) {
    float a[kOwnRows];
    float b[kOwnColumns];
#pragma unroll
    for (unsigned i = 0; i < kOwnRows; ++i) a[i] = left[d][row + i];
#pragma unroll
    for (unsigned i = 0; i < kOwnColumns; ++i) b[i] = right[d][column + i];
#pragma unroll
    for (unsigned r = 0; r < kOwnRows; ++r) {
#pragma unroll
      for (unsigned s = 0; s < kOwnColumns; ++s) sums[r][s] += a[r] * b[s];
    }
  }
}

// Three loads of 16 bytes, about six wavefronts, for 32 operations of a lane, eight cycles of the
// FMA pipe.
// ladder: attention step 3: attend_tiled is held by fma-pipe or shared-bandwidth
__global__ __launch_bounds__(kTiledThreads, 2) void attend_tiled(
    const float* __restrict__ queries,  // (kQueries, kHead)
    const float* __restrict__ keys,     // (kKeys, kHead)
    const float* __restrict__ values,   // (kKeys, kHead)
    float* __restrict__ results) {      // (kQueries, kHead)
  extern __shared__ __align__(16) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const unsigned first = blockIdx.x * kBlockQueries;
  const unsigned row = threadIdx.x / kAcross * kOwnRows;
  const unsigned column = threadIdx.x % kAcross * kOwnColumns;
  for (unsigned i = threadIdx.x; i < kBlockQueries * kHead; i += kTiledThreads) {
    shared.queries[i % kHead][i / kHead] = queries[first * kHead + i];
  }
  float sums[kOwnRows][kOwnColumns] = {};  // (queries, head)
  float largest[kOwnRows];
  float total[kOwnRows];
#pragma unroll
  for (unsigned r = 0; r < kOwnRows; ++r) {
    largest[r] = -INFINITY;
    total[r] = 0.0f;
  }

  for (unsigned base = 0; base < kKeys; base += kBlockKeys) {
    for (unsigned i = threadIdx.x; i < kBlockKeys * kHead; i += kTiledThreads) {
      shared.keys[i % kHead][i / kHead] = keys[base * kHead + i];
      shared.values[i / kHead][i % kHead] = values[base * kHead + i];
    }
    __syncthreads();
    float scores[kOwnRows][kOwnColumns] = {};  // (queries, keys)
    add_products(shared.queries, shared.keys, row, column, scores);
#pragma unroll
    for (unsigned r = 0; r < kOwnRows; ++r) {
      float highest = largest[r];
#pragma unroll
      for (unsigned s = 0; s < kOwnColumns; ++s) {
        scores[r][s] *= kScale;
        highest = fmaxf(highest, scores[r][s]);
      }
      // The sixteen threads of a row are a half warp.
#pragma unroll
      for (unsigned offset = kAcross / 2; offset > 0; offset /= 2) {
        highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, offset));
      }
      const float keep = __expf(largest[r] - highest);
      largest[r] = highest;
      float weight = 0.0f;
#pragma unroll
      for (unsigned s = 0; s < kOwnColumns; ++s) {
        scores[r][s] = __expf(scores[r][s] - highest);
        weight += scores[r][s];
        sums[r][s] *= keep;
      }
#pragma unroll
      for (unsigned offset = kAcross / 2; offset > 0; offset /= 2) {
        weight += __shfl_xor_sync(0xffffffffu, weight, offset);
      }
      total[r] = total[r] * keep + weight;
    }
#pragma unroll
    for (unsigned s = 0; s < kOwnColumns; ++s) {
#pragma unroll
      for (unsigned r = 0; r < kOwnRows; ++r) shared.weights[column + s][row + r] = scores[r][s];
    }
    __syncthreads();
    add_products(shared.weights, shared.values, row, column, sums);
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < kOwnRows; ++r) {
    const float scale = 1.0f / total[r];
    *reinterpret_cast<float4*>(results + (first + row + r) * kHead + column) =
        make_float4(sums[r][0] * scale, sums[r][1] * scale, sums[r][2] * scale, sums[r][3] * scale);
  }
}

namespace {

static_assert(kQueries % kThreads == 0 && kQueries % kBlockQueries == 0 && kKeys % kTileKeys == 0 &&
                  kKeys % kBlockKeys == 0,
              "the kernels have no edge handling");
static_assert(kAcross * kOwnColumns == kBlockKeys && kAcross * kOwnColumns == kHead &&
                  kTiledThreads / kAcross * kOwnRows == kBlockQueries,
              "the same threads cover scores and results");

struct Data {
  std::vector<float> block = random_floats(kPeriod, 116);  // queries, repeated
  std::vector<float> host_keys = random_floats(std::size_t{kKeys} * kHead, 117);
  std::vector<float> host_values = random_floats(std::size_t{kKeys} * kHead, 118);
  DeviceBuffer<float> queries{std::size_t{kQueries} * kHead};  // (kQueries, kHead)
  DeviceBuffer<float> results{std::size_t{kQueries} * kHead};  // (kQueries, kHead)
  DeviceBuffer<float> keys{host_keys};                         // (kKeys, kHead)
  DeviceBuffer<float> values{host_values};                     // (kKeys, kHead)
};

void check(const char* name, const Data& data) {
  finish_launch();
  const std::vector<float> actual = data.results.download();
  std::vector<double> weights(kKeys);
  for (std::size_t query = 0; query < kQueries; query += 401) {
    double total = 0.0;
    for (std::size_t key = 0; key < kKeys; ++key) {
      double score = 0.0;
      for (std::size_t i = 0; i < kHead; ++i) {
        score += static_cast<double>(data.block[(query * kHead + i) % kPeriod]) *
                 data.host_keys[key * kHead + i];
      }
      weights[key] = std::exp(score * kScale);
      total += weights[key];
    }
    for (std::size_t i = 0; i < kHead; ++i) {
      double sum = 0.0;
      for (std::size_t key = 0; key < kKeys; ++key) {
        sum += weights[key] * data.host_values[key * kHead + i];
      }
      expect_close(name, actual[query * kHead + i], sum / total, kTolerance, query * kHead + i);
    }
  }
  passed(name);
}

const float4* vectors(const DeviceBuffer<float>& buffer) {
  return reinterpret_cast<const float4*>(buffer.data());
}

}  // namespace

int main() {
  Data data;
  // Large enough that the softmax prefers some keys.
  for (float& value : data.block) value *= 8.0f;
  fill_repeating(data.queries, data.block);
  float4* results = reinterpret_cast<float4*>(data.results.data());
  data.results.clear();
  attend_global<<<kQueries / kThreads, kThreads>>>(vectors(data.queries), vectors(data.keys),
                                                   vectors(data.values), results);
  check("attention from global memory", data);
  data.results.clear();
  attend_shared<<<kQueries / kThreads, kThreads>>>(vectors(data.queries), vectors(data.keys),
                                                   vectors(data.values), results);
  check("attention from shared tiles", data);
  data.results.clear();
  allow_shared(attend_tiled, sizeof(Shared));
  attend_tiled<<<kQueries / kBlockQueries, kTiledThreads, sizeof(Shared)>>>(
      data.queries.data(), data.keys.data(), data.values.data(), data.results.data());
  check("attention in register tiles", data);
}
