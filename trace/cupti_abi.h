// SPDX-License-Identifier: Apache-2.0
//
// The few things of CUPTI that the recorder uses, declared by ourselves: so it builds on machines
// without a CUDA toolkit and for other architectures, and one binary serves every CUPTI since CUDA
// 9.0. NVIDIA adds to the end of a record and never moves what is there: all fields up to
// `shared_executed` lie at the same place in versions 4 to 10 of the kernel record, the cluster in
// 8 to 10, and all fields of the device record in 2 to 5. cupti_abi_check.cpp holds this against
// NVIDIA's own header where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace proofline::trace {

// CUptiResult
inline constexpr int kCuptiSuccess = 0;

// CUpti_ActivityKind
inline constexpr std::uint32_t kActivityDevice = 8;
inline constexpr std::uint32_t kActivityConcurrentKernel = 10;

// CUpti_ActivityFlag: hand over buffers with unfinished records too.
inline constexpr std::uint32_t kFlushForced = 1;

// CUpti_ActivityAttribute: the buffers that we give are zeroed already. The value is a uint8_t.
inline constexpr int kAttributeZeroedBuffers = 5;

// What cuptiGetVersion says: of CUDA 9.0, with version 4 of the kernel record, and of CUDA 11.8,
// with version 8. From CUDA 13.0 on it is 130000 and so forth.
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
};

}  // namespace proofline::trace
