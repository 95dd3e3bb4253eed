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

// table: (kTableRows, 768); rows beyond the last position go on from the first.
__global__ void make_table(const std::uint16_t* positions, std::uint16_t* table, bool fragments) {
  const std::uint32_t row = blockIdx.x;
  const std::uint32_t column = threadIdx.x;
  table[fragments ? table_index(row, column) : row * kWidth + column] =
      positions[row % kPositions * kWidth + column];
}

// One thread a result. x is read once for a row of blocks, which L2 serves; it is only to be right.
__global__ void reference(const Value* x, const Value* w, const float* bias, const Value* positions,
                          Value* y, std::uint32_t rows) {
  constexpr std::uint32_t kSide = 32;
  __shared__ float x_tile[kSide][kSide + 1];
  __shared__ float w_tile[kSide][kSide + 1];
  const std::uint32_t n = blockIdx.x * kSide;
  const std::uint32_t m = blockIdx.y * kSide;
  float sums[4] = {};  // of rows threadIdx.y, + 8, + 16, + 24
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
        sums[j] += x_tile[threadIdx.y + j * 8][i] * w_tile[threadIdx.x][i];
      }
    }
    __syncthreads();
  }
  for (std::uint32_t j = 0; j < 4; ++j) {
    const std::size_t row = m + threadIdx.y + j * 8;
    if (row >= rows) continue;
    const std::uint32_t column = n + threadIdx.x;
    const float position = __bfloat162float(positions[row % kPositions * kWidth + column]);
    y[row * kWidth + column] = __float2bfloat16(sums[j] + bias[column] + position);
  }
}

struct Problem {
  hopper::Operands operands;
  const float* bias;
  const std::uint16_t* table;
  cudaStream_t stream;
};

template <std::uint32_t kTileN, std::uint32_t kStages, std::uint32_t kCluster, bool kPingPong,
          bool kPersistent, hopper::Store kStore, bool kFragmentOrder>
struct Kernel {
  static constexpr hopper::Plan kPlan{kTileN, kStages, 2, kCluster, kPingPong, kPersistent, kStore};
  static constexpr bool kFragments = kFragmentOrder;
  using Element = hopper::Bf16;
  using Finish = AddPosition<kFragmentOrder>;
};

using hopper::Store;
using Sliced = Kernel<128, 1, 1, false, false, Store::kWaited, false>;
using Ring = Kernel<256, 4, 1, false, false, Store::kWaited, false>;
using Direct = Kernel<256, 4, 1, false, false, Store::kDirect, false>;
using Table = Kernel<256, 4, 1, false, false, Store::kDirect, true>;
using Persistent = Kernel<256, 4, 1, false, true, Store::kQueued, true>;
using WideCluster = Kernel<256, 4, 2, false, true, Store::kQueued, true>;
using PingPong = Kernel<192, 4, 1, true, true, Store::kQueued, true>;
using Cluster = Kernel<192, 4, 2, true, true, Store::kQueued, true>;

template <class V>
cudaError_t launch(const Problem& problem) {
  return hopper::launch<V>(problem.operands, {problem.table, problem.bias}, problem.stream);
}
cudaError_t launch_sliced(const Problem& problem) {
  return hopper::launch<Sliced>(embed_sliced<Sliced>, 128, problem.operands,
                                {problem.table, problem.bias}, problem.stream);
}

struct Variant {
  const char* name;
  bool fragments;  // how it reads the table
  cudaError_t (*launch)(const Problem& problem);
};

// ladder: patch_embed step 1: sliced is held by async-wait
// ladder: patch_embed step 2: ring is held by async-wait
// ladder: patch_embed step 3: direct is held by async-wait
// ladder: patch_embed step 4: table is held by async-wait
// ladder: patch_embed step 5: persistent is held by async-wait or tensor-pipe
// ladder: patch_embed step 6: wide-cluster is held by async-wait or tensor-pipe
// ladder: patch_embed step 7: pingpong is held by async-wait or tensor-pipe
// ladder: patch_embed step 8: cluster is held by async-wait or tensor-pipe
constexpr Variant kVariants[] = {
    {"sliced", Sliced::kFragments, launch_sliced},
    {"ring", Ring::kFragments, launch<Ring>},
    {"direct", Direct::kFragments, launch<Direct>},
    {"table", Table::kFragments, launch<Table>},
    {"persistent", Persistent::kFragments, launch<Persistent>},
    {"wide-cluster", WideCluster::kFragments, launch<WideCluster>},
    {"pingpong", PingPong::kFragments, launch<PingPong>},
    {"cluster", Cluster::kFragments, launch<Cluster>},
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
      found->fragments);
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
    return cudaErrorNotSupported;  // no driver that makes tensor maps
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
