// SPDX-License-Identifier: Apache-2.0
//
// Starts a gemm.cuh kernel: its tensor maps, its grid, its cluster.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "gemm.cuh"
#include "tensor_map.h"

namespace hopper {

// left: (rows, k), right: (columns, k), y: (rows, columns) of 16 bits; rows of all lie close.
struct Operands {
  const void* left = nullptr;
  const void* right = nullptr;
  void* y = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t k = 0;  // a multiple of 128 bytes
};

inline std::uint32_t multiprocessors() {
  int device = 0;
  int count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return static_cast<std::uint32_t>(count);
}

// Throws std::runtime_error where the driver makes no tensor maps.
template <class V, class Kernel>
cudaError_t launch(Kernel kernel, std::uint32_t threads, const Operands& operands,
                   const typename V::Finish& finish, cudaStream_t stream) {
  constexpr Plan kPlan = V::kPlan;
  const auto matrix = [](const void* data, std::uint32_t rows, std::uint32_t columns,
                         CUtensorMapDataType type, std::uint32_t bytes) {
    return Matrix{const_cast<void*>(data), rows, columns, columns, type, bytes};
  };
  constexpr std::uint32_t kBytes = V::Element::kBytes;
  constexpr CUtensorMapDataType kType =
      kBytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const CUtensorMap left =
      tensor_map(matrix(operands.left, operands.rows, operands.k, kType, kBytes), kTileM);
  const CUtensorMap right =
      tensor_map(matrix(operands.right, operands.columns, operands.k, kType, kBytes),
                 kPlan.tile_n / kPlan.cluster);
  const CUtensorMap y = tensor_map(
      matrix(operands.y, operands.rows, operands.columns, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2), 16);

  const auto pieces = [](std::uint32_t all, std::uint32_t size) { return (all + size - 1) / size; };
  const std::uint32_t tiles_n = pieces(operands.columns, kPlan.tile_n);
  const std::uint32_t tiles = pieces(operands.rows, kTileM * kPlan.cluster) * tiles_n;
  const Work work{operands.rows, operands.columns, operands.k * kBytes / kRowBytes,
                  tiles,         tiles_n,          static_cast<std::uint16_t*>(operands.y)};
  std::uint32_t blocks = tiles * kPlan.cluster;
  if (kPlan.persistent) {
    blocks = std::min(blocks, multiprocessors() / kPlan.cluster * kPlan.cluster);
  }
  constexpr std::uint32_t kShared = Shared<V>::kBytes;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  if (result != cudaSuccess) return result;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {kPlan.cluster, 1, 1};
  // Its beginning may overlap the end of the kernel before, whose results it waits for.
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = kShared;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = std::size(attributes);
  return cudaLaunchKernelEx(&config, kernel, left, right, y, work, finish);
}

template <class V>
cudaError_t launch(const Operands& operands, const typename V::Finish& finish,
                   cudaStream_t stream) {
  return launch<V>(gemm<V>, kThreads, operands, finish, stream);
}

}  // namespace hopper
