// SPDX-License-Identifier: Apache-2.0
#include "block_scaled.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstring>
#include <exception>
#include <iterator>

#include "../hopper/launch.h"
#include "block_scaled.cuh"

namespace block_scaled {
namespace {

using Problem = block_scaled_problem;

// The A or the B operand.
struct Matrix {
  const std::uint8_t* values;  // (rows, k / 2)
  const std::uint8_t* scales;  // (rows, k / group), in the order of scale_index()
  std::uint32_t rows;
};

// By value: a reference to one of two kernel parameters copies both into local memory.
__device__ inline Matrix chosen(const Matrix& a, const Matrix& b, bool first) {
  return {first ? a.values : b.values, first ? a.scales : b.scales, first ? a.rows : b.rows};
}

// The exponent and fraction bits of e2m1, moved to those of fp32, are the value times 2^-126.
__device__ inline float e2m1(std::uint32_t nibble) {
  return __uint_as_float((nibble & 7U) << 22U | (nibble & 8U) << 28U) * 0x1p126F;
}

__device__ inline float scale_value(std::uint32_t code, bool ue4m3) {
  if (!ue4m3) return __uint_as_float(code == 0 ? 0x00400000U : code << 23U);
  const int exponent = static_cast<int>(code >> 3U);
  const auto fraction = static_cast<float>(code & 7U);
  return exponent == 0 ? ldexpf(fraction, -9) : ldexpf(1.0F + fraction / 8.0F, exponent - 7);
}

// One thread per result; everything is decoded where it is used.
__global__ void naive(Matrix a, Matrix b, std::uint16_t* c, std::uint32_t k, std::uint32_t group,
                      bool ue4m3, bool half) {
  const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t m = blockIdx.y * blockDim.y + threadIdx.y;
  if (m >= a.rows || n >= b.rows) return;
  const std::uint8_t* const a_row = a.values + static_cast<std::size_t>(m) * (k / 2);
  const std::uint8_t* const b_row = b.values + static_cast<std::size_t>(n) * (k / 2);
  float sum = 0;
  for (std::uint32_t g = 0; g < k / group; ++g) {
    float part = 0;
    for (std::uint32_t i = g * group / 2; i < (g + 1) * group / 2; ++i) {
      part += e2m1(a_row[i] & 15U) * e2m1(b_row[i] & 15U);
      part += e2m1(a_row[i] >> 4U) * e2m1(b_row[i] >> 4U);
    }
    sum += part * scale_value(a.scales[scale_index(m, g, k / group)], ue4m3) *
           scale_value(b.scales[scale_index(n, g, k / group)], ue4m3);
  }
  c[static_cast<std::size_t>(m) * b.rows + n] =
      half ? __half_as_ushort(__float2half(sum)) : __bfloat16_as_ushort(__float2bfloat16(sum));
}

// Eight e2m1 values as four bf16x2 words, scaled: exact.
__device__ inline uint4 decode_bf16(std::uint32_t values, float scale) {
  const auto pair = [&](std::uint32_t shift) {
    return hopper::to_bf16x2(e2m1(values >> shift) * scale, e2m1(values >> (shift + 4)) * scale);
  };
  return make_uint4(pair(0), pair(8), pair(16), pair(24));
}

// out: (rows of a, then of b; k) bf16. A thread decodes 8 values.
__global__ void decode_bf16(Matrix a, Matrix b, uint4* out, std::uint32_t k, std::uint32_t group,
                            bool ue4m3) {
  hopper::griddepcontrol_launch_dependents();
  const std::uint32_t row_words = k / 8;
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto row = static_cast<std::uint32_t>(i / row_words);
  if (row >= a.rows + b.rows) return;
  const std::uint32_t word = static_cast<std::uint32_t>(i % row_words);
  const Matrix matrix = chosen(a, b, row < a.rows);
  const std::uint32_t r = row < a.rows ? row : row - a.rows;
  const auto* const words = reinterpret_cast<const std::uint32_t*>(matrix.values);
  const std::uint8_t scale = matrix.scales[scale_index(r, word * 8 / group, k / group)];
  out[i] = decode_bf16(__ldg(words + static_cast<std::uint64_t>(r) * row_words + word),
                       scale_value(scale, ue4m3));
}

// The number of nonzeros of eight values.
__device__ inline std::uint32_t nonzeros(std::uint32_t values) {
  return __popc((values | values >> 1U | values >> 2U) & 0x11111111U);
}

// Four values: one PRMT looks up their magnitudes in the 8-byte table, then their signs are added.
__device__ inline std::uint32_t decode_e4m3(std::uint32_t values, Codes codes) {
  const std::uint32_t magnitudes = __byte_perm(codes.low, codes.high, values & 0x7777U);
  const std::uint32_t signs = (values & 0x8U) << 4U | (values & 0x80U) << 8U |
                              (values & 0x800U) << 12U | (values & 0x8000U) << 16U;
  return magnitudes | signs;
}

// Tables by a scale's distance from its row's largest, in binades. The last: too small for e4m3.
constexpr std::uint32_t kTooSmall = kMost - kLeast + 1;
__device__ const Codes kCodes[kTooSmall + 1] = {
    e4m3_codes(6),  e4m3_codes(5),  e4m3_codes(4),  e4m3_codes(3),  e4m3_codes(2),  e4m3_codes(1),
    e4m3_codes(0),  e4m3_codes(-1), e4m3_codes(-2), e4m3_codes(-3), e4m3_codes(-4), e4m3_codes(-5),
    e4m3_codes(-6), e4m3_codes(-7), e4m3_codes(-8), Codes{0, 0}};

// A warp decodes a row. The scales of rows r, r + 32, r + 64 and r + 96 are contiguous, 16 bytes
// for four groups along K; a block of eight warps has those of two neighbouring r, so that it reads
// whole sectors.
constexpr std::uint32_t kDecodeThreads = 256;
__host__ __device__ constexpr std::uint32_t decode_blocks(std::uint32_t rows) {
  return (rows + 127) / 128 * 16;
}

// out: (rows of a, then of b; k) e4m3; row_scales: (rows of a, then of b), by which the
// accumulators of each row are to be multiplied. A lane decodes 16 values at a time.
__global__ void decode_e4m3(Matrix a, Matrix b, uint4* out, float* row_scales, std::uint32_t k,
                            std::uint32_t group, unsigned* lost) {
  hopper::griddepcontrol_launch_dependents();
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t lane = threadIdx.x % 32;
  const bool first = blockIdx.x < decode_blocks(a.rows);
  const Matrix matrix = chosen(a, b, first);
  const std::uint32_t block = first ? blockIdx.x : blockIdx.x - decode_blocks(a.rows);
  const std::uint32_t row = block / 16 * 128 + block % 16 * 2 + warp % 2 + warp / 2 * 32;
  if (row >= matrix.rows) return;
  const auto four_scales = [&](std::uint32_t four) {
    const std::uint64_t index = scale_index(row, four * 4, k / group);
    return __ldg(reinterpret_cast<const std::uint32_t*>(matrix.scales + index));
  };
  std::uint32_t most = 0;  // four bytes, each a maximum
  for (std::uint32_t i = lane; i < k / group / 4; i += 32) most = __vmaxu4(most, four_scales(i));
  most = __vmaxu4(most, most >> 16U);
  const std::uint32_t largest = __reduce_max_sync(0xffffffffU, __vmaxu4(most, most >> 8U) & 0xffU);
  const std::uint32_t out_row = first ? row : a.rows + row;
  if (lane == 0) row_scales[out_row] = ldexpf(1.0F, static_cast<int>(largest) - 127 - kMost);

  const Codes mine = kCodes[min(lane, kTooSmall)];  // lane i has table i, read by shuffles
  const auto* const values =
      reinterpret_cast<const uint2*>(matrix.values + static_cast<std::uint64_t>(row) * (k / 2));
  uint4* const target = out + static_cast<std::uint64_t>(out_row) * (k / 16);
  std::uint32_t unrepresented = 0;
  for (std::uint32_t start = 0; start < k / 16; start += 32) {
    const std::uint32_t i = min(start + lane, k / 16 - 1);  // clamped: shuffles need all lanes
    const uint2 sixteen = __ldg(values + i);
    const std::uint32_t g = i * 16 / group;
    const std::uint32_t scale = four_scales(g / 4) >> (g % 4 * 8) & 0xffU;
    const std::uint32_t below = min(largest - scale, kTooSmall);
    const Codes codes{__shfl_sync(0xffffffffU, mine.low, below),
                      __shfl_sync(0xffffffffU, mine.high, below)};
    if (i != start + lane) continue;
    if (below == kTooSmall) unrepresented += nonzeros(sixteen.x) + nonzeros(sixteen.y);
    target[i] = make_uint4(decode_e4m3(sixteen.x, codes), decode_e4m3(sixteen.x >> 16U, codes),
                           decode_e4m3(sixteen.y, codes), decode_e4m3(sixteen.y >> 16U, codes));
  }
  if (unrepresented != 0) atomicAdd(lost, unrepresented);
}

// Layout of the scratch memory: a counter, the row scales of both operands, the decoded operands.
struct Scratch {
  explicit Scratch(const Problem& problem)
      : lost(static_cast<unsigned*>(problem.scratch)),
        row_scales(reinterpret_cast<float*>(static_cast<std::uint8_t*>(problem.scratch) + 256)),
        values(static_cast<std::uint8_t*>(problem.scratch) + 256 +
               (static_cast<std::size_t>(problem.m + problem.n) * 4 + 255) / 256 * 256) {}

