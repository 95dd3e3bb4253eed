// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the special-function units, which give 16 results a cycle and
// multiprocessor: sums of exponentials, and the field of a row of antennas with its root, sine and
// cosine. Each result takes few other instructions.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks

// The units' own functions, without the code around them for denormal numbers.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float fast_rsqrt(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float fast_sin(float x) {
  float y;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float fast_cos(float x) {
  float y;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

constexpr unsigned kSystems = 4;  // of a thread
constexpr unsigned kLevels = 160;

// zoo: partition_sums is healthy at special-function-pipe
__global__ __launch_bounds__(kThreads, kResident) void partition_sums(
    const float4* __restrict__ gaps,  // (blocks * kThreads)
    float4* __restrict__ sums) {      // (blocks * kThreads)
  static_assert(kSystems == 4, "one vector a thread");
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const float4 held = gaps[thread];
  const float gap[kSystems] = {held.x, held.y, held.z, held.w};
  float sum[kSystems] = {};
  float level = 0.0f;
#pragma unroll 8
  for (unsigned l = 0; l < kLevels; ++l) {
#pragma unroll
    for (unsigned s = 0; s < kSystems; ++s) sum[s] += fast_exp2(level * gap[s]);
    level += 1.0f;
  }
  sums[thread] = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

constexpr unsigned kAntennas = 208;
constexpr float kSpacing = 0.125f;
constexpr float kWaveNumber = 1.5f;
constexpr float kSquareDistance = 4.0f;  // of the observers' line from the antennas' line

// zoo: antenna_field is healthy at special-function-pipe
__global__ __launch_bounds__(kThreads, kResident) void antenna_field(
    const float* __restrict__ observers,  // (blocks * kThreads)
    float2* __restrict__ field) {         // (blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  float along = observers[thread];
  float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 8
  for (unsigned a = 0; a < kAntennas; ++a) {
    const float square = fmaf(along, along, kSquareDistance);
    const float amplitude = fast_rsqrt(square);
    const float phase = square * amplitude * kWaveNumber;
    sum.x = fmaf(amplitude, fast_cos(phase), sum.x);
    sum.y = fmaf(amplitude, fast_sin(phase), sum.y);
    along -= kSpacing;
  }
  field[thread] = sum;
}

namespace {

void run_partition_sums() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kSystems} * kThreads * blocks;
  std::vector<float> host = random_floats(count, 61);
  for (float& gap : host) gap = -0.0625f - 0.0625f * (gap + 0.5f);
  DeviceBuffer<float> gaps(host);   // (blocks * kThreads, kSystems)
  DeviceBuffer<float> sums(count);  // (blocks * kThreads, kSystems)
  sums.clear();
  partition_sums<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(gaps.data()),
                                       reinterpret_cast<float4*>(sums.data()));
  finish_launch();
  const std::vector<float> actual = sums.download();
  for (std::size_t i = 0; i < count; i += 8191) {
    double expected = 0.0;
    for (unsigned l = 0; l < kLevels; ++l) {
      expected += std::exp2(static_cast<double>(l) * static_cast<double>(host[i]));
    }
    expect_close("partition sums", actual[i], expected, 1e-4, i);
  }
  passed("partition sums");
}

void run_antenna_field() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kThreads} * blocks;
  std::vector<float> host = random_floats(count, 62);
  for (float& observer : host) observer = 13.0f + 20.0f * observer;
  DeviceBuffer<float> observers(host);   // (count)
  DeviceBuffer<float> field(2 * count);  // (count, 2)
  field.clear();
  antenna_field<<<blocks, kThreads>>>(observers.data(), reinterpret_cast<float2*>(field.data()));
  finish_launch();
  const std::vector<float> actual = field.download();
  for (std::size_t i = 0; i < count; i += 4093) {
    double real = 0.0;
    double imaginary = 0.0;
    for (unsigned a = 0; a < kAntennas; ++a) {
      const double along = host[i] - a * static_cast<double>(kSpacing);
      const double distance = std::sqrt(along * along + kSquareDistance);
      real += std::cos(kWaveNumber * distance) / distance;
      imaginary += std::sin(kWaveNumber * distance) / distance;
    }
    expect_close("antenna field, real", actual[2 * i], real, 2e-3, i);
    expect_close("antenna field, imaginary", actual[2 * i + 1], imaginary, 2e-3, i);
  }
  passed("antenna field");
}

}  // namespace

int main() {
  run_partition_sums();
  run_antenna_field();
}
