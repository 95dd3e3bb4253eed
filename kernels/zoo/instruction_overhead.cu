// SPDX-License-Identifier: Apache-2.0
//
// Instructions that prepare the work and outnumber it. In the first guise the tensor cores wait for
// weights of four bits, which are cut out, shifted to their zero, converted, scaled and packed one
// by one; the twin makes two of them at a time by writing their bits into the mantissas of a known
// number. In the second guise each element of a stream costs three divisions of 64 bits for the
// place of its partner; the twin has a block for each piece of a row and adds a stride.
#include <cuda_fp16.h>

#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;

constexpr unsigned kScoreResident = 2;  // blocks on a multiprocessor, as their registers allow
constexpr unsigned kScoreWaves = 26;
constexpr unsigned kDepth = 256;     // elements of a row and of a code
constexpr unsigned kCodes = 512;     // of the codebook
constexpr unsigned kRows = 32;       // of a block
constexpr unsigned kPack = 8;        // halves in sixteen bytes
constexpr unsigned kCoreDepth = 16;  // of a matrix instruction
constexpr unsigned kCoreRows = 16;
constexpr unsigned kCoreCodes = 8;
constexpr unsigned kRowCores = kRows / kCoreRows;
constexpr unsigned kCodeCores = kCodes / kWarps / kCoreCodes;  // of a warp
constexpr unsigned kCoreSums = 4;                              // of a 16 x 8 result, for each lane
constexpr unsigned kCoreSteps = kDepth / kCoreDepth;
constexpr unsigned kZero = 8;  // what a weight of zero is stored as
static_assert(kCodeCores == 8, "a lane's weights for one step fill sixteen bytes");

// Rows in shared memory are longer by a pack, for the banks.
constexpr unsigned kPitch = kDepth + kPack;

__device__ inline void load_rows(const __half* __restrict__ rows, __half* tile) {
  constexpr unsigned kPacks = kDepth / kPack;  // of a row
#pragma unroll
  for (unsigned i = threadIdx.x; i < kRows * kPacks; i += kThreads) {
    *reinterpret_cast<uint4*>(tile + i / kPacks * kPitch + i % kPacks * kPack) =
        *reinterpret_cast<const uint4*>(rows + i * kPack);
  }
  __syncthreads();
}

