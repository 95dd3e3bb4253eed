// SPDX-License-Identifier: Apache-2.0
//
// One tile, one warpgroup, nothing else: tensor maps, loads, descriptors and each shape of product,
// for tests that code rows and columns into the values (one_tile.py).
//
//   y[m, n] = sum over k of left[m, k] * right[n, k]
//
//   left: (64, K), right: (N, K), K: 128 bytes of each; y: (64, N) fp32
#include <cuda_runtime.h>

#include <cstring>
#include <exception>
#include <iterator>

#include "copy.cuh"
#include "descriptor.h"
#include "tensor_map.h"
#include "warp.cuh"
#include "wgmma.cuh"

namespace hopper {
namespace {

constexpr std::uint32_t kRows = 64;
constexpr std::uint32_t kSteps = kRowBytes / 32;

template <std::uint32_t kColumns>
struct TileShared {
  std::uint8_t left[kRows * kRowBytes];
  std::uint8_t right[kColumns * kRowBytes];
  Barrier full;
};

// The left fragment of each step along K, as products read it from registers: rows 0-7 and 8-15 of
// the warp's sixteen, then the same sixteen bytes further on.
__device__ void load_fragments(const std::uint8_t* left, std::uint32_t (&fragments)[kSteps][4]) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t row = threadIdx.x / 32 * 16 + lane % 16;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    load_matrices(fragments[step],
                  shared_address(left) + swizzled(row, step * 32 + lane / 16 * 16));
  }
}

template <class Element, std::uint32_t kColumns, bool kFromRegisters>
__global__ void __launch_bounds__(128)
    multiply_tile(const __grid_constant__ CUtensorMap left_map,
                  const __grid_constant__ CUtensorMap right_map, float* y) {
  extern __shared__ std::uint8_t memory[];
  auto& shared = aligned<TileShared<kColumns>>(memory);
  if (threadIdx.x == 0) {
    shared.full.init(1);
    publish_barriers();
    shared.full.expect(sizeof shared.left + sizeof shared.right);
    load_tile(shared.left, left_map, 0, 0, shared.full);
    load_tile(shared.right, right_map, 0, 0, shared.full);
  }
  __syncthreads();
  shared.full.wait(0);
  const std::uint64_t left = k_major(shared_address(shared.left));
  const std::uint64_t right = k_major(shared_address(shared.right));
  float sums[kColumns / 2];
  std::uint32_t fragments[kSteps][4];
  if constexpr (kFromRegisters) load_fragments(shared.left, fragments);
  arrive();
#pragma unroll
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    if constexpr (kFromRegisters) {
      multiply(Element{}, sums, fragments[step], advance(right, step * 32), step > 0);
    } else {
      multiply(Element{}, sums, advance(left, step * 32), advance(right, step * 32), step > 0);
    }
  }
  commit();
  wait<0>();
  // Lane 4r + q has, of rows r and r + 8, columns 8i + 2q and 8i + 2q + 1 of every eight.
  const std::uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
#pragma unroll
  for (std::uint32_t i = 0; i < kColumns / 2; ++i) {
    const std::uint32_t column = i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
    y[(row + i / 2 % 2 * 8) * kColumns + column] = sums[i];
  }
}

template <class Element, std::uint32_t kColumns, bool kFromRegisters>
cudaError_t launch(const void* left, const void* right, float* y, cudaStream_t stream) {
  const auto map = [](const void* data, std::uint32_t rows) {
    constexpr std::uint32_t kK = kRowBytes / Element::kBytes;
    constexpr CUtensorMapDataType kType =
        Element::kBytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    return tensor_map({const_cast<void*>(data), rows, kK, kK, kType, Element::kBytes}, rows);
  };
  const auto kernel = multiply_tile<Element, kColumns, kFromRegisters>;
  constexpr std::uint32_t kBytes = sizeof(TileShared<kColumns>) + kTileAlignment;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (result != cudaSuccess) return result;
  kernel<<<1, 128, kBytes, stream>>>(map(left, kRows), map(right, kColumns), y);
  return cudaGetLastError();
}

struct Shape {
  const char* name;  // type, columns, and where the left operand is
  cudaError_t (*launch)(const void* left, const void* right, float* y, cudaStream_t stream);
};

constexpr Shape kShapes[] = {
    {"bf16 32 shared", launch<Bf16, 32, false>},   {"bf16 32 registers", launch<Bf16, 32, true>},
    {"bf16 64 shared", launch<Bf16, 64, false>},   {"bf16 64 registers", launch<Bf16, 64, true>},
    {"bf16 96 shared", launch<Bf16, 96, false>},   {"bf16 96 registers", launch<Bf16, 96, true>},
    {"bf16 128 shared", launch<Bf16, 128, false>}, {"bf16 128 registers", launch<Bf16, 128, true>},
    {"bf16 160 shared", launch<Bf16, 160, false>}, {"bf16 160 registers", launch<Bf16, 160, true>},
    {"bf16 192 shared", launch<Bf16, 192, false>}, {"bf16 192 registers", launch<Bf16, 192, true>},
    {"bf16 224 shared", launch<Bf16, 224, false>}, {"bf16 224 registers", launch<Bf16, 224, true>},
    {"bf16 256 shared", launch<Bf16, 256, false>}, {"bf16 256 registers", launch<Bf16, 256, true>},
    {"e4m3 128 shared", launch<E4m3, 128, false>}, {"e4m3 192 shared", launch<E4m3, 192, false>},
    {"e4m3 256 shared", launch<E4m3, 256, false>},
};

}  // namespace
}  // namespace hopper

using namespace hopper;

extern "C" const char* const* one_tile_shapes(void) {
  static const char* names[std::size(kShapes) + 1] = {};
  for (std::size_t i = 0; i < std::size(kShapes); ++i) names[i] = kShapes[i].name;
  return names;
}

// Device memory. 0 or a cudaError_t.
extern "C" int one_tile_launch(const char* shape, const void* left, const void* right, void* y,
                               void* stream) {
  for (const Shape& candidate : kShapes) {
    if (std::strcmp(candidate.name, shape) != 0) continue;
    try {
      return candidate.launch(left, right, static_cast<float*>(y),
                              static_cast<cudaStream_t>(stream));
    } catch (const std::exception&) {
      return cudaErrorNotSupported;  // no driver that makes tensor maps
    }
  }
  return cudaErrorInvalidValue;
}
