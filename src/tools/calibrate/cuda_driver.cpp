// SPDX-License-Identifier: Apache-2.0
//
// Functions are called by their names with the types of the driver's C interface; those that end in
// _v2 are the ones that CUDA's own header means by the plain name.
#include "tools/calibrate/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr int kCudaSuccess = 0;

using Address = unsigned long long;  // NOLINT(google-runtime-int): the type of CUDA's interface

// Attributes of a device, and options of the compiler, by CUDA's numbers.
constexpr int kMultiprocessors = 16;
constexpr int kL2Bytes = 38;
constexpr int kMajor = 75;
constexpr int kMinor = 76;
constexpr int kErrorLog = 5;
constexpr int kErrorLogBytes = 6;

}  // namespace

// The library and, once begun, the context of one GPU and two events in it.
class CudaSession {
 public:
  // Stays loaded: the driver has threads of its own that run its code.
  explicit CudaSession(const std::string& library)
      : handle_(::dlopen(library.c_str(), RTLD_NOW | RTLD_NODELETE)) {}
  ~CudaSession() {
    for (void* event : {begin_, end_}) {
      if (event != nullptr) call("cuEventDestroy_v2", event);
    }
    if (is_retained_) call("cuDevicePrimaryCtxRelease_v2", device_);
    if (is_open()) ::dlclose(handle_);
  }
  CudaSession(const CudaSession&) = delete;
  CudaSession& operator=(const CudaSession&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  bool has(const char* name) const { return ::dlsym(handle_, name) != nullptr; }
  void* begin() const { return begin_; }
  void* end() const { return end_; }

  template <class... Arguments>
  Result<void> call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(handle_, name));
    if (function == nullptr) {
      return fail(ErrorKind::kTool,
                  fmt::format("the driver has no {}: a newer driver is needed", name));
    }
    const int result = function(arguments...);
    if (result == kCudaSuccess) return {};
    return fail(ErrorKind::kTool, fmt::format("{} answered {}", name, words(result)));
  }

  // The current context is that of this thread.
  Result<void> begin_on(int device) {
    void* context = nullptr;
    device_ = device;
    if (auto done = call("cuDevicePrimaryCtxRetain", &context, device_); !done) return done;
    is_retained_ = true;
    if (auto done = call("cuCtxSetCurrent", context); !done) return done;
    if (auto done = call("cuEventCreate", &begin_, 0U); !done) return done;
    return call("cuEventCreate", &end_, 0U);
  }

 private:
  // "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
  std::string words(int result) const {
    using GetText = int (*)(int, const char**);
    std::string texts[2];
    for (int i = 0; i < 2; ++i) {
      const char* text = nullptr;
      const auto get = reinterpret_cast<GetText>(
          ::dlsym(handle_, i == 0 ? "cuGetErrorName" : "cuGetErrorString"));
      if (get != nullptr && get(result, &text) == kCudaSuccess && text != nullptr) texts[i] = text;
    }
    if (texts[0].empty()) return fmt::format("error {}", result);
    return escape_terminal(fmt::format("{} ({})", texts[0], texts[1]));
  }

  void* handle_;
  int device_ = 0;
  bool is_retained_ = false;
  void* begin_ = nullptr;
  void* end_ = nullptr;
};

namespace {

Result<int> attribute(const CudaSession& cuda, int which, int device) {
  int value = 0;
  RETURN_IF_ERROR(cuda.call("cuDeviceGetAttribute", &value, which, device));
  return value;
}

// A part of a GPU (MIG) has an identity of its own, which only the newer function knows.
Result<void> ask_uuid(const CudaSession& cuda, int device, CudaDevice& answer) {
  const char* newer = "cuDeviceGetUuid_v2";
  return cuda.call(cuda.has(newer) ? newer : "cuDeviceGetUuid", answer.uuid.data(), device);
}

Result<CudaDevice> describe(const CudaSession& cuda, int device) {
  CudaDevice answer;
  std::array<char, 128> name{};
  auto done = cuda.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()), device);
  if (done) done = ask_uuid(cuda, device, answer);
  if (done) done = cuda.call("cuDriverGetVersion", &answer.driver_version);
  RETURN_IF_ERROR(done);
  name.back() = '\0';
  answer.name = name.data();

  const auto multiprocessors = attribute(cuda, kMultiprocessors, device);
  const auto l2_bytes = attribute(cuda, kL2Bytes, device);
  const auto major = attribute(cuda, kMajor, device);
  const auto minor = attribute(cuda, kMinor, device);
  for (const auto* each : {&multiprocessors, &l2_bytes, &major, &minor}) {
    if (!*each) return tl::make_unexpected(each->error());
    if (**each < 0) return fail(ErrorKind::kTool, "the driver gives a negative size of this GPU");
  }
  answer.multiprocessors = static_cast<unsigned>(*multiprocessors);
  answer.l2_bytes = static_cast<std::uint64_t>(*l2_bytes);
  answer.major = *major;
  answer.minor = *minor;
  return answer;
}