  unsigned* lost;
  float* row_scales;
  std::uint8_t* values;
};

Matrix a_of(const Problem& problem) {
  return {static_cast<const std::uint8_t*>(problem.a),
          static_cast<const std::uint8_t*>(problem.a_scales), problem.m};
}
Matrix b_of(const Problem& problem) {
  return {static_cast<const std::uint8_t*>(problem.b),
          static_cast<const std::uint8_t*>(problem.b_scales), problem.n};
}

cudaError_t launch_naive(const Problem& problem, cudaStream_t stream) {
  const dim3 threads(32, 8);
  const dim3 blocks((problem.n + 31) / 32, (problem.m + 7) / 8);
  naive<<<blocks, threads, 0, stream>>>(a_of(problem), b_of(problem),
                                        static_cast<std::uint16_t*>(problem.c), problem.k,
                                        problem.group, problem.ue4m3 != 0, problem.half != 0);
  return cudaGetLastError();
}

template <class P>
cudaError_t launch_gemm(const Problem& problem, const Scratch& scratch, bool scaled,
                        cudaStream_t stream) {
  const std::size_t a_bytes = static_cast<std::size_t>(problem.m) * problem.k * P::Element::kBytes;
  const hopper::Operands operands{
      scratch.values, scratch.values + a_bytes, problem.c, problem.m, problem.n, problem.k};
  const typename P::Epilogue epilogue{scaled ? scratch.row_scales : nullptr,
                                      scratch.row_scales + problem.m, problem.m, problem.n};
  return hopper::launch<P>(operands, epilogue, stream);
}
template <class P>
cudaError_t launch_gemm_of_output(const Problem& problem, const Scratch& scratch, bool scaled,
                                  cudaStream_t stream) {
  return problem.half != 0 ? launch_gemm<WithOutput<P, true>>(problem, scratch, scaled, stream)
                           : launch_gemm<WithOutput<P, false>>(problem, scratch, scaled, stream);
}

template <class P>
cudaError_t launch_bf16(const Problem& problem, cudaStream_t stream) {
  const Scratch scratch(problem);
  const std::uint64_t words = static_cast<std::uint64_t>(problem.m + problem.n) * problem.k / 8;
  decode_bf16<<<static_cast<unsigned>((words + 255) / 256), 256, 0, stream>>>(
      a_of(problem), b_of(problem), reinterpret_cast<uint4*>(scratch.values), problem.k,
      problem.group, problem.ue4m3 != 0);
  if (const cudaError_t result = cudaGetLastError(); result != cudaSuccess) return result;
  return launch_gemm_of_output<P>(problem, scratch, false, stream);
}

template <class P>
cudaError_t launch_fp8(const Problem& problem, cudaStream_t stream) {
  if (problem.ue4m3 != 0) return cudaErrorInvalidValue;  // not powers of two
  const Scratch scratch(problem);
  decode_e4m3<<<decode_blocks(problem.m) + decode_blocks(problem.n), kDecodeThreads, 0, stream>>>(
      a_of(problem), b_of(problem), reinterpret_cast<uint4*>(scratch.values), scratch.row_scales,
      problem.k, problem.group, scratch.lost);
  if (const cudaError_t result = cudaGetLastError(); result != cudaSuccess) return result;
  return launch_gemm_of_output<P>(problem, scratch, true, stream);
}

struct Variant {
  const char* name;
  cudaError_t (*launch)(const Problem& problem, cudaStream_t stream);
};

// ladder: block_scaled step 1: bf16-n128 is held by l2-bandwidth, lifted by bf16-n256
// ladder: block_scaled step 2: bf16-n256 is held by tensor-pipe
// ladder: block_scaled step 3: bf16-cluster is held by tensor-pipe
// ladder: block_scaled step 4: fp8-n128 is held by async-wait or tensor-pipe
// ladder: block_scaled step 5: fp8-n256 is held by async-wait or tensor-pipe
// ladder: block_scaled step 6: fp8-n256-cluster is held by async-wait or tensor-pipe
// ladder: block_scaled step 7: before-fp8-cluster/decode_e4m3 is held by uncoalesced-global, lifted by
// fp8-cluster/decode_e4m3
// ladder: block_scaled step 8: fp8-cluster/decode_e4m3 is held by memory-latency
// ladder: block_scaled step 9: fp8-cluster is held by async-wait or tensor-pipe
constexpr Variant kVariants[] = {
    {"naive", launch_naive},
    {"bf16-n128", launch_bf16<Bf16N128>},
    {"bf16-n256", launch_bf16<Bf16N256>},
    {"bf16-cluster", launch_bf16<Bf16Cluster>},
    {"fp8-n128", launch_fp8<Fp8N128>},
    {"fp8-n256", launch_fp8<Fp8N256>},
    {"fp8-n256-cluster", launch_fp8<Fp8N256Cluster>},
    {"fp8-cluster", launch_fp8<Fp8Cluster>},
    {"fp8-cluster-stages3", launch_fp8<Fp8ClusterStages3>},
    {"fp8-cluster-buffers4", launch_fp8<Fp8ClusterBuffers4>},
};

}  // namespace
}  // namespace block_scaled

