// SPDX-License-Identifier: Apache-2.0
#include "moe.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>

#include "../hopper/launch.h"
#include "staged.cuh"
#include "stream.cuh"
#include "wide.cuh"

namespace moe {
namespace {

// A thread makes one word of a record, of codes or of scales. Grid: (records, words / threads).
//
//   codes: (experts, n, k / 2), scales: (experts, n, k / 32), packed: (experts, tiles, blocks) records
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
      const std::uint32_t k =
          block * kBlockK + step * 16 + place.pair / 2 * 8 + lane % 4 * 2 + i % 2;
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
  moe_weights weights;
  const __nv_bfloat16* x;
  const int* ends;
  __nv_bfloat16* y;
  cudaStream_t stream;
};

template <class Kernel>
cudaError_t allow_shared(Kernel kernel, std::uint32_t bytes) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(bytes));
}

CUtensorMap x_map(const Problem& problem, std::uint32_t rows) {
  return hopper::tensor_map(
      {const_cast<__nv_bfloat16*>(problem.x), problem.shape.rows, problem.shape.k, problem.shape.k},
      rows);
}

template <class P, bool kGated>
cudaError_t launch_stream(const Problem& problem, RowRange range, bool is_second) {
  const Shape& shape = problem.shape;
  const std::uint32_t share = blocks_of_part<P>(shape.k);
  const bool enough = shape.k / kBlockK >= (P::kSplitK - 1) * share + kAhead;  // for the last part
  if (problem.weights.packed == nullptr || !enough) return cudaErrorInvalidValue;
  const auto kernel = stream<P, kGated>;
  const std::uint32_t bytes =
      StreamShared<P>::x_bytes(share * kBlockK) + StreamShared<P>::kHandedBytes;
  if (const cudaError_t result = allow_shared(kernel, bytes); result != cudaSuccess) return result;
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {P::kSplitK, 1, 1};
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(tiles_of(shape.n) * P::kSplitK, shape.experts);
  config.blockDim = dim3(kStreamWarps * 32);
  config.dynamicSmemBytes = bytes;
  config.stream = problem.stream;
  config.attrs = attributes;
  config.numAttrs = is_second ? 2 : 1;  // the first waits for the kernel before it
  return cudaLaunchKernelEx(&config, kernel,
                            static_cast<const std::uint8_t*>(problem.weights.packed), problem.x,
                            problem.ends, problem.y, shape, range);
}

// All experts by one plan.
template <class P, bool kGated>
cudaError_t launch_stream(const Problem& problem) {
  return launch_stream<P, kGated>(problem, {}, false);
}
// Experts with more than eight rows by plan P, the others by Stream8. Those with more rows come
// first, since they take longer.
template <class P, bool kGated>
cudaError_t launch_streams(const Problem& problem) {
  const cudaError_t result = launch_stream<P, kGated>(problem, {9, ~0U}, false);
  return result != cudaSuccess ? result : launch_stream<Stream8, kGated>(problem, {1, 8}, true);
}

bool make_source(const Problem& problem, Mxfp4Weights::Source& source) {
  source.packed = static_cast<const std::uint8_t*>(problem.weights.packed);
  return source.packed != nullptr;
}
bool make_source(const Problem& problem, Bf16Weights::Source& source) {
  const Shape& shape = problem.shape;
  if (problem.weights.bf16 == nullptr) return false;
  source.map = hopper::tensor_map({const_cast<void*>(problem.weights.bf16),
                                   std::uint64_t{shape.experts} * shape.n, shape.k, shape.k},
                                  kTileRows);
  return true;
}

template <class P, bool kGated>
cudaError_t launch_wide(const Problem& problem) {
  typename P::Weights::Source source;
  if (!make_source(problem, source)) return cudaErrorInvalidValue;
  const auto kernel = wide<P, kGated>;
  constexpr std::uint32_t kBytes = sizeof(WideShared<P>) + hopper::kAtomBytes;
  if (const cudaError_t result = allow_shared(kernel, kBytes); result != cudaSuccess) return result;
  kernel<<<hopper::multiprocessors(), kWideThreads, kBytes, problem.stream>>>(
      XMaps{x_map(problem, P::kMinWidth), x_map(problem, P::kWidthStep)}, source, problem.ends,
      problem.y, problem.shape);
  return cudaGetLastError();
}

