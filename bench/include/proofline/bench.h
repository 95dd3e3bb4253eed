// SPDX-License-Identifier: Apache-2.0
//
// Measures CUDA kernels: link proofline::bench, write what is to be measured, and get samples with
// their interval, checked against a reference first.
//
//   int main(int argc, char** argv) {
//     proofline::bench::Suite suite("scale", argc, argv);
//     suite.axis("n", {1 << 20, 1 << 24});                // --n 4096,8192 replaces the values
//     suite.run([](proofline::bench::Configuration& config) {
//       const auto n = config.integer("n");
//       proofline::bench::Buffer<float> data(n);
//       data.fill([](std::size_t i) { return float(i % 7); });
//       proofline::bench::Buffer<float> twice(n);
//       config.bytes(2.0 * n * sizeof(float));
//       config.check(twice, [](std::size_t i) { return 2.0 * (i % 7); });
//       config.measure("plain", [&](proofline::bench::Launch launch) {
//         scale<<<n / 256, 256, 0, launch.stream>>>(data.data(), twice.data());
//       });
//     });
//     return suite.finish();
//   }
//
// The program's --help has the flags. The result goes as JSON to --out FILE or to the file that
// PROOFLINE_BENCH_OUT names, and as a table to standard output. C++17; not for several threads.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace proofline::bench {

// A CUDA call failed. What a configuration throws becomes the reason of its failed measurement.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& call);
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Throws CudaError unless the call succeeded.
void require(cudaError_t result, const char* call);

// Where a measured function has to launch its work.
struct Launch {
  cudaStream_t stream = nullptr;
  std::size_t turn = 0;  // which set of buffers to use: below what Configuration::rotate gave
};

// An element is right where its error is within one of the two.
struct Tolerance {
  double absolute = 0;
  double relative = 0;  // of what is expected
};

