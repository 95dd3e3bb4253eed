// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the warp schedulers: each issues an instruction in nearly every cycle,
// spread over the pipelines so that none of them is full. Walkers in a trap mix a generator's
// integer steps with float arithmetic and an exponential; colour grading mixes multiply-adds with
// clamps.
#include <cstring>

#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks

__host__ __device__ inline unsigned rotate(unsigned value, unsigned by) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(value, value, by);
#else
  return value >> by | value << (32 - by);
#endif
}

// The bits of a float in [1, 2), which spares a conversion.
__host__ __device__ inline float uniform_from(unsigned bits) {
  const unsigned pattern = bits >> 9 | 0x3f800000u;
#ifdef __CUDA_ARCH__
  return __uint_as_float(pattern);
#else
  float value;
  std::memcpy(&value, &pattern, sizeof value);
  return value;
#endif
}

struct Walker {
  unsigned random;
  float position, velocity;
  float mean, weight;  // sums over the steps
};

__host__ __device__ inline float exp2_of(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}

// Of its instructions, ten are for the multiply-add units (which take one a cycle), five for the
// integer and logic units (one in two cycles) and one for the special-function units (one in
// eight).
__host__ __device__ inline void step_walker(Walker& walker) {
  walker.random = rotate(walker.random, 7) ^ rotate(walker.random, 18) ^ walker.random >> 3;
  const float noise = uniform_from(walker.random) - 1.5f;
  const float square = walker.position * walker.position;
  const float stiffness = fmaf(square, -0.25f, -1.0f);
  const float push = fmaf(noise, 4.0f, stiffness * walker.position);
  walker.velocity = fmaf(walker.velocity, 0.75f, push);
  walker.position = fmaf(walker.velocity, 0.0625f, walker.position);
  walker.mean += walker.position;
  walker.weight += exp2_of(square * -1.5f);
}

constexpr unsigned kWalkers = 2;  // of a thread
constexpr unsigned kSteps = 152;

// zoo: trapped_walkers is healthy at issue-slots
__global__ __launch_bounds__(kThreads, kResident) void trapped_walkers(
    const unsigned* __restrict__ seeds,  // (kWalkers, blocks * kThreads)
    float2* __restrict__ results) {      // (kWalkers, blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned threads = gridDim.x * kThreads;
  Walker walker[kWalkers];
#pragma unroll
  for (unsigned w = 0; w < kWalkers; ++w)
    walker[w] = Walker{seeds[w * threads + thread], 0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 4
  for (unsigned step = 0; step < kSteps; ++step) {
#pragma unroll
    for (unsigned w = 0; w < kWalkers; ++w) step_walker(walker[w]);
  }
#pragma unroll
  for (unsigned w = 0; w < kWalkers; ++w) {
    results[w * threads + thread] = make_float2(walker[w].mean, walker[w].weight);
  }
}

struct Grading {
  float matrix[3][3];
  float offset[3];
  float contrast[3];
  float low, high;
};

struct Colour {
  float red, green, blue;
};

__host__ __device__ inline float grade_channel(const Grading& grading, unsigned channel,
                                               const Colour& in) {
  const float* row = grading.matrix[channel];
  const float mixed =
      fmaf(row[0], in.red, fmaf(row[1], in.green, fmaf(row[2], in.blue, grading.offset[channel])));
  const float clamped = fminf(fmaxf(mixed, grading.low), grading.high);
  const float bend = fmaf(-clamped, clamped, clamped);
  return fmaf(grading.contrast[channel], bend, clamped);
}

__host__ __device__ inline Colour grade(const Grading& grading, const Colour& in) {
  return Colour{grade_channel(grading, 0, in), grade_channel(grading, 1, in),
                grade_channel(grading, 2, in)};
}

constexpr unsigned kPixels = 2;  // of a thread
constexpr unsigned kPasses = 120;

// Of a pass's instructions, 15 are multiply-adds and 6 are comparisons, which the logic units take.
// zoo: grade_colours is healthy at issue-slots
__global__ __launch_bounds__(kThreads, kResident) void grade_colours(
    const float4* __restrict__ pixels,  // (kPixels, blocks * kThreads)
    float4* __restrict__ graded,        // (kPixels, blocks * kThreads)
    const Grading grading) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const unsigned threads = gridDim.x * kThreads;
  Colour colour[kPixels];
  float alpha[kPixels];
#pragma unroll
  for (unsigned p = 0; p < kPixels; ++p) {
    const float4 pixel = pixels[p * threads + thread];
    colour[p] = Colour{pixel.x, pixel.y, pixel.z};
    alpha[p] = pixel.w;
  }
#pragma unroll 4
  for (unsigned pass = 0; pass < kPasses; ++pass) {
#pragma unroll
    for (unsigned p = 0; p < kPixels; ++p) colour[p] = grade(grading, colour[p]);
  }
#pragma unroll
  for (unsigned p = 0; p < kPixels; ++p) {
    graded[p * threads + thread] =
        make_float4(colour[p].red, colour[p].green, colour[p].blue, alpha[p]);
  }
}

