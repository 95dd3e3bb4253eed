// SPDX-License-Identifier: Apache-2.0
//
// Launches a gemm.cuh kernel: its tensor maps, grid, cluster and programmatic dependent launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "gemm.cuh"
#include "tensor_map.h"

namespace hopper {

struct Operands {
  const void* a = nullptr;  // (m, k)
  const void* b = nullptr;  // (n, k)
  void* d = nullptr;        // (m, n), 16-bit elements
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;  // a multiple of 128 bytes
};

inline std::uint32_t multiprocessors() {
  int device = 0;
  int count = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return static_cast<std::uint32_t>(count);
}

// Any kernel with the parameters of gemm(). Throws std::runtime_error where the driver cannot
// encode tensor maps.
template <class P, class Kernel>
cudaError_t launch(Kernel kernel, std::uint32_t threads, const Operands& operands,
                   const typename P::Epilogue& epilogue, cudaStream_t stream) {
  const auto matrix = [](const void* data, std::uint32_t rows, std::uint32_t columns,
                         CUtensorMapDataType type, std::uint32_t bytes) {
    return Matrix{const_cast<void*>(data), rows, columns, columns, type, bytes};
  };
  constexpr std::uint32_t kBytes = P::Element::kBytes;
  constexpr CUtensorMapDataType kType =
      kBytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const CUtensorMap a = tensor_map(matrix(operands.a, operands.m, operands.k, kType, kBytes),
                                   kTileM);  // boxes of (kTileM, 128 B)
  const CUtensorMap b = tensor_map(matrix(operands.b, operands.n, operands.k, kType, kBytes),
                                   P::kTileN / P::kCluster);  // (kTileN / kCluster, 128 B)
  const CUtensorMap d =
      tensor_map(matrix(operands.d, operands.m, operands.n, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2),
                 kStoreBytes / kRowBytes);  // (16, 128 B)

  const auto pieces = [](std::uint32_t all, std::uint32_t size) { return (all + size - 1) / size; };
  const std::uint32_t tiles_n = pieces(operands.n, P::kTileN);
  const std::uint32_t tiles = pieces(operands.m, kTileM * P::kCluster) * tiles_n;
  const Work work{operands.m, operands.n, operands.k * kBytes / kRowBytes,
                  tiles,      tiles_n,    static_cast<std::uint16_t*>(operands.d)};
  std::uint32_t blocks = tiles * P::kCluster;
  if (P::kPersistent) {
    blocks = std::min(blocks, multiprocessors() / P::kCluster * P::kCluster);
  }
  constexpr std::uint32_t kShared = sizeof(Shared<P>) + kAtomBytes;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  if (result != cudaSuccess) return result;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {P::kCluster, 1, 1};
  // Programmatic dependent launch: its prologue may overlap the end of the kernel before, whose
  // results it waits for by griddepcontrol.wait.
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = kShared;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = std::size(attributes);
  return cudaLaunchKernelEx(&config, kernel, a, b, d, work, epilogue);
}

template <class P>
cudaError_t launch(const Operands& operands, const typename P::Epilogue& epilogue,
                   cudaStream_t stream) {
  return launch<P>(gemm<P>, kThreads, operands, epilogue, stream);
}

}  // namespace hopper
