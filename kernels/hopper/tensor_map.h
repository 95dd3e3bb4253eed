// SPDX-License-Identifier: Apache-2.0
//
// Tensor maps: what TMA knows of a matrix in global memory, and of the boxes that it copies.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace hopper {

// A row-major matrix (rows, columns); rows start `pitch` elements apart.
struct Matrix {
  void* data = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t pitch = 0;  // a multiple of 16 bytes
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  std::uint32_t element_bytes = 2;
};

// The driver's function, looked up at run time: nothing here links against libcuda.
inline auto tensor_map_encoder() {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    constexpr unsigned kCudaVersion = 12000;  // the first that has it
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kCudaVersion,
                                         cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess) {
      throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
    }
    return reinterpret_cast<Encode>(function);
  }();
  return encode;
}

// Boxes of (rows, 128 bytes) with the 128-byte swizzle that wgmma reads (descriptor.h); rows <=
// 256. Outside of the matrix loads give zeros and stores write nothing.
inline CUtensorMap tensor_map(const Matrix& matrix, std::uint32_t rows) {
  CUtensorMap map{};
  const cuuint64_t sizes[2] = {matrix.columns, matrix.rows};
  const cuuint64_t strides[1] = {matrix.pitch * matrix.element_bytes};
  const cuuint32_t box[2] = {128 / matrix.element_bytes, rows};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult result =
      tensor_map_encoder()(&map, matrix.type, 2, matrix.data, sizes, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  }
  return map;
}

}  // namespace hopper
