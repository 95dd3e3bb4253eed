// SPDX-License-Identifier: Apache-2.0
//
// The few things of CUPTI that the recorder uses, declared by ourselves: so it builds on machines
// without a CUDA toolkit and for other architectures, and one binary serves every CUPTI since CUDA
// 9.0. NVIDIA adds to the end of a record and never moves what is there: all fields up to
// `shared_executed` have the same offset in versions 4 to 10 of the kernel record, the cluster in
// 8 to 10, all fields of the device record in 2 to 5, and those of the other records in every
// version, but for the graph's node, which is there from CUDA 11.8 on. cupti_abi_check.cpp holds
// this against NVIDIA's own header where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace proofline::trace {

// CUptiResult
inline constexpr int kCuptiSuccess = 0;

// CUpti_ActivityKind
inline constexpr std::uint32_t kActivityCopy = 1;
inline constexpr std::uint32_t kActivitySet = 2;
inline constexpr std::uint32_t kActivityDriver = 4;
inline constexpr std::uint32_t kActivityRuntime = 5;
inline constexpr std::uint32_t kActivityDevice = 8;
inline constexpr std::uint32_t kActivityConcurrentKernel = 10;
inline constexpr std::uint32_t kActivityMarker = 12;
inline constexpr std::uint32_t kActivityOverhead = 17;
inline constexpr std::uint32_t kActivityPeerCopy = 22;
inline constexpr std::uint32_t kActivityUnifiedMemory = 25;
inline constexpr std::uint32_t kActivityEvent = 36;
inline constexpr std::uint32_t kActivitySynchronization = 38;
inline constexpr std::uint32_t kActivityMemory = 49;

// CUpti_ActivityFlag, of markers: nothing but a point in time, the start of a range, its end.
inline constexpr std::uint32_t kMarkerInstantaneous = 1;
inline constexpr std::uint32_t kMarkerStart = 2;
inline constexpr std::uint32_t kMarkerEnd = 4;

// CUpti_ActivityUnifiedMemoryCounterKind: bytes that moved to a GPU, from one, between two. The
// scope is of all devices.
inline constexpr std::uint32_t kMigrationToDevice = 1;
inline constexpr std::uint32_t kMigrationToHost = 2;
inline constexpr std::uint32_t kMigrationBetweenDevices = 8;
inline constexpr std::uint32_t kScopeAllDevices = 2;

// CUpti_ActivityObjectKind
inline constexpr std::uint32_t kObjectThread = 2;

// CUpti_ActivityThreadIdType: as the system numbers threads.
inline constexpr int kSystemThreadIds = 1;

// CUpti_CallbackDomain
inline constexpr int kDomainDriver = 1;
inline constexpr int kDomainRuntime = 2;

// CUpti_ActivityFlag: hand over buffers with unfinished records too.
inline constexpr std::uint32_t kFlushForced = 1;

// CUpti_ActivityAttribute: the buffers that we give are zeroed already. The value is a uint8_t.
inline constexpr int kAttributeZeroedBuffers = 5;

// What cuptiGetVersion says: of CUDA 9.0, with version 4 of the kernel record, and of CUDA 11.8,
// with version 8 and the nodes of graphs. From CUDA 13.0 on it is 130000 and so forth.
inline constexpr std::uint32_t kOldestCupti = 10;
inline constexpr std::uint32_t kCuptiWithClusters = 18;

// CUpti_ActivityKernel4 to 10. The records in a buffer are as long as their version says: it is
// cuptiActivityGetNextRecord that walks them.
struct KernelActivity {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_config;
  std::uint16_t registers;
  std::uint32_t cache_requested;
  std::uint32_t cache_executed;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t completed;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared;
  std::int32_t dynamic_shared;
  std::uint32_t local_per_thread;
  std::uint32_t local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued;
  std::uint64_t submitted;
  std::uint8_t launch_type;
  std::uint8_t carveout_is_requested;
  std::uint8_t carveout_requested;
  std::uint8_t padding;
  std::uint32_t shared_executed;
  // From version 8 on.
  std::uint64_t graph_node;
  std::uint32_t shared_limit;
  std::uint32_t graph;
  void* access_policy;
  std::uint32_t channel;
  std::uint32_t channel_type;
  std::uint32_t cluster[3];
};

// CUpti_ActivityDevice2 to 5.
struct DeviceActivity {
  std::uint32_t kind;
  std::uint32_t flags;
  std::uint64_t memory_bandwidth;
  std::uint64_t memory_size;
  std::uint32_t constant_memory_size;
  std::uint32_t l2_cache_size;
  std::uint32_t warp_size;
  std::uint32_t core_clock_khz;
  std::uint32_t copy_engines;
  std::uint32_t multiprocessors;
  std::uint32_t max_ipc;
  std::uint32_t max_warps_per_sm;
  std::uint32_t max_blocks_per_sm;
  std::uint32_t max_shared_per_sm;
  std::uint32_t max_registers_per_sm;
  std::uint32_t max_registers_per_block;
  std::uint32_t max_shared_per_block;
  std::uint32_t max_threads_per_block;
  std::uint32_t max_block_dim[3];
  std::uint32_t max_grid_dim[3];
  std::uint32_t cc_major;
  std::uint32_t cc_minor;
  std::uint32_t id;
  std::uint32_t ecc_enabled;
  unsigned char uuid[16];
  const char* name;
};

