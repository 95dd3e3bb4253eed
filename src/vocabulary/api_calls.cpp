// SPDX-License-Identifier: Apache-2.0
#include "vocabulary/api_calls.h"

#include <algorithm>
#include <span>

#include "base/characters.h"

namespace proofline {
namespace {

// Each list in the order of its bytes.
constexpr std::string_view kSynchronise[] = {
    "cuCtxSynchronize",      "cuCtxSynchronize_v2",   "cuEventSynchronize",
    "cuStreamSynchronize",   "cudaDeviceSynchronize", "cudaEventSynchronize",
    "cudaStreamSynchronize", "cudaThreadSynchronize", "hipDeviceSynchronize",
    "hipEventSynchronize",   "hipStreamSynchronize",
};
constexpr std::string_view kLaunch[] = {
    "cuGraphLaunch",
    "cuLaunch",
    "cuLaunchCooperativeKernel",
    "cuLaunchCooperativeKernelMultiDevice",
    "cuLaunchGrid",
    "cuLaunchGridAsync",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cudaGraphLaunch",
    "cudaLaunch",
    "cudaLaunchCooperativeKernel",
    "cudaLaunchCooperativeKernelMultiDevice",
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "hipDrvLaunchKernelEx",
    "hipExtLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipGraphLaunch",
    "hipHccModuleLaunchKernel",
    "hipLaunchCooperativeKernel",
    "hipLaunchKernel",
    "hipLaunchKernelExC",
    "hipModuleLaunchCooperativeKernel",
    "hipModuleLaunchKernel",
};
constexpr std::string_view kAllocate[] = {
    "cuMemAlloc",
    "cuMemAllocAsync",
    "cuMemAllocHost_v2",
    "cuMemAllocManaged",
    "cuMemAllocPitch_v2",
    "cuMemAlloc_v2",
    "cuMemCreate",
    "cuMemFree",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuMemMap",
    "cuMemRelease",
    "cuMemUnmap",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMalloc3DArray",
    "cudaMallocArray",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "hipFree",
    "hipFreeAsync",
    "hipHostFree",
    "hipHostMalloc",
    "hipMalloc",
    "hipMallocAsync",
    "hipMallocManaged",
};

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::binary_search(names.begin(), names.end(), name);
}

}  // namespace

std::string_view plain_api_name(std::string_view name) {
  // Versions of the runtime have four digits and more: cudaLaunchKernel_ptsz_v7000.
  constexpr std::size_t kLeastDigits = 4;
  std::size_t end = name.size();
  while (end > 0 && is_digit(name[end - 1])) --end;
  if (name.size() - end >= kLeastDigits && name.substr(0, end).ends_with("_v")) {
    name = name.substr(0, end - 2);
  }
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

ApiKind api_kind(std::string_view name) {
  if (is_in(kLaunch, name)) return ApiKind::kLaunch;
  if (is_in(kSynchronise, name)) return ApiKind::kSynchronise;
  if (is_in(kAllocate, name)) return ApiKind::kAllocate;
  return ApiKind::kOther;
}

}  // namespace proofline
