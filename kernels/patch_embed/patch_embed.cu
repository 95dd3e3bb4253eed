// SPDX-License-Identifier: Apache-2.0
#include "patch_embed.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstring>
#include <exception>
#include <iterator>

#include "../hopper/launch.h"
#include "patch_embed.cuh"

namespace patch_embed {
namespace {

using Value = __nv_bfloat16;

// table: (kTableRows, 768) of positions (196, 768); rows after the last position repeat the first.
__global__ void make_table(const std::uint16_t* positions, std::uint16_t* table,
                           bool fragment_order) {
  const std::uint32_t row = blockIdx.x;
  const std::uint32_t column = threadIdx.x;
  table[fragment_order ? table_index(row, column) : row * kWidth + column] =
      positions[row % kPositions * kWidth + column];
}

// Tiles of (32, 32), four results per thread: simple, to compare with.
__global__ void reference(const Value* x, const Value* w, const float* bias, const Value* positions,
                          Value* y, std::uint32_t rows) {
  constexpr std::uint32_t kSide = 32;
  __shared__ float x_tile[kSide][kSide + 1];  // (32 m, 32 k), padded
  __shared__ float w_tile[kSide][kSide + 1];  // (32 n, 32 k)
  const std::uint32_t n = blockIdx.x * kSide;
  const std::uint32_t m = blockIdx.y * kSide;
  float accumulators[4] = {};  // of rows threadIdx.y, + 8, + 16, + 24
  for (std::uint32_t k = 0; k < kWidth; k += kSide) {
    for (std::uint32_t i = threadIdx.y; i < kSide; i += 8) {
      const std::size_t row = m + i;
      x_tile[i][threadIdx.x] =
          row < rows ? __bfloat162float(x[row * kWidth + k + threadIdx.x]) : 0.0F;
      w_tile[i][threadIdx.x] = __bfloat162float(w[(n + i) * kWidth + k + threadIdx.x]);
    }
    __syncthreads();
    for (std::uint32_t i = 0; i < kSide; ++i) {
      for (std::uint32_t j = 0; j < 4; ++j) {
        accumulators[j] += x_tile[threadIdx.y + j * 8][i] * w_tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }
  for (std::uint32_t j = 0; j < 4; ++j) {
    const std::size_t row = m + threadIdx.y + j * 8;
    if (row >= rows) continue;
    const std::uint32_t column = n + threadIdx.x;
    const float position = __bfloat162float(positions[row % kPositions * kWidth + column]);
    y[row * kWidth + column] = __float2bfloat16(accumulators[j] + bias[column] + position);
  }
}

struct Problem {
  hopper::Operands operands;
  const float* bias;
  const std::uint16_t* table;
  cudaStream_t stream;
};

template <class P>
cudaError_t launch(const Problem& problem) {
  return hopper::launch<P>(problem.operands, {problem.table, problem.bias}, problem.stream);
}
cudaError_t launch_sliced(const Problem& problem) {
  return hopper::launch<Sliced>(embed_sliced<Sliced>, 128, problem.operands,
                                {problem.table, problem.bias}, problem.stream);
}

struct Variant {
  const char* name;
  TableOrder table_order;
  cudaError_t (*launch)(const Problem& problem);
};

template <class P>
constexpr Variant variant(const char* name,
                          cudaError_t (*launch_plan)(const Problem&) = launch<P>) {
  return {name, P::Epilogue::kTableOrder, launch_plan};
}

// ladder: patch_embed step 1: sliced is held by async-wait
// ladder: patch_embed step 2: ring is held by async-wait
// ladder: patch_embed step 3: direct is held by async-wait
// ladder: patch_embed step 4: table is held by async-wait
// ladder: patch_embed step 5: persistent is held by async-wait or tensor-pipe
// ladder: patch_embed step 6: wide-cluster is held by async-wait or tensor-pipe
// ladder: patch_embed step 7: pingpong is held by async-wait or tensor-pipe
// ladder: patch_embed step 8: cluster is held by async-wait or tensor-pipe
constexpr Variant kVariants[] = {
    variant<Sliced>("sliced", launch_sliced),
    variant<Ring>("ring"),
    variant<Direct>("direct"),
    variant<Table>("table"),
    variant<Persistent>("persistent"),
    variant<WideCluster>("wide-cluster"),
    variant<PingPong>("pingpong"),
    variant<Cluster>("cluster"),
};

const Variant* find(const char* name) {
  for (const Variant& variant : kVariants) {
    if (std::strcmp(variant.name, name) == 0) return &variant;
  }
  return nullptr;
}

}  // namespace
}  // namespace patch_embed

using namespace patch_embed;

const char* const* patch_embed_variants(void) {
  static const char* names[std::size(kVariants) + 1] = {};
  for (std::size_t i = 0; i < std::size(kVariants); ++i) names[i] = kVariants[i].name;
  return names;
}

unsigned long long patch_embed_table_bytes(void) {
  return sizeof(std::uint16_t) * kTableRows * kWidth;
}

int patch_embed_make_table(const char* variant, const void* positions, void* table, void* stream) {
  const Variant* const found = find(variant);
  if (found == nullptr) return cudaErrorInvalidValue;
  make_table<<<kTableRows, kWidth, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const std::uint16_t*>(positions), static_cast<std::uint16_t*>(table),
      found->table_order == TableOrder::kFragment);
  return cudaGetLastError();
}

int patch_embed_launch(const char* variant, const void* x, const void* w, const void* bias,
                       const void* table, void* y, unsigned rows, void* stream) {
  const Variant* const found = find(variant);
  if (found == nullptr || rows == 0) return cudaErrorInvalidValue;
  try {
    return found->launch({{x, w, y, rows, kWidth, kWidth},
                          static_cast<const float*>(bias),
                          static_cast<const std::uint16_t*>(table),
                          static_cast<cudaStream_t>(stream)});
  } catch (const std::exception&) {
    return cudaErrorNotSupported;  // the driver cannot encode tensor maps
  }
}

int patch_embed_reference(const void* x, const void* w, const void* bias, const void* positions,
                          void* y, unsigned rows, void* stream) {
  const dim3 blocks(kWidth / 32, (rows + 31) / 32);
  if (blocks.y > 65535) return cudaErrorInvalidValue;
  reference<<<blocks, dim3(32, 8), 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const Value*>(x), static_cast<const Value*>(w), static_cast<const float*>(bias),
      static_cast<const Value*>(positions), static_cast<Value*>(y), rows);
  return cudaGetLastError();
}
