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
static_assert(kActivityCopy == CUPTI_ACTIVITY_KIND_MEMCPY);
static_assert(kActivitySet == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(kActivityDriver == CUPTI_ACTIVITY_KIND_DRIVER);
static_assert(kActivityRuntime == CUPTI_ACTIVITY_KIND_RUNTIME);
static_assert(kActivityMarker == CUPTI_ACTIVITY_KIND_MARKER);
static_assert(kActivityOverhead == CUPTI_ACTIVITY_KIND_OVERHEAD);
static_assert(kActivityPeerCopy == CUPTI_ACTIVITY_KIND_MEMCPY2);
static_assert(kActivityUnifiedMemory == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
static_assert(kActivityEvent == CUPTI_ACTIVITY_KIND_CUDA_EVENT);
static_assert(kActivitySynchronization == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
static_assert(kActivityMemory == CUPTI_ACTIVITY_KIND_MEMORY2);
static_assert(kMarkerInstantaneous == CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS);
static_assert(kMarkerStart == CUPTI_ACTIVITY_FLAG_MARKER_START);
static_assert(kMarkerEnd == CUPTI_ACTIVITY_FLAG_MARKER_END);
static_assert(kMigrationToDevice == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD);
static_assert(kMigrationToHost == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH);
static_assert(kMigrationBetweenDevices ==
              CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD);
static_assert(kScopeAllDevices == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES);
static_assert(kObjectThread == CUPTI_ACTIVITY_OBJECT_THREAD);
static_assert(kSystemThreadIds == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
static_assert(kDomainDriver == CUPTI_CB_DOMAIN_DRIVER_API);
static_assert(kDomainRuntime == CUPTI_CB_DOMAIN_RUNTIME_API);
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
SAME(KernelActivity, graph_node, CUpti_ActivityKernel8, graphNodeId);
SAME(KernelActivity, graph_node, CUpti_ActivityKernel9, graphNodeId);
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
  SAME(DeviceActivity, uuid, Theirs, uuid);                                          \
  SAME(DeviceActivity, name, Theirs, name)
SAME_DEVICE(CUpti_ActivityDevice2);
SAME_DEVICE(CUpti_ActivityDevice3);
SAME_DEVICE(CUpti_ActivityDevice4);
SAME_DEVICE(CUpti_ActivityDevice5);

#define SAME_TIMED(Ours, Theirs)    \
  SAME(Ours, kind, Theirs, kind);   \
  SAME(Ours, start, Theirs, start); \
  SAME(Ours, end, Theirs, end)
#define SAME_WORK(Ours, Theirs)           \
  SAME_TIMED(Ours, Theirs);               \
  SAME(Ours, bytes, Theirs, bytes);       \
  SAME(Ours, device, Theirs, deviceId);   \
  SAME(Ours, context, Theirs, contextId); \
  SAME(Ours, stream, Theirs, streamId);   \
  SAME(Ours, correlation, Theirs, correlationId)
#define SAME_COPY(Ours, Theirs)            \
  SAME_WORK(Ours, Theirs);                 \
  SAME(Ours, copy_kind, Theirs, copyKind); \
  SAME(Ours, from, Theirs, srcKind);       \
  SAME(Ours, to, Theirs, dstKind)
SAME_COPY(CopyActivity, CUpti_ActivityMemcpy);
SAME_COPY(CopyActivity, CUpti_ActivityMemcpy3);
SAME_COPY(CopyActivity, CUpti_ActivityMemcpy4);
SAME_COPY(CopyActivity, CUpti_ActivityMemcpy5);
SAME(CopyActivity, graph_node, CUpti_ActivityMemcpy5, graphNodeId);
SAME_COPY(PeerCopyActivity, CUpti_ActivityMemcpyPtoP);
SAME_COPY(PeerCopyActivity, CUpti_ActivityMemcpyPtoP2);
SAME_COPY(PeerCopyActivity, CUpti_ActivityMemcpyPtoP3);
SAME_COPY(PeerCopyActivity, CUpti_ActivityMemcpyPtoP4);
SAME(PeerCopyActivity, from_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME(PeerCopyActivity, to_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(PeerCopyActivity, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);
SAME_WORK(SetActivity, CUpti_ActivityMemset);
SAME_WORK(SetActivity, CUpti_ActivityMemset2);
SAME_WORK(SetActivity, CUpti_ActivityMemset3);
SAME_WORK(SetActivity, CUpti_ActivityMemset4);
SAME(SetActivity, memory, CUpti_ActivityMemset4, memoryKind);
SAME(SetActivity, graph_node, CUpti_ActivityMemset4, graphNodeId);

SAME_TIMED(ApiActivity, CUpti_ActivityAPI);
SAME(ApiActivity, id, CUpti_ActivityAPI, cbid);
SAME(ApiActivity, thread, CUpti_ActivityAPI, threadId);
SAME(ApiActivity, correlation, CUpti_ActivityAPI, correlationId);

#define SAME_SYNCHRONIZATION(Theirs)                                 \
  SAME_TIMED(SynchronizationActivity, Theirs);                       \
  SAME(SynchronizationActivity, type, Theirs, type);                 \
  SAME(SynchronizationActivity, correlation, Theirs, correlationId); \
  SAME(SynchronizationActivity, context, Theirs, contextId);         \
  SAME(SynchronizationActivity, stream, Theirs, streamId);           \
  SAME(SynchronizationActivity, event, Theirs, cudaEventId)
SAME_SYNCHRONIZATION(CUpti_ActivitySynchronization);

#define SAME_EVENT(Theirs)                                 \
  SAME(EventActivity, kind, Theirs, kind);                 \
  SAME(EventActivity, correlation, Theirs, correlationId); \
  SAME(EventActivity, context, Theirs, contextId);         \
  SAME(EventActivity, stream, Theirs, streamId);           \
  SAME(EventActivity, event, Theirs, eventId)
SAME_EVENT(CUpti_ActivityCudaEvent);

#define SAME_OVERHEAD(Theirs)                              \
  SAME_TIMED(OverheadActivity, Theirs);                    \
  SAME(OverheadActivity, overhead, Theirs, overheadKind);  \
  SAME(OverheadActivity, object_kind, Theirs, objectKind); \
  SAME_PLACE(OverheadActivity, object, Theirs, objectId)
SAME_OVERHEAD(CUpti_ActivityOverhead);

SAME(MarkerActivity, flags, CUpti_ActivityMarker2, flags);
SAME(MarkerActivity, time, CUpti_ActivityMarker2, timestamp);
SAME(MarkerActivity, id, CUpti_ActivityMarker2, id);
SAME(MarkerActivity, object_kind, CUpti_ActivityMarker2, objectKind);
SAME_PLACE(MarkerActivity, object, CUpti_ActivityMarker2, objectId);
SAME(MarkerActivity, name, CUpti_ActivityMarker2, name);
SAME(MarkerActivity, domain, CUpti_ActivityMarker2, domain);
static_assert(offsetof(ActivityObject, thread) ==
              offsetof(CUpti_ActivityObjectKindId, pt.threadId));

#define SAME_MEMORY(Theirs)                                     \
  SAME(MemoryActivity, operation, Theirs, memoryOperationType); \
  SAME(MemoryActivity, memory, Theirs, memoryKind);             \
  SAME(MemoryActivity, correlation, Theirs, correlationId);     \
  SAME(MemoryActivity, address, Theirs, address);               \
  SAME(MemoryActivity, bytes, Theirs, bytes);                   \
  SAME(MemoryActivity, time, Theirs, timestamp);                \
  SAME(MemoryActivity, device, Theirs, deviceId)
SAME_MEMORY(CUpti_ActivityMemory2);
SAME_MEMORY(CUpti_ActivityMemory3);

#define SAME_MIGRATION(Theirs)                           \
  SAME_TIMED(MigrationActivity, Theirs);                 \
  SAME(MigrationActivity, counter, Theirs, counterKind); \
  SAME(MigrationActivity, bytes, Theirs, value);         \
  SAME(MigrationActivity, from, Theirs, srcId);          \
  SAME(MigrationActivity, to, Theirs, dstId);            \
  SAME(MigrationActivity, stream, Theirs, streamId)
SAME_MIGRATION(CUpti_ActivityUnifiedMemoryCounter2);
SAME(MigrationConfig, scope, CUpti_ActivityUnifiedMemoryCounterConfig, scope);
SAME(MigrationConfig, counter, CUpti_ActivityUnifiedMemoryCounterConfig, kind);
SAME(MigrationConfig, device, CUpti_ActivityUnifiedMemoryCounterConfig, deviceId);
SAME(MigrationConfig, enable, CUpti_ActivityUnifiedMemoryCounterConfig, enable);

#if CUPTI_API_VERSION >= 130000
SAME_COPY(CopyActivity, CUpti_ActivityMemcpy6);
SAME(CopyActivity, graph_node, CUpti_ActivityMemcpy6, graphNodeId);
SAME_SYNCHRONIZATION(CUpti_ActivitySynchronization2);
SAME_EVENT(CUpti_ActivityCudaEvent2);
SAME_OVERHEAD(CUpti_ActivityOverhead2);
SAME_OVERHEAD(CUpti_ActivityOverhead3);
SAME_MEMORY(CUpti_ActivityMemory4);
SAME_MIGRATION(CUpti_ActivityUnifiedMemoryCounter3);
#endif

// An enumeration and a pointer are passed as the int and the void* of our declarations.
static_assert(sizeof(CUptiResult) == sizeof(int) && sizeof(CUpti_ActivityKind) == sizeof(int) &&
              sizeof(CUpti_ActivityAttribute) == sizeof(int) &&
              sizeof(CUpti_CallbackDomain) == sizeof(int));
static_assert(std::is_pointer_v<CUcontext> && std::is_pointer_v<CUpti_SubscriberHandle>);

}  // namespace proofline::trace
