// SPDX-License-Identifier: Apache-2.0
//
// Compiled where NVIDIA's own header is at hand, and only for what the compiler says: that
// cupti_abi.h has the values and the offsets right, in every version of the records that we take.
#include <cupti.h>

#include <type_traits>

#include "cupti_abi.h"

namespace proofline::trace {

static_assert(kCuptiSuccess == CUPTI_SUCCESS);
static_assert(kActivityDevice == CUPTI_ACTIVITY_KIND_DEVICE);
static_assert(kActivityConcurrentKernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(kFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(kAttributeZeroedBuffers == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);

#define SAME(Ours, ours, Theirs, theirs)                            \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs) && \
                sizeof(std::declval<Ours>().ours) == sizeof(std::declval<Theirs>().theirs))
#define SAME_PLACE(Ours, ours, Theirs, theirs) \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs))

#define SAME_KERNEL(Theirs)                                             \
  SAME(KernelActivity, kind, Theirs, kind);                             \
  SAME(KernelActivity, registers, Theirs, registersPerThread);          \
  SAME(KernelActivity, start, Theirs, start);                           \
  SAME(KernelActivity, end, Theirs, end);                               \
  SAME(KernelActivity, device, Theirs, deviceId);                       \
  SAME(KernelActivity, context, Theirs, contextId);                     \
  SAME(KernelActivity, stream, Theirs, streamId);                       \
  SAME_PLACE(KernelActivity, grid, Theirs, gridX);                      \
  SAME_PLACE(KernelActivity, block, Theirs, blockX);                    \
  SAME(KernelActivity, static_shared, Theirs, staticSharedMemory);      \
  SAME(KernelActivity, dynamic_shared, Theirs, dynamicSharedMemory);    \
  SAME(KernelActivity, local_per_thread, Theirs, localMemoryPerThread); \
  SAME(KernelActivity, correlation, Theirs, correlationId);             \
  SAME(KernelActivity, name, Theirs, name);                             \
  SAME(KernelActivity, shared_executed, Theirs, sharedMemoryExecuted)
SAME_KERNEL(CUpti_ActivityKernel4);
SAME_KERNEL(CUpti_ActivityKernel5);
SAME_KERNEL(CUpti_ActivityKernel6);
SAME_KERNEL(CUpti_ActivityKernel7);
SAME_KERNEL(CUpti_ActivityKernel8);
SAME_KERNEL(CUpti_ActivityKernel9);
SAME_PLACE(KernelActivity, cluster, CUpti_ActivityKernel8, clusterX);
SAME_PLACE(KernelActivity, cluster, CUpti_ActivityKernel9, clusterX);
#if CUPTI_API_VERSION >= 130000
SAME_KERNEL(CUpti_ActivityKernel10);
SAME_PLACE(KernelActivity, cluster, CUpti_ActivityKernel10, clusterX);
#endif

#define SAME_DEVICE(Theirs)                                                          \
  SAME(DeviceActivity, kind, Theirs, kind);                                          \
  SAME(DeviceActivity, memory_size, Theirs, globalMemorySize);                       \
  SAME(DeviceActivity, constant_memory_size, Theirs, constantMemorySize);            \
  SAME(DeviceActivity, l2_cache_size, Theirs, l2CacheSize);                          \
  SAME(DeviceActivity, warp_size, Theirs, numThreadsPerWarp);                        \
  SAME(DeviceActivity, core_clock_khz, Theirs, coreClockRate);                       \
  SAME(DeviceActivity, copy_engines, Theirs, numMemcpyEngines);                      \
  SAME(DeviceActivity, multiprocessors, Theirs, numMultiprocessors);                 \
  SAME(DeviceActivity, max_warps_per_sm, Theirs, maxWarpsPerMultiprocessor);         \
  SAME(DeviceActivity, max_blocks_per_sm, Theirs, maxBlocksPerMultiprocessor);       \
  SAME(DeviceActivity, max_shared_per_sm, Theirs, maxSharedMemoryPerMultiprocessor); \
  SAME(DeviceActivity, max_registers_per_sm, Theirs, maxRegistersPerMultiprocessor); \
  SAME(DeviceActivity, max_registers_per_block, Theirs, maxRegistersPerBlock);       \
  SAME(DeviceActivity, max_shared_per_block, Theirs, maxSharedMemoryPerBlock);       \
  SAME(DeviceActivity, max_threads_per_block, Theirs, maxThreadsPerBlock);           \
  SAME(DeviceActivity, cc_major, Theirs, computeCapabilityMajor);                    \
  SAME(DeviceActivity, cc_minor, Theirs, computeCapabilityMinor);                    \
  SAME(DeviceActivity, id, Theirs, id);                                              \
  SAME(DeviceActivity, ecc_enabled, Theirs, eccEnabled);                             \
  SAME(DeviceActivity, name, Theirs, name)
SAME_DEVICE(CUpti_ActivityDevice2);
SAME_DEVICE(CUpti_ActivityDevice3);
SAME_DEVICE(CUpti_ActivityDevice4);
SAME_DEVICE(CUpti_ActivityDevice5);

// An enumeration and a pointer are passed as the int and the void* of our declarations.
static_assert(sizeof(CUptiResult) == sizeof(int) && sizeof(CUpti_ActivityKind) == sizeof(int) &&
              sizeof(CUpti_ActivityAttribute) == sizeof(int) &&
              sizeof(CUpti_CallbackDomain) == sizeof(int));
static_assert(std::is_pointer_v<CUcontext> && std::is_pointer_v<CUpti_SubscriberHandle>);

}  // namespace proofline::trace
