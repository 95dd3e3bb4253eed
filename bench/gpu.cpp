// SPDX-License-Identifier: Apache-2.0
#include "gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/propagate.h"
#include "base/stored_file.h"
#include "base/text.h"
#include "model/machine/gpu.h"
#include "readers/benchmark/ceilings_text.h"
#include "tools/machine/nvml.h"

namespace proofline::bench {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

// Both edges of the memory's clock carry data. Absent where CUDA does not know its clock.
std::optional<double> dram_roof(int device) {
  const double khz = attribute(cudaDevAttrMemoryClockRate, device);
  const double bits = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
  if (!(khz > 0) || !(bits > 0)) return std::nullopt;
  return 2 * khz * 1e3 * bits / 8;
}

// Those of this GPU, as proofline calibrate wrote them; nothing where there are none.
Result<std::optional<Ceilings>> stored_ceilings(const BenchmarkMachine& machine) {
  ASSIGN_OR_RETURN(const auto path, find_ceilings_file(machine));
  if (path.empty()) return std::nullopt;
  StoredFile file(quote(path), std::numeric_limits<std::uint64_t>::max());
  RETURN_IF_ERROR(file.open(path));
  std::string text(kMostCeilingsBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    ASSIGN_OR_RETURN(const auto got, file.read(text.data() + size, text.size() - size));
    if (got == 0) break;
    size += got;
  }
  text.resize(size);
  ASSIGN_OR_RETURN(auto ceilings, parse_ceilings_for(machine, text, path));
  return std::optional(std::move(ceilings));
}

}  // namespace

CudaError::CudaError(cudaError_t code, const std::string& call)
    : std::runtime_error(
          fmt::format("{} ({}) from {}", cudaGetErrorName(code), cudaGetErrorString(code), call)),
      code_(code) {}

void require(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw CudaError(result, call);
}

bool is_usable_after_error() {
  cudaGetLastError();
  const bool usable = cudaDeviceSynchronize() == cudaSuccess;
  cudaGetLastError();
  return usable;
}

Gpu::Gpu(int device) {
  require(cudaSetDevice(device), "cudaSetDevice");
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  machine_.gpu = properties.name;
  std::array<unsigned char, sizeof properties.uuid.bytes> uuid{};
  std::memcpy(uuid.data(), properties.uuid.bytes, uuid.size());
  machine_.uuid = gpu_uuid_text(uuid);
  machine_.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  multiprocessors_ = properties.multiProcessorCount;
  int runtime = 0;
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  machine_.cuda = cuda_version_text(runtime);
  roofs_.dram_bytes_per_second = dram_roof(device);
  roofs_.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  if (const auto index = add_nvml_facts(machine_)) watch_ = std::make_unique<ClockWatch>(*index);
  look_for_ceilings();
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

Gpu::~Gpu() {
  cudaFree(scratch_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

// Times are as good without: trouble with the file loses nothing of what is measured.
void Gpu::look_for_ceilings() {
  auto found = stored_ceilings(machine_);
  if (!found) {
    notes_.push_back({NoteKind::kInfo, "", "no shares of the roof: " + found.error().message});
  } else if (*found) {
    roofs_.measured = std::move(**found);
    for (const Note& note : roofs_.measured.notes) {
      notes_.push_back({NoteKind::kInfo, roofs_.measured.path, note.what, note.count});
    }
  }
}

BenchmarkMachine Gpu::machine() const {
  BenchmarkMachine machine = machine_;
  if (watch_) machine.locked_sm_mhz = watch_->locked_mhz();
  if (machine.locked_sm_mhz) machine.clocks_locked = true;
  return machine;
}

void Gpu::overwrite_cache() {
  if (scratch_ == nullptr) {
    scratch_bytes_ = std::max<std::size_t>(static_cast<std::size_t>(2 * roofs_.l2_bytes), 1);
    require(cudaMalloc(&scratch_, scratch_bytes_), "cudaMalloc");
  }
  require(cudaMemsetAsync(scratch_, 0, scratch_bytes_, stream_), "cudaMemsetAsync");
}

void Gpu::begin_memory() {
  std::size_t total = 0;
  require(cudaMemGetInfo(&most_free_, &total), "cudaMemGetInfo");
}

void Gpu::begin_peak() {
  least_free_ = most_free_;
  look_at_memory();
}

void Gpu::look_at_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  least_free_ = std::min(least_free_, free);
}

}  // namespace proofline::bench