// CUpti_ActivityMemcpy*
struct CopyActivity {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint32_t runtime_correlation;
  std::uint32_t padding;
  void* reserved;
  // From CUDA 11.8 on.
  std::uint64_t graph_node;
};

// CUpti_ActivityMemcpyPtoP*
struct PeerCopyActivity {
  std::uint32_t kind;
  std::uint8_t copy_kind;
  std::uint8_t from;
  std::uint8_t to;
  std::uint8_t flags;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t from_device;
  std::uint32_t from_context;
  std::uint32_t to_device;
  std::uint32_t to_context;
  std::uint32_t correlation;
  void* reserved;
  // From CUDA 11.8 on.
  std::uint64_t graph_node;
};

// CUpti_ActivityMemset*
struct SetActivity {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t correlation;
  std::uint16_t flags;
  std::uint16_t memory;
  std::uint32_t padding;
  void* reserved;
  // From CUDA 11.8 on.
  std::uint64_t graph_node;
};

// CUpti_ActivityAPI, of runtime and driver
struct ApiActivity {
  std::uint32_t kind;
  std::uint32_t id;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t correlation;
  std::uint32_t result;
};

// CUpti_ActivitySynchronization*
struct SynchronizationActivity {
  std::uint32_t kind;
  std::uint32_t type;
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
};

// CUpti_ActivityCudaEvent*
struct EventActivity {
  std::uint32_t kind;
  std::uint32_t correlation;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint32_t event;
};

// What a marker or an overhead belongs to; of a thread (kObjectThread).
struct ActivityObject {
  std::uint32_t process;
  std::uint32_t thread;
  std::uint32_t stream;
};

// CUpti_ActivityOverhead*
struct OverheadActivity {
  std::uint32_t kind;
  std::uint32_t overhead;
  std::uint32_t object_kind;
  ActivityObject object;
  std::uint64_t start;
  std::uint64_t end;
};

// CUpti_ActivityMarker2. A range has two: the name is in the first.
struct MarkerActivity {
  std::uint32_t kind;
  std::uint32_t flags;
  std::uint64_t time;
  std::uint32_t id;
  std::uint32_t object_kind;
  ActivityObject object;
  std::uint32_t padding;
  const char* name;
  const char* domain;
};

// CUpti_ActivityMemory2 to 4
struct MemoryActivity {
  std::uint32_t kind;
  std::uint32_t operation;  // 1: allocated, 2: released
  std::uint32_t memory;
  std::uint32_t correlation;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t time;
  std::uint64_t program_counter;
  std::uint32_t process;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
};

// CUpti_ActivityUnifiedMemoryCounter2 and 3
struct MigrationActivity {
  std::uint32_t kind;
  std::uint32_t counter;
  std::uint64_t bytes;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t address;
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t stream;
  std::uint32_t process;
};

// CUpti_ActivityUnifiedMemoryCounterConfig
struct MigrationConfig {
  std::uint32_t scope;
  std::uint32_t counter;
  std::uint32_t device;
  std::uint32_t enable;
};

using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                 std::size_t* max_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
using SubscriberCallback = void (*)(void* user, int domain, std::uint32_t id, const void* data);

// The functions by their names; an enumeration is an int in NVIDIA's header.
struct CuptiFunctions {
  int (*get_version)(std::uint32_t* version);
  int (*get_result_string)(int result, const char** text);
  int (*subscribe)(void** subscriber, SubscriberCallback callback, void* user);
  int (*unsubscribe)(void* subscriber);
  int (*register_callbacks)(BufferRequested requested, BufferCompleted completed);
  int (*enable)(std::uint32_t kind);
  int (*flush_all)(std::uint32_t flag);
  int (*get_next_record)(std::uint8_t* buffer, std::size_t valid, void** record);
  int (*get_dropped)(void* context, std::uint32_t stream, std::size_t* dropped);
  int (*set_attribute)(int attribute, std::size_t* size, void* value);
  // These are null where the library is too old for them.
  int (*disable)(std::uint32_t kind);
  int (*get_timestamp)(std::uint64_t* ns);
  int (*get_callback_name)(int domain, std::uint32_t id, const char** name);
  int (*enable_runtime_api)(std::uint32_t id, std::uint8_t enable);
  int (*enable_driver_api)(std::uint32_t id, std::uint8_t enable);
  int (*set_thread_id_type)(int type);
  int (*configure_unified_memory)(MigrationConfig* configs, std::uint32_t count);
  int (*initialize_nvtx)(void* get_export_table);
};

}  // namespace proofline::trace