Result<int> find_device(const CudaSession& cuda, unsigned device) {
  int count = 0;
  int handle = 0;
  auto done = cuda.call("cuInit", 0U);
  if (done) done = cuda.call("cuDeviceGetCount", &count);
  if (!done) {
    return fail(ErrorKind::kTool, done.error().message + ": run proofline doctor for the cause");
  }
  if (count < 0 || device >= static_cast<unsigned>(count)) {
    return fail(ErrorKind::kTool,
                fmt::format("there is no GPU {}: CUDA sees {}, counted from 0, and "
                            "CUDA_VISIBLE_DEVICES chooses which",
                            device, count));
  }
  done = cuda.call("cuDeviceGet", &handle, static_cast<int>(device));
  RETURN_IF_ERROR(done);
  return handle;
}

std::string first_line(std::string_view text) {
  text = trim(text);
  return escape_terminal(text.substr(0, text.find('\n')));
}

}  // namespace

CudaMemory::CudaMemory(std::shared_ptr<const CudaSession> session, std::uint64_t address)
    : session_(std::move(session)), address_(address) {}
CudaMemory::~CudaMemory() { session_->call("cuMemFree_v2", Address{address_}); }

CudaKernel::CudaKernel(std::shared_ptr<const CudaSession> session, void* module)
    : session_(std::move(session)), module_(module) {}
CudaKernel::~CudaKernel() { session_->call("cuModuleUnload", module_); }

Result<void> CudaKernel::find(const char* entry) {
  return session_->call("cuModuleGetFunction", &function_, module_, entry);
}

Result<void> CudaKernel::launch_with(unsigned blocks, unsigned threads,
                                     std::span<void*> arguments) const {
  void* const stream = nullptr;
  void** const no_more = nullptr;
  return session_->call("cuLaunchKernel", function_, blocks, 1U, 1U, threads, 1U, 1U, 0U, stream,
                        arguments.data(), no_more);
}

CudaGpu::CudaGpu(std::shared_ptr<const CudaSession> session, CudaDevice device)
    : session_(std::move(session)), device_(std::move(device)) {}

Result<CudaGpu> CudaGpu::open(const std::string& library, unsigned device) {
  auto session = std::make_shared<CudaSession>(library);
  if (!session->is_open()) {
    const char* cause = ::dlerror();
    return fail(ErrorKind::kTool,
                fmt::format("CUDA's driver library cannot be opened ({}): run this where NVIDIA's "
                            "driver is installed, or run proofline doctor for the cause",
                            escape_terminal(cause != nullptr ? cause : library)));
  }
  ASSIGN_OR_RETURN(const auto handle, find_device(*session, device));
  auto facts = describe(*session, handle);
  RETURN_IF_ERROR(facts);
  if (auto done = session->begin_on(handle); !done) {
    return fail(ErrorKind::kTool,
                fmt::format("GPU {} cannot be used: {}; look for other programs on it, or run "
                            "proofline doctor",
                            device, done.error().message));
  }
  return CudaGpu(std::move(session), *std::move(facts));
}

Result<std::uint64_t> CudaGpu::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  RETURN_IF_ERROR(session_->call("cuMemGetInfo_v2", &free, &total));
  return free;
}

Result<std::shared_ptr<CudaMemory>> CudaGpu::allocate(std::uint64_t bytes) const {
  Address address = 0;
  if (auto done = session_->call("cuMemAlloc_v2", &address, std::size_t{bytes}); !done) {
    return tl::make_unexpected(done.error());
  }
  return std::make_shared<CudaMemory>(session_, address);
}

Result<std::shared_ptr<CudaKernel>> CudaGpu::load(const std::string& ptx, const char* entry) const {
  std::array<char, 4096> log{};
  std::array<int, 2> options{kErrorLog, kErrorLogBytes};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): CUDA takes a number for a pointer here
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
  void* module = nullptr;
  auto done = session_->call("cuModuleLoadDataEx", &module, static_cast<const void*>(ptx.c_str()),
                             static_cast<unsigned>(options.size()), options.data(), values.data());
  if (!done) {
    std::string message = done.error().message;
    if (log.front() != '\0') message += ": " + first_line(log.data());
    return fail(ErrorKind::kTool, std::move(message));
  }
  auto kernel = std::make_shared<CudaKernel>(session_, module);
  if (done = kernel->find(entry); !done) return tl::make_unexpected(done.error());
  return kernel;
}

Result<void> CudaGpu::copy(const CudaMemory& to, const CudaMemory& from,
                           std::uint64_t bytes) const {
  void* const stream = nullptr;
  return session_->call("cuMemcpyDtoDAsync_v2", Address{to.address()}, Address{from.address()},
                        std::size_t{bytes}, stream);
}

Result<double> CudaGpu::time_ms(const std::function<Result<void>()>& work,
                                const std::function<void()>& meanwhile) const {
  void* const stream = nullptr;
  auto done = session_->call("cuEventRecord", session_->begin(), stream);
  if (done) done = work();
  if (done) done = session_->call("cuEventRecord", session_->end(), stream);
  if (done && meanwhile) meanwhile();
  if (done) done = session_->call("cuEventSynchronize", session_->end());
  float ms = 0;
  if (done) done = session_->call("cuEventElapsedTime", &ms, session_->begin(), session_->end());
  RETURN_IF_ERROR(done);
  return ms;
}

Result<void> CudaGpu::check() const { return session_->call("cuCtxSynchronize"); }

}  // namespace proofline
