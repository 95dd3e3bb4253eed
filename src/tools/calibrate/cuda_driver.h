// SPDX-License-Identifier: Apache-2.0
//
// One GPU through CUDA's driver library, which is opened at run time: nothing of CUDA is needed to
// build or to link. Everything goes to one stream, in order. Errors are of kind kTool and carry
// CUDA's name of the error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace proofline {

class CudaSession;

struct CudaDevice {
  std::string name;  // "NVIDIA H200"
  std::array<unsigned char, 16> uuid{};
  int major = 0;  // of the compute capability
  int minor = 0;
  unsigned multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
  int driver_version = 0;  // 13000: the newest CUDA that the driver knows
};

// Memory of the GPU; freed at the end.
class CudaMemory {
 public:
  CudaMemory(std::shared_ptr<const CudaSession> session, std::uint64_t address);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  std::uint64_t address() const { return address_; }

 private:
  std::shared_ptr<const CudaSession> session_;
  std::uint64_t address_;
};

// A function of a module, which is unloaded at the end.
class CudaKernel {
 public:
  CudaKernel(std::shared_ptr<const CudaSession> session, void* module);
  ~CudaKernel();
  CudaKernel(const CudaKernel&) = delete;
  CudaKernel& operator=(const CudaKernel&) = delete;

  Result<void> find(const char* entry);

  // Does not wait. The arguments must have the types of the kernel's parameters.
  template <class... Arguments>
  Result<void> launch(unsigned blocks, unsigned threads, Arguments... arguments) const {
    std::array<void*, sizeof...(Arguments)> addresses{&arguments...};
    return launch_with(blocks, threads, addresses);
  }

 private:
  Result<void> launch_with(unsigned blocks, unsigned threads, std::span<void*> arguments) const;

  std::shared_ptr<const CudaSession> session_;
  void* module_;
  void* function_ = nullptr;
};

class CudaGpu {
 public:
  // `device` as CUDA counts them.
  static Result<CudaGpu> open(const std::string& library, unsigned device);

  const CudaDevice& device() const { return device_; }

  Result<std::uint64_t> free_bytes() const;
  Result<std::shared_ptr<CudaMemory>> allocate(std::uint64_t bytes) const;
  // The driver compiles the text.
  Result<std::shared_ptr<CudaKernel>> load(const std::string& ptx, const char* entry) const;
  // Does not wait.
  Result<void> copy(const CudaMemory& to, const CudaMemory& from, std::uint64_t bytes) const;

  // How long the GPU takes for what `work` puts into the stream. `meanwhile` is called while it is
  // at work.
  Result<double> time_ms(const std::function<Result<void>()>& work,
                         const std::function<void()>& meanwhile = {}) const;

  // After a sticky error every call fails.
  Result<void> check() const;

 private:
  CudaGpu(std::shared_ptr<const CudaSession> session, CudaDevice device);

  std::shared_ptr<const CudaSession> session_;
  CudaDevice device_;
};

}  // namespace proofline
