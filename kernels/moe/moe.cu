// SPDX-License-Identifier: Apache-2.0
#include "moe.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>

#include "../hopper/launch.h"
#include "moe.cuh"

namespace moe {
namespace {

// A thread makes one word of codes, or one of scales, of a record. Grid: (records, words / threads).
__global__ void pack(const std::uint8_t* codes, const std::uint8_t* scales, std::uint32_t* packed,
                     Shape shape, unsigned* refused) {
  constexpr std::uint32_t kWords = kRecordBytes / 4;
  const std::uint32_t word = blockIdx.y * blockDim.x + threadIdx.x;
  if (word >= kWords) return;
  const std::uint32_t blocks = shape.k / kBlockK;
  const std::uint32_t block = blockIdx.x % blocks;
  const std::uint32_t tile = blockIdx.x / blocks % tiles_of(shape.n);
  const std::uint32_t expert = blockIdx.x / blocks / tiles_of(shape.n);
  const auto row_of = [&](std::uint32_t row) {
    return static_cast<std::size_t>(expert) * shape.n + tile * kTileRows + row;
  };
  const auto exists = [&](std::uint32_t row) { return tile * kTileRows + row < shape.n; };
  std::uint32_t value = 0;
  if (word < kCodeBytes / 4) {
    const std::uint32_t group = word / 128;
    const std::uint32_t lane = word / 4 % 32;
    const std::uint32_t step = word % 4;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const Place place{i / 2, i % 2 != 0};
      const std::uint32_t row = group * 16 + lane / 4 * 2 + place.pair % 2;
      const std::uint32_t k = block * kBlockK + step * 16 + place.pair / 2 * 8 + lane % 4 * 2 + i % 2;
      if (!exists(row)) continue;
      const std::uint8_t byte = codes[row_of(row) * (shape.k / 2) + k / 2];
      value |= spread(k % 2 == 0 ? byte & 15U : byte >> 4U, place);
    }
  } else {
    const std::uint32_t pair = word - kCodeBytes / 4;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t row = pair * 2 + i / 2;
      if (!exists(row)) continue;
      const std::uint32_t scale =
          scales[row_of(row) * (shape.k / kGroup) + block * (kBlockK / kGroup) + i % 2];
      if (scale > 128) atomicAdd(refused, 1);
      value |= scale << (8 * i);
    }
  }
  packed[static_cast<std::size_t>(blockIdx.x) * kWords + word] = value;
}

struct Problem {
  Shape shape;
  const std::uint8_t* packed;
  const __nv_bfloat16* x;
  const int* ends;
  __nv_bfloat16* y;
  cudaStream_t stream;
};

template <std::uint32_t kTiles, bool kGated>
cudaError_t launch_stream(const Problem& problem) {
  const auto kernel = stream<kTiles, kGated>;
  const std::uint32_t bytes = kTiles * 8 * x_pitch(problem.shape.k) * 2;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (result != cudaSuccess) return result;
  const dim3 blocks(tiles_of(problem.shape.n), problem.shape.experts);
  kernel<<<blocks, kStreamWarps * 32, bytes, problem.stream>>>(problem.packed, problem.x,
                                                               problem.ends, problem.y,
                                                               problem.shape);
  return cudaGetLastError();
}

template <std::uint32_t kN, std::uint32_t kStages, bool kGated>
cudaError_t launch_wide(const Problem& problem) {
  const auto kernel = wide<kN, kStages, kGated>;
  constexpr std::uint32_t kBytes = sizeof(WideShared<kN, kStages>) + 1024;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (result != cudaSuccess) return result;
  const CUtensorMap x = hopper::tensor_map({const_cast<__nv_bfloat16*>(problem.x), problem.shape.rows,
                                            problem.shape.k, problem.shape.k},
                                           kN);
  kernel<<<hopper::multiprocessors(), kWideThreads, kBytes, problem.stream>>>(
      x, problem.packed, problem.ends, problem.y, problem.shape);
  return cudaGetLastError();
}

struct Variant {
  const char* name;
  std::uint32_t most_rows;  // of an expert, on average, for which it is the one to take
  cudaError_t (*plain)(const Problem& problem);
  cudaError_t (*gated)(const Problem& problem);
};

constexpr Variant kVariants[] = {
    {"stream8", 8, launch_stream<1, false>, launch_stream<1, true>},
    {"stream16", 16, launch_stream<2, false>, launch_stream<2, true>},
    {"wide64", 64, launch_wide<64, 10, false>, launch_wide<64, 10, true>},
    {"wide128", 192, launch_wide<128, 8, false>, launch_wide<128, 8, true>},
    {"wide256", ~0U, launch_wide<256, 5, false>, launch_wide<256, 5, true>},
};

Shape shape_of(const moe_layer& layer, unsigned rows) {
  return {layer.n, layer.k, layer.experts, rows};
}

bool is_sound(const moe_layer& layer) {
  return layer.experts > 0 && layer.experts <= kMostExperts && layer.n > 0 && layer.n % 2 == 0 &&
         layer.k > 0 && layer.k % kBlockK == 0;
}

}  // namespace
}  // namespace moe

using namespace moe;

const char* const* moe_variants(void) {
  static const char* names[std::size(kVariants) + 1] = {};
  for (std::size_t i = 0; i < std::size(kVariants); ++i) names[i] = kVariants[i].name;
  return names;
}

unsigned long long moe_packed_bytes(const moe_layer* layer) {
  return static_cast<unsigned long long>(layer->experts) * tiles_of(layer->n) *
         (layer->k / kBlockK) * kRecordBytes;
}

int moe_pack(const moe_layer* layer, const void* codes, const void* scales, void* packed,
             void* refused, void* stream) {
  if (!is_sound(*layer)) return cudaErrorInvalidValue;
  constexpr unsigned kThreads = 128;
  const dim3 blocks(layer->experts * tiles_of(layer->n) * (layer->k / kBlockK),
                    (kRecordBytes / 4 + kThreads - 1) / kThreads);
  pack<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const std::uint8_t*>(codes), static_cast<const std::uint8_t*>(scales),
      static_cast<std::uint32_t*>(packed), shape_of(*layer, 0), static_cast<unsigned*>(refused));
  return cudaGetLastError();
}

int moe_launch(const char* variant, const moe_layer* layer, const void* packed, const void* x,
               const void* ends, void* y, unsigned rows, int gated, void* stream) {
  if (!is_sound(*layer) || rows == 0) return cudaErrorInvalidValue;
  const bool choose = std::strcmp(variant, "auto") == 0;
  const Problem problem{shape_of(*layer, rows),
                        static_cast<const std::uint8_t*>(packed),
                        static_cast<const __nv_bfloat16*>(x),
                        static_cast<const int*>(ends),
                        static_cast<__nv_bfloat16*>(y),
                        static_cast<cudaStream_t>(stream)};
  for (const Variant& candidate : kVariants) {
    const bool wanted = choose ? rows <= static_cast<std::uint64_t>(candidate.most_rows) * layer->experts
                               : std::strcmp(candidate.name, variant) == 0;
    if (!wanted) continue;
    try {
      return (gated != 0 ? candidate.gated : candidate.plain)(problem);
    } catch (const std::exception&) {
      return cudaErrorNotSupported;  // no driver that makes tensor maps
    }
  }
  return cudaErrorInvalidValue;
}
