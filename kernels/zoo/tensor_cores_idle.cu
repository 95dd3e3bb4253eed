// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of 16-bit floats that widen every element and multiply on the ordinary pipes.
// Tiled in shared memory and in registers as they should be, they keep those pipes busy, while the
// tensor cores, made for just this, do nothing. The twins have the same tiles and feed them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 2;
constexpr unsigned kTile = 128;     // rows and columns of the result for a block
constexpr unsigned kPack = 8;       // elements in sixteen bytes
constexpr unsigned kShare = 8;      // rows and columns of the result for a thread
constexpr unsigned kSlab = 16;      // of the depth, for the widened tiles
constexpr unsigned kDeepSlab = 32;  // of the depth, for the tensor cores' tiles

// Eight elements as they are loaded; in words, because the compiler would hold each in a register
// of its own.
struct Pack {
  unsigned words[4];
};

template <typename Element>
__device__ inline Pack load_pack(const Element* source) {
  const uint4 words = *reinterpret_cast<const uint4*>(source);
  return {{words.x, words.y, words.z, words.w}};
}

__device__ inline float2 widen_pair(unsigned word, __half) {
  return __half22float2(*reinterpret_cast<const __half2*>(&word));
}
__device__ inline float2 widen_pair(unsigned word, __nv_bfloat16) {
  return make_float2(__uint_as_float(word << 16), __uint_as_float(word & 0xffff0000u));
}

// A slab of a matrix whose rows run along the depth, turned round on its way to shared memory. The
// two halves of the depth are swapped in blocks of 16 columns, so that the lanes that store them
// side by side meet different banks.
struct AlongDepth {
  template <typename Element>
  static __device__ const Element* place(const Element* matrix, unsigned stride) {
    return matrix + threadIdx.x / 2 * stride + threadIdx.x % 2 * kPack;
  }
  static __device__ unsigned step(unsigned) { return kSlab; }
  template <typename Element>
  static __device__ void store(const Pack& pack, float (*slab)[kTile]) {
    const unsigned half = threadIdx.x % 2;
#pragma unroll
    for (unsigned i = 0; i < kPack; i += 2) {
      const float2 pair = widen_pair(pack.words[i / 2], Element());
      slab[half * kPack + i][threadIdx.x / 2 ^ half * 16] = pair.x;
      slab[half * kPack + i + 1][threadIdx.x / 2 ^ half * 16] = pair.y;
    }
  }
  // Where a column of the slab is, at the given depth.
  static __device__ unsigned column(unsigned depth, unsigned column) {
    return column ^ depth / kPack * 16;
  }
};

// A slab of a matrix whose rows run across the depth. The first four of each eight columns go to
// the left half of the slab and the others to the right half, there with blocks of 16 swapped:
// lanes side by side then store, and load, side by side.
struct AcrossDepth {
  template <typename Element>
  static __device__ const Element* place(const Element* matrix, unsigned stride) {
    return matrix + threadIdx.x / 16 * stride + threadIdx.x % 16 * kPack;
  }
  static __device__ unsigned step(unsigned stride) { return kSlab * stride; }
  template <typename Element>
  static __device__ void store(const Pack& pack, float (*slab)[kTile]) {
    float* row = slab[threadIdx.x / 16];
    const unsigned first = threadIdx.x % 16 * kPack;
#pragma unroll
    for (unsigned i = 0; i < kPack; i += 4) {
      const float2 low = widen_pair(pack.words[i / 2], Element());
      const float2 high = widen_pair(pack.words[i / 2 + 1], Element());
      *reinterpret_cast<float4*>(row + column(0, first + i)) =
          make_float4(low.x, low.y, high.x, high.y);
    }
  }
  // For columns that are multiples of four.
  static __device__ unsigned column(unsigned, unsigned column) {
    const unsigned half = column / 4 % 2;
    return half * (kTile / 2) + (column / kPack * 4 ^ half * 16);
  }
};

__device__ inline void load_four(float* target, const float* source) {
  const float4 v = *reinterpret_cast<const float4*>(source);
  target[0] = v.x;
  target[1] = v.y;
  target[2] = v.z;
  target[3] = v.w;
}