template <Fault kFault>
cudaError_t launch_staged(const Problem& problem) {
  const moe_weights& weights = problem.weights;
  if (weights.codes == nullptr || weights.scales == nullptr) return cudaErrorInvalidValue;
  const auto kernel = staged<kFault>;
  constexpr std::uint32_t kBytes = sizeof(StagedShared) + hopper::kAtomBytes;
  if (const cudaError_t result = allow_shared(kernel, kBytes); result != cudaSuccess) return result;
  const dim3 blocks(tiles_of(problem.shape.n), problem.shape.experts);
  kernel<<<blocks, kStagedThreads, kBytes, problem.stream>>>(
      x_map(problem, kStagedRows), static_cast<const std::uint8_t*>(weights.codes),
      static_cast<const std::uint8_t*>(weights.scales), problem.ends, problem.y, problem.shape);
  return cudaGetLastError();
}

using Launch = cudaError_t (*)(const Problem& problem);

struct Variant {
  const char* name;
  std::uint32_t most_rows;  // per expert on average, up to which `auto` takes it; 0: never
  Launch plain;
  Launch gated;  // null: not supported
};

template <class P>
constexpr Variant wide_variant(const char* name, std::uint32_t most_rows) {
  return {name, most_rows, launch_wide<P, false>, launch_wide<P, true>};
}

// ladder: moe step 1: staged is held by async-wait
// ladder: moe step 2: wide64 is held by instruction-overhead or async-wait
// ladder: moe step 3: stream8 is held by instruction-overhead
// ladder: moe step 4: stream is held by instruction-overhead
// ladder: moe step 5: stream-split is held by instruction-overhead
// ladder: moe step 6: before-wide192 is held by async-wait or tensor-pipe
// ladder: moe step 7: wide192 is held by async-wait or tensor-pipe
constexpr Variant kVariants[] = {
    {"staged", 0, launch_staged<Fault::kNone>, nullptr},
    {"staged-warp-products", 0, launch_staged<Fault::kWarpProducts>, nullptr},
    {"staged-twice", 0, launch_staged<Fault::kTwice>, nullptr},
    {"staged-scalar", 0, launch_staged<Fault::kScalar>, nullptr},
    {"staged-spills", 0, launch_staged<Fault::kSpills>, nullptr},
    {"staged-unswizzled", 0, launch_staged<Fault::kUnswizzled>, nullptr},
    {"stream8", 0, launch_stream<Stream8, false>, launch_stream<Stream8, true>},
    {"stream16", 0, launch_stream<Stream16, false>, launch_stream<Stream16, true>},
    {"stream", 0, launch_streams<Stream16, false>, launch_streams<Stream16, true>},
    {"stream-split", 16, launch_streams<Stream16SplitK, false>,
     launch_streams<Stream16SplitK, true>},
    wide_variant<Wide64>("wide64", 64),
    wide_variant<Wide192>("wide192", 192),
    wide_variant<Wide256>("wide256", ~0U),
    wide_variant<WideBf16N64>("bf16-64", 0),
    wide_variant<WideBf16N192>("bf16-192", 0),
    wide_variant<WideBf16N256>("bf16-256", 0),
};

Shape shape_of(const moe_layer& layer, unsigned rows) {
  return {layer.n, layer.k, layer.experts, rows};
}

bool is_supported(const moe_layer& layer) {
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
  if (!is_supported(*layer)) return cudaErrorInvalidValue;
  constexpr unsigned kThreads = 128;
  const dim3 blocks(layer->experts * tiles_of(layer->n) * (layer->k / kBlockK),
                    (kRecordBytes / 4 + kThreads - 1) / kThreads);
  pack<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const std::uint8_t*>(codes), static_cast<const std::uint8_t*>(scales),
      static_cast<std::uint32_t*>(packed), shape_of(*layer, 0), static_cast<unsigned*>(refused));
  return cudaGetLastError();
}

int moe_launch(const char* variant, const moe_layer* layer, const moe_weights* weights,
               const void* x, const void* ends, void* y, unsigned rows, int gated, void* stream) {
  if (!is_supported(*layer) || rows == 0) return cudaErrorInvalidValue;
  const bool choose = std::strcmp(variant, "auto") == 0;
  const Problem problem{shape_of(*layer, rows),
                        *weights,
                        static_cast<const __nv_bfloat16*>(x),
                        static_cast<const int*>(ends),
                        static_cast<__nv_bfloat16*>(y),
                        static_cast<cudaStream_t>(stream)};
  for (const Variant& candidate : kVariants) {
    const bool wanted =
        choose ? rows <= static_cast<std::uint64_t>(candidate.most_rows) * layer->experts
               : std::strcmp(candidate.name, variant) == 0;
    if (!wanted) continue;
    const Launch launch = gated != 0 ? candidate.gated : candidate.plain;
    if (launch == nullptr) return cudaErrorInvalidValue;
    try {
      return launch(problem);
    } catch (const std::exception&) {
      return cudaErrorNotSupported;  // the driver cannot encode tensor maps
    }
  }
  return cudaErrorInvalidValue;
}
