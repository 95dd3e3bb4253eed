// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA's management library says of the driver and its GPUs. The library is part of the
// driver and is opened only when it is asked; where it, or one of its functions, is missing, the
// answer is absent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/machine/machine.h"
#include "model/measurement/benchmark.h"

namespace proofline {

struct NvmlAnswer {
  std::string trouble;            // why there is nothing else; "" there is
  bool version_mismatch = false;  // the trouble is that the kernel's module is of another version
  std::string driver;
  std::optional<std::uint32_t> cuda;  // 13000
  std::optional<bool> confidential;
  std::optional<bool> confidential_tools;
  std::vector<GpuState> gpus;
};

NvmlAnswer ask_nvml(const std::string& library = "libnvidia-ml.so.1");

// Adds the driver and, of the GPU with the machine's uuid, its state now; returns NVML's index of
// it. A part of a GPU (MIG) has an identity of its own, which NVML does not list here.
std::optional<std::uint32_t> add_nvml_facts(BenchmarkMachine& machine);

// One GPU, to be asked again and again. Without the library or the GPU, every answer is absent.
class NvmlGpu {
 public:
  explicit NvmlGpu(std::uint32_t index,  // as NVML counts them, which need not be CUDA's order
                   const std::string& library = "libnvidia-ml.so.1");
  ~NvmlGpu();
  NvmlGpu(const NvmlGpu&) = delete;
  NvmlGpu& operator=(const NvmlGpu&) = delete;

  bool is_usable() const;
  std::optional<double> sm_mhz() const;
  std::optional<std::uint64_t> reasons() const;  // kClock... bits of model/machine/machine.h
  // Drawn by the whole GPU; newer ones give the average of the last second.
  std::optional<double> watts() const;
  // All processes with a context on it, of any user.
  std::vector<GpuProcess> processes() const;

 private:
  struct Session;
  std::unique_ptr<const Session> session_;
};

}  // namespace proofline