// The block's tile of left * right in float, 8 x 8 a thread; the next slab is loaded while this one
// is multiplied. Right: how the right matrix lies; the left one's rows run along the depth.
template <typename Right, typename Element>
__device__ inline void multiply_widened(const Element* __restrict__ left, unsigned left_stride,
                                        const Element* __restrict__ right, unsigned right_stride,
                                        unsigned depth, float (&sums)[kShare][kShare]) {
  __shared__ __align__(16) float left_slab[2][kSlab][kTile];
  __shared__ __align__(16) float right_slab[2][kSlab][kTile];
  const unsigned row = threadIdx.x / 16 * kShare;
  const unsigned column = threadIdx.x % 16 * 4;
  left = AlongDepth::place(left, left_stride);
  right = Right::place(right, right_stride);
  AlongDepth::store<Element>(load_pack(left), left_slab[0]);
  Right::template store<Element>(load_pack(right), right_slab[0]);
  __syncthreads();
  const unsigned slabs = depth / kSlab;
#pragma unroll 1
  for (unsigned slab = 0; slab < slabs; ++slab) {
    const unsigned now = slab % 2;
    const bool more = slab + 1 < slabs;
    Pack next_left;
    Pack next_right;
    if (more) {
      left += AlongDepth::step(left_stride);
      right += Right::step(right_stride);
      next_left = load_pack(left);
      next_right = load_pack(right);
    }
#pragma unroll
    for (unsigned k = 0; k < kSlab; ++k) {
      float a[kShare];
      float b[kShare];
      const float* left_row = left_slab[now][k];
      const float* right_row = right_slab[now][k];
      load_four(a, left_row + AlongDepth::column(k, row));
      load_four(a + 4, left_row + AlongDepth::column(k, row) + 4);
      load_four(b, right_row + Right::column(k, column));
      load_four(b + 4, right_row + Right::column(k, column + kTile / 2));
#pragma unroll
      for (unsigned i = 0; i < kShare; ++i) {
#pragma unroll
        for (unsigned j = 0; j < kShare; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
      }
    }
    if (more) {
      AlongDepth::store<Element>(next_left, left_slab[1 - now]);
      Right::template store<Element>(next_right, right_slab[1 - now]);
    }
    __syncthreads();
  }
}

// Stores that name their width: left to itself the compiler splits some of them.
__device__ inline void write_widened(const float (&sums)[kShare][kShare], float scale,
                                     float* __restrict__ tile, unsigned stride) {
  const unsigned row = threadIdx.x / 16 * kShare;
  const unsigned column = threadIdx.x % 16 * 4;
#pragma unroll
  for (unsigned i = 0; i < kShare; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kShare; j += 4) {
      float* place = &tile[(row + i) * stride + column + j / 4 * (kTile / 2)];
      __stcg(reinterpret_cast<float4*>(place),
             make_float4(scale * sums[i][j], scale * sums[i][j + 1], scale * sums[i][j + 2],
                         scale * sums[i][j + 3]));
    }
  }
}

constexpr unsigned kRowCores = 4;     // 16-row fragments of a warp's 64 x 32 part of the tile
constexpr unsigned kColumnCores = 4;  // 8-column fragments
constexpr unsigned kCoreDepth = 16;
constexpr unsigned kCoreSums = 4;  // of a 16 x 8 fragment, for each lane

// Sixteen bytes from global to shared memory without a register between.
__device__ inline void copy_async(void* target, const void* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(target))),
               "l"(source)
               : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Four 8 x 8 matrices from shared memory, one row for each lane's address.
