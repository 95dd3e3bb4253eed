// SPDX-License-Identifier: Apache-2.0
//
// Stands in for libcuda.so.1: one GPU that computes nothing, but whose clock goes on as if it had.
// A block takes 10 ns for a round, and 10 ns for a tile of a copy where an SM has 4 of them, else
// 12 ns; the driver's own copies take 20 ns for as much. FAKE_CUDA in the environment chooses
// another machine:
//
//   no-device     a driver, but no GPU
//   turing, blackwell
//   bad-ptx       the compiler refuses wgmma
//   tight, full   little memory is free; none can be had
//   refused       FP64 cannot be launched
//   broken        FP64 ends the context
//   stopped       the clock stands still
//   quick-copy    the driver's own copies take 5 ns
//   quick-read    a round of reads takes 4 ns
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kInvalidPtx = 218;
constexpr int kOutOfResources = 701;
constexpr int kLaunchFailed = 719;

constexpr unsigned kMultiprocessors = 10;
constexpr std::size_t kMiB = 1 << 20;
constexpr double kTileBytes = 32768;

using Address = unsigned long long;

double now_ns = 0;
bool broken = false;

bool plays(std::string_view part) {
  const char* chosen = std::getenv("FAKE_CUDA");
  return chosen != nullptr && part == chosen;
}

template <class Number>
int answer(Number number, Number* to) {
  *to = number;
  return broken ? kLaunchFailed : kSuccess;
}

// What is known of a kernel by its text.
enum class Kind { kFill, kCopy, kRead, kRounds, kDoubles };
struct Module {
  Kind kind;
};

Kind kind_of(std::string_view ptx) {
  const auto has = [&](std::string_view word) { return ptx.find(word) != std::string_view::npos; };
  if (has("fma.rn.f64")) return Kind::kDoubles;
  const bool reads = has(".param .u64 from");
  if (has(".param .u32 rounds")) return reads ? Kind::kRead : Kind::kRounds;
  return reads ? Kind::kCopy : Kind::kFill;
}

double ns_of(Kind kind, unsigned blocks, void** arguments) {
  double each = blocks == 4 * kMultiprocessors ? 10 : 12;
  if (kind == Kind::kRead && plays("quick-read")) each = 4;
  const auto number = [&](int i) { return *static_cast<std::uint32_t*>(arguments[i]); };
  if (kind == Kind::kFill) return 0;
  if (kind == Kind::kCopy) return each * number(2);
  return each * blocks * number(1);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's
extern "C" {

int cuInit(unsigned) {
  broken = false;
  return plays("no-device") ? kNoDevice : kSuccess;
}
int cuDriverGetVersion(int* version) { return answer(13000, version); }
int cuDeviceGetCount(int* count) { return answer(1, count); }
int cuDeviceGet(int* device, int ordinal) { return answer(ordinal, device); }
int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, "Pretend GPU", static_cast<std::size_t>(size));
  return kSuccess;
}
int cuDeviceGetUuid(unsigned char* uuid, int) {
  for (unsigned char i = 0; i < 16; ++i) uuid[i] = i;
  return kSuccess;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  switch (which) {
    case 16: return answer(static_cast<int>(kMultiprocessors), value);
    case 38: return answer(static_cast<int>(8 * kMiB), value);
    case 75: return answer(plays("turing") ? 7 : plays("blackwell") ? 10 : 9, value);
    case 76: return answer(plays("turing") ? 5 : 0, value);
    default: return kInvalidValue;
  }
}

int cuDevicePrimaryCtxRetain(void** context, int) {
  static int only;
  return answer(static_cast<void*>(&only), context);
}
int cuDevicePrimaryCtxRelease_v2(int) { return kSuccess; }
int cuCtxSetCurrent(void*) { return kSuccess; }
int cuCtxSynchronize() { return broken ? kLaunchFailed : kSuccess; }

int cuModuleLoadDataEx(void** module, const void* text, unsigned count, int* options,
                       void** values) {
  const std::string_view ptx(static_cast<const char*>(text));
  if (plays("bad-ptx") && ptx.find("wgmma") != std::string_view::npos) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) std::strcpy(static_cast<char*>(values[i]), "line 9: no wgmma\nline 10");
    }
    return kInvalidPtx;
  }
  return answer(static_cast<void*>(new Module{kind_of(ptx)}), module);
}
int cuModuleGetFunction(void** function, void* module, const char*) {
  return answer(module, function);
}
int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  return kSuccess;
}

int cuLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void*, void** arguments, void**) {
  const Kind kind = static_cast<Module*>(function)->kind;
  if (plays("refused") && kind == Kind::kDoubles) return kOutOfResources;
  broken = broken || (plays("broken") && kind == Kind::kDoubles);
  now_ns += ns_of(kind, blocks, arguments);
  return kSuccess;
}

int cuEventCreate(void** event, unsigned) { return answer(static_cast<void*>(new double), event); }
int cuEventDestroy_v2(void* event) {
  delete static_cast<double*>(event);
  return kSuccess;
}
int cuEventRecord(void* event, void*) { return answer(now_ns, static_cast<double*>(event)); }
int cuEventSynchronize(void*) { return broken ? kLaunchFailed : kSuccess; }
int cuEventElapsedTime(float* ms, void* begin, void* end) {
  const double ns = *static_cast<double*>(end) - *static_cast<double*>(begin);
  return answer(plays("stopped") ? 0.0F : static_cast<float>(ns / 1e6), ms);
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = 16384 * kMiB;
  return answer((plays("tight") ? 200 : 8192) * kMiB, free);
}
int cuMemAlloc_v2(Address* address, std::size_t bytes) {
  if (plays("full")) return kOutOfMemory;
  return answer(Address{bytes}, address);
}
int cuMemFree_v2(Address) { return kSuccess; }
int cuMemcpyDtoDAsync_v2(Address, Address, std::size_t bytes, void*) {
  now_ns += static_cast<double>(bytes) / kTileBytes * (plays("quick-copy") ? 5 : 20);
  return kSuccess;
}

int cuGetErrorName(int code, const char** name) {
  switch (code) {
    case kOutOfMemory: return answer("CUDA_ERROR_OUT_OF_MEMORY", name), kSuccess;
    case kNoDevice: return answer("CUDA_ERROR_NO_DEVICE", name), kSuccess;
    case kInvalidPtx: return answer("CUDA_ERROR_INVALID_PTX", name), kSuccess;
    case kOutOfResources: return answer("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", name), kSuccess;
    case kLaunchFailed: return answer("CUDA_ERROR_LAUNCH_FAILED", name), kSuccess;
    default: return kInvalidValue;
  }
}
int cuGetErrorString(int, const char** text) {
  *text = "in other words";
  return kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
