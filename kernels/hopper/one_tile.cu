// SPDX-License-Identifier: Apache-2.0
//
// Level 2: level_1.cu for every shape of wgmma here, with the A operand from shared memory or from
// registers. It is for tests that code rows and columns into the values (one_tile.py).
//
//   d (64, N) fp32 = a (64, K) * b (N, K)^T      K: 128 bytes, 64 bf16 or 128 e4m3
#include <cuda_runtime.h>

#include <cstring>
#include <exception>
#include <iterator>

#include "descriptor.h"
#include "fragment.h"
#include "pipeline.cuh"
#include "ptx.cuh"
#include "tensor_map.h"
#include "wgmma.cuh"

namespace hopper {
namespace {

constexpr std::uint32_t kM = 64;
constexpr std::uint32_t kSteps = kRowBytes / kStepBytes;

template <std::uint32_t kN>
struct Tiles {
  std::uint8_t a[kM * kRowBytes];  // (64, 128 B), swizzled
  std::uint8_t b[kN * kRowBytes];  // (N, 128 B), swizzled
  Mbarrier full;
};

// The A fragments of all steps along K (fragment.h), (16, 32 B) per warp and step.
__device__ void load_fragments(const std::uint8_t* a, std::uint32_t (&fragments)[kSteps][4]) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t row = threadIdx.x / 32 * 16 + lane % 16;
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    ldmatrix_x4(fragments[step],
                shared_address(a) + swizzled(row, step * kStepBytes + lane / 16 * 16));
  }
}

enum class AFrom { kShared, kRegisters };

template <class Element, std::uint32_t kN, AFrom kAFrom>
__global__ void __launch_bounds__(128)
    one_tile(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
             float* d_out) {  // (64, N)
  extern __shared__ std::uint8_t memory[];
  auto& tiles = align_shared<Tiles<kN>>(memory);
  if (threadIdx.x == 0) {
    tiles.full.init(1);
    fence_mbarrier_init();
    tiles.full.arrive_expect_tx(sizeof tiles.a + sizeof tiles.b);
    tma_load(tiles.a, a_map, 0, 0, tiles.full);
    tma_load(tiles.b, b_map, 0, 0, tiles.full);
  }
  __syncthreads();
  tiles.full.wait(0);
  const std::uint64_t a = k_major(shared_address(tiles.a));
  const std::uint64_t b = k_major(shared_address(tiles.b));
  float d[kN / 2];  // (64, N) per warpgroup
  std::uint32_t fragments[kSteps][4];
  if constexpr (kAFrom == AFrom::kRegisters) load_fragments(tiles.a, fragments);
  wgmma_fence();
#pragma unroll
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    const std::uint64_t b_step = advance(b, step * kStepBytes);
    if constexpr (kAFrom == AFrom::kRegisters) {
      wgmma(Element{}, d, fragments[step], b_step, step > 0);
    } else {
      wgmma(Element{}, d, advance(a, step * kStepBytes), b_step, step > 0);
    }
  }
  wgmma_commit_group();
  wgmma_wait_group<0>();
#pragma unroll
  for (std::uint32_t i = 0; i < kN / 2; ++i) {
    d_out[accumulator_row(threadIdx.x, i) * kN + accumulator_column(threadIdx.x, i)] = d[i];
  }
}

template <class Element, std::uint32_t kN, AFrom kAFrom>
cudaError_t launch(const void* a, const void* b, float* d, cudaStream_t stream) {
  const auto map = [](const void* data, std::uint32_t rows) {
    constexpr std::uint32_t kK = kRowBytes / Element::kBytes;
    constexpr CUtensorMapDataType kType =
        Element::kBytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    return tensor_map({const_cast<void*>(data), rows, kK, kK, kType, Element::kBytes}, rows);
  };
  const auto kernel = one_tile<Element, kN, kAFrom>;
  constexpr std::uint32_t kBytes = sizeof(Tiles<kN>) + kAtomBytes;
  const cudaError_t result =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  if (result != cudaSuccess) return result;
  kernel<<<1, 128, kBytes, stream>>>(map(a, kM), map(b, kN), d);
  return cudaGetLastError();
}

struct Shape {
  const char* name;  // element type, N, and where the A operand is
  cudaError_t (*launch)(const void* a, const void* b, float* d, cudaStream_t stream);
};

constexpr Shape kShapes[] = {
    {"bf16 32 shared", launch<Bf16, 32, AFrom::kShared>},
    {"bf16 32 registers", launch<Bf16, 32, AFrom::kRegisters>},
    {"bf16 64 shared", launch<Bf16, 64, AFrom::kShared>},
    {"bf16 64 registers", launch<Bf16, 64, AFrom::kRegisters>},
    {"bf16 96 shared", launch<Bf16, 96, AFrom::kShared>},
    {"bf16 96 registers", launch<Bf16, 96, AFrom::kRegisters>},
    {"bf16 128 shared", launch<Bf16, 128, AFrom::kShared>},
    {"bf16 128 registers", launch<Bf16, 128, AFrom::kRegisters>},
    {"bf16 160 shared", launch<Bf16, 160, AFrom::kShared>},
    {"bf16 160 registers", launch<Bf16, 160, AFrom::kRegisters>},
    {"bf16 192 shared", launch<Bf16, 192, AFrom::kShared>},
    {"bf16 192 registers", launch<Bf16, 192, AFrom::kRegisters>},
    {"bf16 224 shared", launch<Bf16, 224, AFrom::kShared>},
    {"bf16 224 registers", launch<Bf16, 224, AFrom::kRegisters>},
    {"bf16 256 shared", launch<Bf16, 256, AFrom::kShared>},
    {"bf16 256 registers", launch<Bf16, 256, AFrom::kRegisters>},
    {"e4m3 128 shared", launch<E4m3, 128, AFrom::kShared>},
    {"e4m3 192 shared", launch<E4m3, 192, AFrom::kShared>},
    {"e4m3 256 shared", launch<E4m3, 256, AFrom::kShared>},
};

}  // namespace
}  // namespace hopper

using namespace hopper;

extern "C" const char* const* one_tile_shapes(void) {
  static const char* names[std::size(kShapes) + 1] = {};
  for (std::size_t i = 0; i < std::size(kShapes); ++i) names[i] = kShapes[i].name;
  return names;
}

// Device memory. Returns 0 or a cudaError_t.
extern "C" int one_tile_launch(const char* shape, const void* a, const void* b, void* d,
                               void* stream) {
  for (const Shape& candidate : kShapes) {
    if (std::strcmp(candidate.name, shape) != 0) continue;
    try {
      return candidate.launch(a, b, static_cast<float*>(d), static_cast<cudaStream_t>(stream));
    } catch (const std::exception&) {
      return cudaErrorNotSupported;  // the driver cannot encode tensor maps
    }
  }
  return cudaErrorInvalidValue;
}