__device__ inline void load_cores(unsigned (&cores)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(cores[0]), "=r"(cores[1]), "=r"(cores[2]), "=r"(cores[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}
__device__ inline void load_cores_turned(unsigned (&cores)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(cores[0]), "=r"(cores[1]), "=r"(cores[2]), "=r"(cores[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// sums += a * b for 16 x 16 and 16 x 8 elements.
__device__ inline void multiply_cores(float (&sums)[kCoreSums], const unsigned (&a)[4], unsigned b0,
                                      unsigned b1, __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_cores(float (&sums)[kCoreSums], const unsigned (&a)[4], unsigned b0,
                                      unsigned b1, __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Where a warp's part of the tile begins.
__device__ inline unsigned part_row() { return threadIdx.x / 32 / 4 * 64; }
__device__ inline unsigned part_column() { return threadIdx.x / 32 % 4 * 32; }

// The same tile on the tensor cores, each warp 64 x 32 of it; the next slab is copied while this
// one is multiplied. kAcross: the rows of the right matrix run across the depth, not along it. Rows
// in shared memory are longer by a pack, for the banks.
template <bool kAcross, typename Element>
__device__ inline void multiply_fragments(const Element* __restrict__ left, unsigned left_stride,
                                          const Element* __restrict__ right, unsigned right_stride,
                                          unsigned depth,
                                          float (&sums)[kRowCores][kColumnCores][kCoreSums]) {
  constexpr unsigned kLeftRow = kDeepSlab + kPack;
  constexpr unsigned kRightLength = kAcross ? kTile : kDeepSlab;
  constexpr unsigned kRightRow = kRightLength + kPack;
  constexpr unsigned kRightRows = kAcross ? kDeepSlab : kTile;
  constexpr unsigned kLeftPacks = kDeepSlab / kPack;  // of a row
  constexpr unsigned kRightPacks = kRightLength / kPack;
  __shared__ __align__(16) Element left_slab[2][kTile * kLeftRow];
  __shared__ __align__(16) Element right_slab[2][kRightRows * kRightRow];
  const unsigned lane = threadIdx.x % 32;
  const auto copy_slab = [&](unsigned slab, unsigned buffer) {
#pragma unroll
    for (unsigned p = 0; p < kTile * kDeepSlab / kPack / kThreads; ++p) {
      const unsigned i = p * kThreads + threadIdx.x;
      copy_async(&left_slab[buffer][i / kLeftPacks * kLeftRow + i % kLeftPacks * kPack],
                 left + i / kLeftPacks * left_stride + slab * kDeepSlab + i % kLeftPacks * kPack);
      copy_async(&right_slab[buffer][i / kRightPacks * kRightRow + i % kRightPacks * kPack],
                 right + i / kRightPacks * right_stride +
                     slab * kDeepSlab * (kAcross ? right_stride : 1) + i % kRightPacks * kPack);
    }
  };
  copy_slab(0, 0);
  wait_for_copies();
  __syncthreads();
  const unsigned slabs = depth / kDeepSlab;
#pragma unroll 1
  for (unsigned slab = 0; slab < slabs; ++slab) {
    const unsigned now = slab % 2;
    if (slab + 1 < slabs) copy_slab(slab + 1, 1 - now);
#pragma unroll
    for (unsigned k = 0; k < kDeepSlab; k += kCoreDepth) {
      unsigned a[kRowCores][4];
#pragma unroll
      for (unsigned i = 0; i < kRowCores; ++i) {
        // Rows 0 to 15 at this depth, then again eight deeper.
        load_cores(
            a[i],
            &left_slab[now][(part_row() + i * 16 + lane % 16) * kLeftRow + k + lane / 16 * 8]);
      }
#pragma unroll
      for (unsigned j = 0; j < kColumnCores; j += 2) {
        unsigned b[4];  // two fragments of eight columns, each the upper and the lower depth
        if constexpr (kAcross) {
          load_cores_turned(b, &right_slab[now][(k + lane % 16) * kRightRow + part_column() +
                                                j * 8 + lane / 16 * 8]);
        } else {
          load_cores(
              b, &right_slab[now][(part_column() + j * 8 + lane / 16 * 8 + lane % 8) * kRightRow +
                                  k + lane / 8 % 2 * 8]);
        }
#pragma unroll
        for (unsigned i = 0; i < kRowCores; ++i) {
          multiply_cores(sums[i][j], a[i], b[0], b[1], Element());
          multiply_cores(sums[i][j + 1], a[i], b[2], b[3], Element());
        }
      }
    }
    wait_for_copies();
    __syncthreads();
  }
}

__device__ inline void write_fragments(const float (&sums)[kRowCores][kColumnCores][kCoreSums],
                                       float scale, float* __restrict__ tile, unsigned stride) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = part_row() + lane / 4;
  const unsigned column = part_column() + lane % 4 * 2;
#pragma unroll
  for (unsigned i = 0; i < kRowCores; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kColumnCores; ++j) {
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        float* place = &tile[(row + i * 16 + half * 8) * stride + column + j * 8];
        __stcg(reinterpret_cast<float2*>(place),
               make_float2(scale * sums[i][j][2 * half], scale * sums[i][j][2 * half + 1]));
      }
    }
  }
}

// A layer's product of activations and weights in half precision. Grid: columns, rows of tiles.
// zoo: apply_weights plants tensor-cores-idle, fixed by apply_weights_fragments
__global__ __launch_bounds__(kThreads, kBlocksResident) void apply_weights(
    const __half* __restrict__ inputs,   // (rows, depth)
    const __half* __restrict__ weights,  // (depth, columns)
    float* __restrict__ outputs,         // (rows, columns)
    unsigned depth, unsigned columns) {
  const unsigned row = blockIdx.y * kTile;
  const unsigned column = blockIdx.x * kTile;
  float sums[kShare][kShare] = {};
  multiply_widened<AcrossDepth>(inputs + row * depth, depth, weights + column, columns, depth,
                                sums);
  write_widened(sums, 1.0f, outputs + row * columns + column, columns);
}

// zoo: apply_weights_fragments fixes apply_weights
__global__ __launch_bounds__(kThreads, kBlocksResident) void apply_weights_fragments(
    const __half* __restrict__ inputs,   // (rows, depth)
    const __half* __restrict__ weights,  // (depth, columns)
    float* __restrict__ outputs,         // (rows, columns)
    unsigned depth, unsigned columns) {
  const unsigned row = blockIdx.y * kTile;
  const unsigned column = blockIdx.x * kTile;
  float sums[kRowCores][kColumnCores][kCoreSums] = {};
  multiply_fragments<true>(inputs + row * depth, depth, weights + column, columns, depth, sums);
  write_fragments(sums, 1.0f, outputs + row * columns + column, columns);
}

constexpr unsigned kLength = 1024;  // of a sequence
constexpr unsigned kHeadDepth = 128;
constexpr float kHeadScale = 0.0883883476f;  // 1 / sqrt(kHeadDepth)

// The scores of each query for each key, for every head, in bfloat16. Grid: keys, queries, heads.
// zoo: score_keys plants tensor-cores-idle, fixed by score_keys_fragments
__global__ __launch_bounds__(kThreads, kBlocksResident) void score_keys(
    const __nv_bfloat16* __restrict__ queries,  // (heads, kLength, kHeadDepth)
    const __nv_bfloat16* __restrict__ keys,     // (heads, kLength, kHeadDepth)
    float* __restrict__ scores) {               // (heads, kLength, kLength)
  const unsigned query = blockIdx.z * kLength + blockIdx.y * kTile;
  const unsigned key = blockIdx.z * kLength + blockIdx.x * kTile;
  float sums[kShare][kShare] = {};
  multiply_widened<AlongDepth>(queries + query * kHeadDepth, kHeadDepth, keys + key * kHeadDepth,
                               kHeadDepth, kHeadDepth, sums);
  write_widened(sums, kHeadScale, scores + std::size_t{query} * kLength + blockIdx.x * kTile,
                kLength);
}

// zoo: score_keys_fragments fixes score_keys
__global__ __launch_bounds__(kThreads, kBlocksResident) void score_keys_fragments(
    const __nv_bfloat16* __restrict__ queries,  // (heads, kLength, kHeadDepth)
    const __nv_bfloat16* __restrict__ keys,     // (heads, kLength, kHeadDepth)
    float* __restrict__ scores) {               // (heads, kLength, kLength)
  const unsigned query = blockIdx.z * kLength + blockIdx.y * kTile;
  const unsigned key = blockIdx.z * kLength + blockIdx.x * kTile;
  float sums[kRowCores][kColumnCores][kCoreSums] = {};
  multiply_fragments<false>(queries + query * kHeadDepth, kHeadDepth, keys + key * kHeadDepth,
                            kHeadDepth, kHeadDepth, sums);
  write_fragments(sums, kHeadScale, scores + std::size_t{query} * kLength + blockIdx.x * kTile,
                  kLength);
}

namespace {

float widen(__half value) { return __half2float(value); }
float widen(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename Element>
std::vector<Element> random_elements(std::size_t count, unsigned seed) {
  const std::vector<float> values = random_floats(count, seed);
  std::vector<Element> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = Element(values[i]);
  return elements;
}

void run_apply_weights() {
  constexpr unsigned kRows = 2048;
  constexpr unsigned kDepth = 1024;
  const unsigned columns = multiprocessors() / 4 * kTile;  // two full waves on 132 multiprocessors
  const std::vector<__half> host_inputs = random_elements<__half>(kRows * kDepth, 141);
  const std::vector<__half> host_weights = random_elements<__half>(kDepth * columns, 142);
  DeviceBuffer<__half> inputs(host_inputs);                   // (kRows, kDepth)
  DeviceBuffer<__half> weights(host_weights);                 // (kDepth, columns)
  DeviceBuffer<float> outputs(std::size_t{kRows} * columns);  // (kRows, columns)
  const dim3 grid(columns / kTile, kRows / kTile);
  outputs.clear();
  apply_weights<<<grid, kThreads>>>(inputs.data(), weights.data(), outputs.data(), kDepth, columns);
  finish_launch();
  const std::vector<float> slow = outputs.download();
  for (std::size_t i = 0; i < slow.size(); i += 9973) {
    double expected = 0.0;
    for (unsigned k = 0; k < kDepth; ++k) {
      expected += double{widen(host_inputs[i / columns * kDepth + k])} *
                  widen(host_weights[std::size_t{k} * columns + i % columns]);
    }
    expect_close("apply weights", slow[i], expected, 1e-4, i);
  }
  passed("apply weights");

  outputs.clear();
  apply_weights_fragments<<<grid, kThreads>>>(inputs.data(), weights.data(), outputs.data(), kDepth,
                                              columns);
  finish_launch();
  expect_all_close("apply weights fragments", outputs.download(), slow, 1e-3);
  passed("apply weights fragments");
}

void run_score_keys() {
  const unsigned heads = multiprocessors() / 4;  // eight full waves on 132 multiprocessors
  const std::size_t count = std::size_t{heads} * kLength * kHeadDepth;
  const std::vector<__nv_bfloat16> host_queries = random_elements<__nv_bfloat16>(count, 143);
  const std::vector<__nv_bfloat16> host_keys = random_elements<__nv_bfloat16>(count, 144);
  DeviceBuffer<__nv_bfloat16> queries(host_queries);  // (heads, kLength, kHeadDepth)
  DeviceBuffer<__nv_bfloat16> keys(host_keys);        // (heads, kLength, kHeadDepth)
  DeviceBuffer<float> scores(std::size_t{heads} * kLength * kLength);  // (heads, kLength, kLength)
  const dim3 grid(kLength / kTile, kLength / kTile, heads);
  scores.clear();
  score_keys<<<grid, kThreads>>>(queries.data(), keys.data(), scores.data());
  finish_launch();
  const std::vector<float> slow = scores.download();
  for (std::size_t i = 0; i < slow.size(); i += 99991) {
    const std::size_t query = i / kLength;
    const std::size_t key = query / kLength * kLength + i % kLength;
    double expected = 0.0;
    for (unsigned k = 0; k < kHeadDepth; ++k) {
      expected += double{widen(host_queries[query * kHeadDepth + k])} *
                  widen(host_keys[key * kHeadDepth + k]);
    }
    expect_close("score keys", slow[i], kHeadScale * expected, 1e-4, i);
  }
  passed("score keys");

  scores.clear();
  score_keys_fragments<<<grid, kThreads>>>(queries.data(), keys.data(), scores.data());
  finish_launch();
  expect_all_close("score keys fragments", scores.download(), slow, 1e-3);
  passed("score keys fragments");
}

}  // namespace

int main() {
  run_apply_weights();
  run_score_keys();
}