using namespace block_scaled;

const char* const* block_scaled_variants(void) {
  static const char* names[std::size(kVariants) + 1] = {};
  for (std::size_t i = 0; i < std::size(kVariants); ++i) names[i] = kVariants[i].name;
  return names;
}

unsigned long long block_scaled_scratch_bytes(const block_scaled_problem* problem) {
  Problem nowhere = *problem;
  nowhere.scratch = nullptr;
  const auto values = reinterpret_cast<std::uintptr_t>(Scratch(nowhere).values);
  return values + 2ULL * (problem->m + problem->n) * problem->k;
}

int block_scaled_launch(const char* variant, const block_scaled_problem* problem, void* stream) {
  const bool sound = problem->m > 0 && problem->n > 0 && problem->n % 8 == 0 && problem->k > 0 &&
                     problem->k % 128 == 0 && (problem->group == 16 || problem->group == 32);
  if (!sound) return cudaErrorInvalidValue;
  for (const Variant& candidate : kVariants) {
    if (std::strcmp(candidate.name, variant) != 0) continue;
    try {
      return candidate.launch(*problem, static_cast<cudaStream_t>(stream));
    } catch (const std::exception&) {
      return cudaErrorNotSupported;  // the driver cannot encode tensor maps
    }
  }
  return cudaErrorInvalidValue;
}
