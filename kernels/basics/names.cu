// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose names are the interesting part: a demangled name of several hundred characters from
// nested namespaces and templates, one from an unnamed namespace with an enumerator, a negative
// number, a flag and a character among its template arguments, and one with C linkage that is not
// mangled at all. Reports, tables and CSV must carry them all.
#include "check.cuh"

namespace laboratory::linear_algebra::detail {

struct Identity {
  template <typename T>
  __host__ __device__ static T apply(T value) {
    return value;
  }
};

template <typename Inner, int kNumerator, int kDenominator>
struct Scale {
  template <typename T>
  __host__ __device__ static T apply(T value) {
    return Inner::template apply<T>(value) * static_cast<T>(kNumerator) /
           static_cast<T>(kDenominator);
  }
};

template <typename Inner, int kOffset>
struct Shift {
  template <typename T>
  __host__ __device__ static T apply(T value) {
    return Inner::template apply<T>(value) + static_cast<T>(kOffset);
  }
};

template <typename... Stages>
struct Chain {
  template <typename T>
  __host__ __device__ static T apply(T value) {
    ((value = Stages::template apply<T>(value)), ...);
    return value;
  }
};

// Applies Function to each of count elements in place.
template <typename Function, typename T, unsigned kThreads>
__global__ void transform_in_place(T* values /* (count) */, unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) values[i] = Function::template apply<T>(values[i]);
}

}  // namespace laboratory::linear_algebra::detail

namespace {

enum class Direction { kForward, kBackward };

template <Direction kDirection, int kStep, bool kWrap, char kTag>
__global__ void walk(float* values /* (count) */, unsigned count) {
  static_assert(kTag != '\0', "the tag is part of the name");
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned from = kDirection == Direction::kForward ? i : count - 1 - i;
  if (i < count)
    values[from] += static_cast<float>(kWrap ? static_cast<int>(from) % 8 * kStep : kStep);
}

}  // namespace

// C linkage: mangled, function and demangled name are one and the same.
extern "C" __global__ void plain_c_name(float* values /* (count) */, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = -values[i];
}

namespace {

constexpr unsigned kCount = 1u << 16;
constexpr unsigned kThreads = 128;
static_assert(kCount % kThreads == 0, "the grid covers the values exactly");

template <typename T, typename Kernel, typename Reference>
void run(const char* name, Kernel kernel, Reference reference) {
  const std::vector<float> noise = random_floats(kCount, 15);
  const std::vector<T> host(noise.begin(), noise.end());  // (kCount)
  DeviceBuffer<T> values(host);                           // (kCount)
  kernel<<<kCount / kThreads, kThreads>>>(values.data(), kCount);
  finish_launch();
  const std::vector<T> actual = values.download();
  for (unsigned i = 0; i < kCount; ++i)
    expect_close(name, actual[i], reference(host[i], i), 1e-5, i);
  passed(name);
}

}  // namespace

int main() {
  namespace detail = laboratory::linear_algebra::detail;
  using Short = detail::Scale<detail::Identity, 3, 2>;
  using First = detail::Shift<
      detail::Scale<detail::Shift<detail::Scale<detail::Identity, 7, 5>, -11>, 13, 17>, 19>;
  using Second = detail::Scale<detail::Shift<detail::Scale<detail::Identity, -23, 29>, 31>, 37, 41>;
  using Third = detail::Chain<detail::Shift<detail::Identity, -1>, detail::Scale<Short, 1, -3>>;
  using Long = detail::Chain<First, Second, Third>;

  run<double>("short chain", detail::transform_in_place<Short, double, kThreads>,
              [](double value, unsigned) { return Short::apply(value); });
  run<float>("long chain", detail::transform_in_place<Long, float, kThreads>,
             [](float value, unsigned) { return Long::apply(value); });
  run<float>("unnamed namespace", walk<Direction::kBackward, -3, true, ','>,
             [](float value, unsigned i) {
               return value + static_cast<float>(static_cast<int>(i) % 8 * -3);
             });
  run<float>("C linkage", plain_c_name, [](float value, unsigned) { return -value; });
}