namespace {

void run_trapped_walkers() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kWalkers} * kThreads * blocks;
  const std::vector<unsigned> host = random_integers(count, 0xffffffffu, 81);
  DeviceBuffer<unsigned> seeds(host);      // (count)
  DeviceBuffer<float> results(2 * count);  // (count, 2)
  results.clear();
  trapped_walkers<<<blocks, kThreads>>>(seeds.data(), reinterpret_cast<float2*>(results.data()));
  finish_launch();
  const std::vector<float> actual = results.download();
  for (std::size_t i = 0; i < count; i += 4093) {
    Walker walker{host[i], 0.0f, 0.0f, 0.0f, 0.0f};
    for (unsigned step = 0; step < kSteps; ++step) step_walker(walker);
    expect_close("trapped walkers, mean", actual[2 * i], walker.mean, 1e-3, i);
    expect_close("trapped walkers, weight", actual[2 * i + 1], walker.weight, 1e-3, i);
  }
  passed("trapped walkers");
}

void run_grade_colours() {
  const Grading grading{{{0.7f, -0.5f, 0.2f}, {0.4f, 0.6f, -0.45f}, {-0.35f, 0.3f, 0.8f}},
                        {0.1f, -0.05f, 0.02f},
                        {0.25f, 0.3f, 0.2f},
                        -0.75f,
                        0.9f};
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{4} * kPixels * kThreads * blocks;
  // The picture repeats a block of noise, which spares the host the making of all of it.
  constexpr std::size_t kPeriod = std::size_t{1} << 20;
  const std::vector<float> noise = random_floats(kPeriod, 82);
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = noise[i % kPeriod];
  DeviceBuffer<float> pixels(host);   // (kPixels * blocks * kThreads, 4)
  DeviceBuffer<float> graded(count);  // (kPixels * blocks * kThreads, 4)
  graded.clear();
  grade_colours<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(pixels.data()),
                                      reinterpret_cast<float4*>(graded.data()), grading);
  finish_launch();
  const std::vector<float> actual = graded.download();
  for (std::size_t i = 0; i < count; i += 4 * 4093) {
    Colour colour{host[i], host[i + 1], host[i + 2]};
    for (unsigned pass = 0; pass < kPasses; ++pass) colour = grade(grading, colour);
    expect_close("grade colours, red", actual[i], colour.red, 1e-3, i);
    expect_close("grade colours, green", actual[i + 1], colour.green, 1e-3, i);
    expect_close("grade colours, blue", actual[i + 2], colour.blue, 1e-3, i);
    expect_close("grade colours, alpha", actual[i + 3], host[i + 3], 0.0, i);
  }
  passed("grade colours");
}

}  // namespace

int main() {
  run_trapped_walkers();
  run_grade_colours();
}