// Four 8 x 8 matrices from shared memory, one row for each lane's address.
__device__ inline void load_cores(unsigned (&cores)[4], const __half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(cores[0]), "=r"(cores[1]), "=r"(cores[2]), "=r"(cores[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// sums += a * b for 16 x 16 and 16 x 8 elements.
__device__ inline void multiply_cores(float (&sums)[kCoreSums], const unsigned (&a)[4], unsigned b0,
                                      unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The warp's sums of the block's rows with its codes. decode(word, pair, halves) turns eight
// weights into the four operand registers of the codes' cores 2 * pair and 2 * pair + 1.
template <typename Decode>
__device__ inline void multiply_codes(const __half* tile, const uint4* __restrict__ weights,
                                      Decode decode,
                                      float (&sums)[kRowCores][kCodeCores][kCoreSums]) {
  const unsigned lane = threadIdx.x % kLanes;
  weights += threadIdx.x;
  uint4 next = *weights;
#pragma unroll 1
  for (unsigned step = 0; step < kCoreSteps; ++step) {
    const unsigned words[kCodeCores / 2] = {next.x, next.y, next.z, next.w};
    if (step + 1 < kCoreSteps) next = weights[(step + 1) * kThreads];
    unsigned a[kRowCores][4];
#pragma unroll
    for (unsigned i = 0; i < kRowCores; ++i) {
      // Rows 0 to 15 at this depth, then again eight deeper.
      load_cores(a[i],
                 tile + (i * kCoreRows + lane % 16) * kPitch + step * kCoreDepth + lane / 16 * 8);
    }
#pragma unroll
    for (unsigned pair = 0; pair < kCodeCores / 2; ++pair) {
      unsigned b[4];
      decode(words[pair], pair, b);
#pragma unroll
      for (unsigned i = 0; i < kRowCores; ++i) {
        multiply_cores(sums[i][2 * pair], a[i], b[0], b[1]);
        multiply_cores(sums[i][2 * pair + 1], a[i], b[2], b[3]);
      }
    }
  }
}

// The best score of each row over all codes of the block.
__device__ inline void write_best(const float (&sums)[kRowCores][kCodeCores][kCoreSums],
                                  float* __restrict__ best) {
  __shared__ float of_warps[kWarps][kRows];
  const unsigned lane = threadIdx.x % kLanes;
#pragma unroll
  for (unsigned i = 0; i < kRowCores; ++i) {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      float score = sums[i][0][2 * half];
#pragma unroll
      for (unsigned j = 0; j < kCodeCores; ++j) {
        score = fmaxf(score, fmaxf(sums[i][j][2 * half], sums[i][j][2 * half + 1]));
      }
      score = fmaxf(score, __shfl_xor_sync(0xffffffffu, score, 1));
      score = fmaxf(score, __shfl_xor_sync(0xffffffffu, score, 2));
      if (lane % 4 == 0) {
        of_warps[threadIdx.x / kLanes][i * kCoreRows + half * 8 + lane / 4] = score;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < kRows) {
    float score = of_warps[0][threadIdx.x];
#pragma unroll
    for (unsigned warp = 1; warp < kWarps; ++warp) {
      score = fmaxf(score, of_warps[warp][threadIdx.x]);
    }
    best[threadIdx.x] = score;
  }
}

__device__ inline unsigned as_word(__half2 pair) {
  return *reinterpret_cast<const unsigned*>(&pair);
}
__device__ inline __half2 as_pair(unsigned word) {
  return *reinterpret_cast<const __half2*>(&word);
}

// One weight: cut out, moved to its zero, converted, scaled.
__device__ inline float decode_weight(unsigned word, unsigned which, float scale) {
  return static_cast<float>(static_cast<int>(word >> (4 * which) & 15u) - static_cast<int>(kZero)) *
         scale;
}

// zoo: best_codes plants instruction-overhead, fixed by best_codes_packed
__global__ __launch_bounds__(kThreads, kScoreResident) void best_codes(
    const __half* __restrict__ rows,    // (blocks * kRows, kDepth)
    const uint4* __restrict__ weights,  // (kCoreSteps, kWarps, kLanes), as pack_weights lays them
    const float* __restrict__ scales,   // (kCodes)
    float* __restrict__ best) {         // (blocks * kRows)
  __shared__ __align__(16) __half tile[kRows * kPitch];
  load_rows(rows + std::size_t{blockIdx.x} * (kRows * kDepth), tile);
  float scale[kCodeCores];  // of the codes that this lane decodes
#pragma unroll
  for (unsigned j = 0; j < kCodeCores; ++j) {
    scale[j] =
        scales[(threadIdx.x / kLanes * kCodeCores + j) * kCoreCodes + threadIdx.x % kLanes / 4];
  }
  float sums[kRowCores][kCodeCores][kCoreSums] = {};
  multiply_codes(
      tile, weights,
      [&](unsigned word, unsigned pair, unsigned(&halves)[4]) {
#pragma unroll
        for (unsigned r = 0; r < 4; ++r) {
          const float by = scale[2 * pair + r / 2];
          halves[r] = as_word(
              __floats2half2_rn(decode_weight(word, r, by), decode_weight(word, r + 4, by)));
        }
      },
      sums);
  write_best(sums, best + blockIdx.x * kRows);
}

// The bits of two weights in two halves of 1024 each, by one instruction.
template <unsigned kBits>
__device__ inline unsigned place_weights(unsigned word) {
  constexpr unsigned kThousands = 0x64006400u;
  constexpr unsigned kAndOr = 0xea;
  unsigned placed;
  asm("lop3.b32 %0, %1, %2, %3, %4;"
      : "=r"(placed)
      : "r"(word), "n"(kBits), "r"(kThousands), "n"(kAndOr));
  return placed;
}

// A half of 1024 has steps of one, so that the low bits of its mantissa are a weight added to it;
// in the next four bits, sixteen times a weight. The scales wait for the sums.
// zoo: best_codes_packed fixes best_codes
__global__ __launch_bounds__(kThreads, kScoreResident) void best_codes_packed(
    const __half* __restrict__ rows,    // (blocks * kRows, kDepth)
    const uint4* __restrict__ weights,  // (kCoreSteps, kWarps, kLanes), as pack_weights lays them
    const float* __restrict__ scales,   // (kCodes)
    float* __restrict__ best) {         // (blocks * kRows)
  __shared__ __align__(16) __half tile[kRows * kPitch];
  load_rows(rows + std::size_t{blockIdx.x} * (kRows * kDepth), tile);
  const __half2 low_zero = __float2half2_rn(-1024.0f - kZero);
  const __half2 sixteenth = __float2half2_rn(0.0625f);
  const __half2 high_zero = __float2half2_rn(-64.0f - kZero);
  float sums[kRowCores][kCodeCores][kCoreSums] = {};
  multiply_codes(
      tile, weights,
      [&](unsigned word, unsigned, unsigned(&halves)[4]) {
#pragma unroll
        for (unsigned r = 0; r < 4; r += 2) {
          const unsigned low = place_weights<0x000f000fu>(word);
          const unsigned high = place_weights<0x00f000f0u>(word);
          halves[r] = as_word(__hadd2(as_pair(low), low_zero));
          halves[r + 1] = as_word(__hfma2(as_pair(high), sixteenth, high_zero));
          word >>= 8;
        }
      },
      sums);
#pragma unroll
  for (unsigned j = 0; j < kCodeCores; ++j) {
    const unsigned code =
        (threadIdx.x / kLanes * kCodeCores + j) * kCoreCodes + threadIdx.x % 4 * 2;
    const float scale[2] = {scales[code], scales[code + 1]};
#pragma unroll
    for (unsigned i = 0; i < kRowCores; ++i) {
#pragma unroll
      for (unsigned s = 0; s < kCoreSums; ++s) sums[i][j][s] *= scale[s % 2];
    }
  }
  write_best(sums, best + blockIdx.x * kRows);
}

constexpr unsigned kAddResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kItems = 4;        // of a thread
constexpr unsigned kWidth = kThreads;
constexpr unsigned kHeight = 64;
constexpr unsigned kChannels = 64;
constexpr unsigned kImages = 64;

// As a library takes it that knows nothing of its tensors: sizes and strides of four dimensions,
// the last one the fastest.
struct Shape {
  unsigned long long sizes[4];
  unsigned long long strides[4];  // of the partner, zero where it repeats
};

// zoo: add_repeated plants instruction-overhead, fixed by add_repeated_by_row
__global__ __launch_bounds__(kThreads, kAddResident) void add_repeated(
    const float* __restrict__ values,   // (kImages, kChannels, kHeight, kWidth)
    const float* __restrict__ partner,  // as the strides say
    float* __restrict__ sums,           // (kImages, kChannels, kHeight, kWidth)
    Shape shape) {
  const unsigned long long first =
      static_cast<unsigned long long>(blockIdx.x) * (kItems * kThreads) + threadIdx.x;
  float held[kItems];
#pragma unroll
  for (unsigned item = 0; item < kItems; ++item) held[item] = values[first + item * kThreads];
#pragma unroll
  for (unsigned item = 0; item < kItems; ++item) {
    const unsigned long long at = first + item * kThreads;
    unsigned long long rest = at;
    unsigned long long from = 0;
#pragma unroll
    for (unsigned d = 3; d > 0; --d) {
      from += rest % shape.sizes[d] * shape.strides[d];
      rest /= shape.sizes[d];
    }
    from += rest * shape.strides[0];
    sums[at] = held[item] + partner[from];
  }
}

// Grid: pieces of kItems rows, channels, images.
// zoo: add_repeated_by_row fixes add_repeated
__global__ __launch_bounds__(kThreads, kAddResident) void add_repeated_by_row(
    const float* __restrict__ values,   // (kImages, kChannels, kHeight, kWidth)
    const float* __restrict__ partner,  // as the strides say
    float* __restrict__ sums,           // (kImages, kChannels, kHeight, kWidth)
    Shape shape) {
  const unsigned row = blockIdx.x * kItems;
  const unsigned first =
      ((blockIdx.z * gridDim.y + blockIdx.y) * (gridDim.x * kItems) + row) * kWidth + threadIdx.x;
  unsigned long long from = blockIdx.z * shape.strides[0] + blockIdx.y * shape.strides[1] +
                            row * shape.strides[2] + threadIdx.x * shape.strides[3];
  float held[kItems];
#pragma unroll
  for (unsigned item = 0; item < kItems; ++item) held[item] = values[first + item * kWidth];
#pragma unroll
  for (unsigned item = 0; item < kItems; ++item) {
    sums[first + item * kWidth] = held[item] + partner[from];
    from += shape.strides[2];
  }
}

namespace {

// Words as the lanes take them: in a step of the depth a lane needs, of each of its warp's cores of
// eight codes, two neighbouring weights and two that lie eight deeper. A word is two cores; of each
// register's two weights the first is four bits of its lower half, the second of its upper half.
std::vector<unsigned> pack_weights(const std::vector<unsigned>& codes) {  // (kCodes, kDepth)
  std::vector<unsigned> words(std::size_t{kCodes} * kDepth / 8);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t pair = at % 4;
    const std::size_t lane = at / 4 % kLanes;
    const std::size_t warp = at / 4 / kLanes % kWarps;
    const std::size_t step = at / 4 / kLanes / kWarps;
    for (std::size_t r = 0; r < 4; ++r) {
      const std::size_t core = warp * kCodeCores + 2 * pair + r / 2;
      const std::size_t code = core * kCoreCodes + lane / 4;
      const std::size_t depth = step * kCoreDepth + lane % 4 * 2 + r % 2 * 8;
      words[at] |= codes[code * kDepth + depth] << (4 * r);
      words[at] |= codes[code * kDepth + depth + 1] << (4 * (r + 4));
    }
  }
  return words;
}

void run_best_codes() {
  const unsigned blocks = multiprocessors() * kScoreResident * kScoreWaves;
  const std::size_t row_count = std::size_t{blocks} * kRows;
  const std::vector<float> drawn = random_floats(row_count * kDepth, 166);
  std::vector<__half> host_rows(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) host_rows[i] = __float2half(drawn[i]);
  const std::vector<unsigned> codes = random_integers(std::size_t{kCodes} * kDepth, 16, 167);
  // Powers of two, so that both ways to decode are exact.
  std::vector<float> host_scales;
  for (const unsigned power : random_integers(kCodes, 4, 168)) {
    host_scales.push_back(0.125f / static_cast<float>(1u << power));
  }
  DeviceBuffer<__half> rows(host_rows);                 // (row_count, kDepth)
  DeviceBuffer<unsigned> weights(pack_weights(codes));  // (kCoreSteps, kWarps, kLanes, 4)
  DeviceBuffer<float> scales(host_scales);              // (kCodes)
  DeviceBuffer<float> best(row_count);                  // (row_count)
  const uint4* vectors = reinterpret_cast<const uint4*>(weights.data());
  best.clear();
  best_codes<<<blocks, kThreads>>>(rows.data(), vectors, scales.data(), best.data());
  finish_launch();
  const std::vector<float> slow = best.download();
  for (std::size_t row = 0; row < row_count; row += 1999) {
    double expected = -1e30;
    for (std::size_t code = 0; code < kCodes; ++code) {
      double score = 0.0;
      for (std::size_t k = 0; k < kDepth; ++k) {
        const double weight = static_cast<double>(codes[code * kDepth + k]) - kZero;
        score += weight * __half2float(host_rows[row * kDepth + k]);
      }
      expected = std::fmax(expected, score * host_scales[code]);
    }
    expect_close("best codes", slow[row], expected, 1e-3, row);
  }
  passed("best codes");

  best.clear();
  best_codes_packed<<<blocks, kThreads>>>(rows.data(), vectors, scales.data(), best.data());
  finish_launch();
  expect_all_close("best codes packed", best.download(), slow, 1e-4);
  passed("best codes packed");
}

void run_add_repeated() {
  constexpr std::size_t kCount = std::size_t{kImages} * kChannels * kHeight * kWidth;
  const Shape shape = {{kImages, kChannels, kHeight, kWidth}, {0, kWidth, 0, 1}};
  const std::vector<float> block = random_floats(kCount / kImages, 169);
  const std::vector<float> host_partner = random_floats(std::size_t{kChannels} * kWidth, 170);
  DeviceBuffer<float> values(kCount);         // (kImages, kChannels, kHeight, kWidth)
  DeviceBuffer<float> partner(host_partner);  // (kChannels, kWidth)
  DeviceBuffer<float> sums(kCount);           // (kImages, kChannels, kHeight, kWidth)
  for (unsigned image = 0; image < kImages; ++image) {
    CHECK_CUDA(cudaMemcpy(values.data() + image * block.size(), block.data(),
                          block.size() * sizeof(float), cudaMemcpyHostToDevice));
  }
  sums.clear();
  add_repeated<<<kCount / (kItems * kThreads), kThreads>>>(values.data(), partner.data(),
                                                           sums.data(), shape);
  finish_launch();
  const std::vector<float> slow = sums.download();
  for (std::size_t i = 0; i < kCount; i += 31) {
    const std::size_t channel = i / kWidth / kHeight % kChannels;
    const float expected = block[i % block.size()] + host_partner[channel * kWidth + i % kWidth];
    expect_close("add repeated", slow[i], expected, 1e-6, i);
  }
  passed("add repeated");

  sums.clear();
  add_repeated_by_row<<<dim3(kHeight / kItems, kChannels, kImages), kThreads>>>(
      values.data(), partner.data(), sums.data(), shape);
  finish_launch();
  expect_equal("add repeated by row", sums.download(), slow);
  passed("add repeated by row");
}

}  // namespace

int main() {
  run_best_codes();
  run_add_repeated();
}