// Device memory that frees itself.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    require(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }

  void upload(const std::vector<T>& host) {
    if (host.size() != count_) throw std::invalid_argument("upload: not as long as the buffer");
    require(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
            "cudaMemcpy");
  }
  // With what the function gives for each index.
  template <class Value>
  void fill(Value value) {
    std::vector<T> host(count_);
    for (std::size_t i = 0; i < count_; ++i) host[i] = static_cast<T>(value(i));
    upload(host);
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    require(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// A value of an axis: a number or a word.
struct AxisValue {
  template <class Number, class = std::enable_if_t<std::is_integral_v<Number>>>
  AxisValue(Number number) : text(std::to_string(number)) {}  // NOLINT(google-explicit-constructor)
  AxisValue(const char* word) : text(word) {}                 // NOLINT(google-explicit-constructor)
  AxisValue(std::string word) : text(std::move(word)) {}      // NOLINT(google-explicit-constructor)

  std::string text;
};

namespace detail {

// Half precision types convert to float, and to double only in several ways.
template <class T>
double to_double(const T& value) {
  if constexpr (std::is_convertible_v<const T&, double>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// An element as it is and as it should be, and how far these are apart.
struct Element {
  double actual = 0;
  double expected = 0;
  double error = 0;
};

__extension__ using WideInteger = __int128;  // holds the difference of any two others

// Integers are subtracted as such.
template <class T, class Expected>
Element compare(const T& actual, const Expected& expected) {
  static_assert(!std::is_integral_v<T> || sizeof(T) < 8 || std::is_integral_v<Expected>,
                "check integers of 64 bits by integers: a double is rounded above 2^53");
  Element element{to_double(actual), to_double(expected), 0};
  if constexpr (std::is_integral_v<T> && std::is_integral_v<Expected>) {
    const auto difference = static_cast<WideInteger>(actual) - static_cast<WideInteger>(expected);
    element.error = std::abs(static_cast<double>(difference));
  } else {
    element.error = std::abs(element.actual - element.expected);
  }
  return element;
}

// What is to be compared after a run: an array on the device and what should be in it.
struct CheckRequest {
  void* data = nullptr;
  std::size_t count = 0;
  std::size_t element_bytes = 0;
  std::function<Element(const void* actual, std::size_t index)> compare;
  Tolerance tolerance;
  std::string reference;
};

// What is to be done with a large output before checks.
struct Inspection {
  void* data = nullptr;
  std::size_t bytes = 0;
  std::function<void(cudaStream_t)> reduce;
};

struct ConfigurationState;
struct SuiteState;

}  // namespace detail

// One combination of the axes' values, and what is measured with it.
class Configuration {
 public:
  explicit Configuration(detail::ConfigurationState& state) : state_(state) {}

  std::int64_t integer(const std::string& axis) const;
  double number(const std::string& axis) const;
  const std::string& text(const std::string& axis) const;

  // What one execution moves and does, for GB/s, FLOP/s and the check against the roof. `kind` says
  // which roof: "fp32", "fp64", "tensor-f16"; `roof` is that roof in FLOP/s where it is known.
  void bytes(double moved);
  void flops(double done, const std::string& kind = "", double roof = 0);

  // Every implementation measured from here on has to leave this in `output`, which is overwritten
  // with NaN (all bits one) before: what a function, a vector or another buffer says. Several
  // outputs can be checked.
  template <class T, class Expected,
            class = std::enable_if_t<std::is_invocable_r_v<double, Expected&, std::size_t>>>
  void check(Buffer<T>& output, Expected expected, Tolerance tolerance = {},
             const std::string& reference = "fp64") {
    add(output, std::move(expected), tolerance, reference);
  }
  template <class T, class Value = double>
  void check(Buffer<T>& output, const std::vector<Value>& expected, Tolerance tolerance = {},
             const std::string& reference = "fp64") {
    if (expected.size() != output.size()) throw std::invalid_argument("check: sizes differ");
    add(
        output, [expected](std::size_t i) { return expected[i]; }, tolerance, reference);
  }
  // What another implementation left there; downloaded now.
  template <class T, class Other>
  void check(Buffer<T>& output, const Buffer<Other>& expected, Tolerance tolerance = {},
             const std::string& reference = "buffer") {
    check(output, expected.download(), tolerance, reference);
  }

  // An output that is too large to be compared on the host. It is filled with NaN first; after
  // the checked execution the function reduces it on the GPU, in this stream, to buffers that were
  // given to check().
  template <class T>
  void inspect(Buffer<T>& output, std::function<void(cudaStream_t)> reduce) {
    add(detail::Inspection{output.data(), output.size() * sizeof(T), std::move(reduce)});
  }

  // How many sets of buffers to have: `sets` where the cache is to be cold by rotation (--cache
  // rotating), else 1. Launch::turn says which one is next. Together they should be larger than L2.
  std::size_t rotate(std::size_t sets);

  // Measurements from here on are not done, and say why.
  void skip(const std::string& reason);

  // Checks the result of one execution, then times many.
  void measure(const std::string& implementation, const std::function<void(Launch)>& execute);

 private:
  template <class T, class Expected>
  void add(Buffer<T>& output, Expected expected, Tolerance tolerance,
           const std::string& reference) {
    auto compare = [expected = std::move(expected)](const void* actual, std::size_t i) mutable {
      return detail::compare(*static_cast<const T*>(actual), expected(i));
    };
    add(detail::CheckRequest{output.data(), output.size(), sizeof(T), std::move(compare), tolerance,
                             reference});
  }
  void add(detail::CheckRequest request);
  void add(detail::Inspection inspection);

  detail::ConfigurationState& state_;
};

class Suite {
 public:
  Suite(const std::string& name, int argc, char** argv);
  ~Suite();
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  // Values that are all combined with those of the other axes; --NAME A,B,... replaces them.
  void axis(const std::string& name, const std::vector<AxisValue>& values);
  // Axes that go together: tuple("mnk", {"m", "n", "k"}, {{64, 64, 8}, {128, 128, 8}}). On the
  // command line --mnk 64,64,8 is one point; it can be given several times.
  void tuple(const std::string& name, const std::vector<std::string>& axes,
             const std::vector<std::vector<AxisValue>>& points);

  // Calls the function with every combination. To be called once.
  void run(const std::function<void(Configuration&)>& benchmark);

  // Writes the result. Returns the program's exit code: 0 done, 1 a wrong result, 2 usage, 3 an
  // invalid measurement, 5 CUDA failed, 7 the result could not be written.
  int finish();

 private:
  std::unique_ptr<detail::SuiteState> state_;
};

}  // namespace proofline::bench
