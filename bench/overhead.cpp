// SPDX-License-Identifier: Apache-2.0
#include "overhead.h"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "timers.h"

namespace proofline::bench {
namespace {

// Each thread waits for some cycles of its SM and writes a word, as kernels do: what a kernel wrote
// has to reach memory before the next one starts, which is part of the pause. As PTX, which the
// driver compiles for its GPU: this library is built without a device compiler.
constexpr const char* kSpinPtx = R"(
.version 6.3
.target sm_75
.address_size 64
.visible .entry proofline_spin(.param .u64 cycles, .param .u64 words) {
  .reg .pred %more;
  .reg .u32 %block;
  .reg .u64 %cycles, %start, %now, %spent, %word, %offset;
  ld.param.u64 %cycles, [cycles];
  mov.u64 %start, %clock64;
spin:
  mov.u64 %now, %clock64;
  sub.u64 %spent, %now, %start;
  setp.lt.u64 %more, %spent, %cycles;
  @%more bra spin;
  ld.param.u64 %word, [words];
  cvta.to.global.u64 %word, %word;
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %offset, %block, 4;
  add.u64 %word, %word, %offset;
  st.global.u32 [%word], %block;
  ret;
}
)";
constexpr std::uint64_t kSpinCycles = 16'000;  // some ten microseconds
constexpr unsigned kSpinThreads = 128;
constexpr std::size_t kSamples = 32;
constexpr std::chrono::milliseconds kWarmUp{50};
constexpr double kExpectedSpinNs = 10e3;

// The driver's functions for a kernel that comes as PTX.
class SpinKernel {
 public:
  explicit SpinKernel(int blocks)
      : blocks_(static_cast<unsigned>(blocks)),
        words_(blocks_),
        driver_(::dlopen("libcuda.so.1", RTLD_NOW)) {
    if (driver_ == nullptr) throw std::runtime_error("libcuda.so.1 cannot be loaded");
    const auto load = find<CUresult (*)(CUmodule*, const void*)>("cuModuleLoadData");
    const auto get = find<CUresult (*)(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction");
    launch_ = find<Launcher>("cuLaunchKernel");
    require_driver(load(&module_, kSpinPtx), "cuModuleLoadData");
    require_driver(get(&function_, module_, "proofline_spin"), "cuModuleGetFunction");
  }
  // The module and the driver stay loaded, as CUDA itself does.

  void launch(cudaStream_t stream) {
    std::uint64_t cycles = kSpinCycles;
    std::uint32_t* words = words_.data();
    void* parameters[] = {&cycles, &words};
    require_driver(
        launch_(function_, blocks_, 1, 1, kSpinThreads, 1, 1, 0, stream, parameters, nullptr),
        "cuLaunchKernel");
  }

 private:
  using Launcher = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, unsigned, CUstream, void**, void**);

  template <class Function>
  Function find(const char* name) const {
    const auto function = reinterpret_cast<Function>(::dlsym(driver_, name));
    if (function == nullptr) throw std::runtime_error(std::string("libcuda.so.1 lacks ") + name);
    return function;
  }
  static void require_driver(CUresult result, const char* call) {
    if (result != CUDA_SUCCESS) {
      throw std::runtime_error(std::string(call) + " failed with " + std::to_string(result));
    }
  }

  unsigned blocks_;
  Buffer<std::uint32_t> words_;
  void* driver_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  Launcher launch_ = nullptr;
};

// Setting a timer up can take so long that the GPU's clock falls meanwhile.
double median_of(Timer& timer) {
  std::vector<double> ns;
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < kWarmUp) timer.take(ns);
  ns.clear();
  while (ns.size() < kSamples) timer.take(ns);
  return median(ns);
}

class CorrectedTimer : public Timer {
 public:
  CorrectedTimer(std::unique_ptr<Timer> timer, double overhead_ns)
      : timer_(std::move(timer)), overhead_ns_(overhead_ns) {}

  void take(std::vector<double>& ns) override {
    const std::size_t before = ns.size();
    timer_->take(ns);
    for (std::size_t i = before; i < ns.size(); ++i) ns[i] -= overhead_ns_;
  }

 private:
  std::unique_ptr<Timer> timer_;
  double overhead_ns_;
};

}  // namespace

std::unique_ptr<Timer> without_overhead(std::unique_ptr<Timer> timer, double overhead_ns) {
  return std::make_unique<CorrectedTimer>(std::move(timer), overhead_ns);
}

EventOverhead measure_event_overhead(Gpu& gpu) {
  EventOverhead overhead;
  try {
    SpinKernel spin(gpu.multiprocessors());
    const std::function<void(Launch)> launch = [&](Launch to) { spin.launch(to.stream); };
    Execution execution(launch, gpu.stream(), 1);
    const double events = median_of(*make_event_timer(execution, gpu, CacheState::kHot));
    const double graph = median_of(*make_graph_timer(execution, gpu, kExpectedSpinNs));
    overhead.ns = std::max(events - graph, 0.0);
  } catch (const std::exception& error) {
    overhead.trouble = error.what();
  }
  return overhead;
}

}  // namespace proofline::bench
