// SPDX-License-Identifier: Apache-2.0
//
// Signed bytes back to floats, with a scale for each 128 of them: a byte a thread, sixteen bytes a
// thread, whose 64 bytes of floats are then stored in four pieces apart from the neighbours', and
// four bytes a thread, whose floats are stored packed.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kGroup = 128;               // bytes with one scale
constexpr unsigned kCount = 132 * 2048 * 192;  // 52 MB in, 208 MB out
constexpr double kTolerance = 1e-6;

// A warp loads 32 bytes, waits for them and stores 128: what the resident warps have under way is a
// fraction of what the memory's latency wants.
// ladder: quantise step 1: dequantise_bytes is held by narrow-access or memory-latency, lifted by dequantise_words
__global__ __launch_bounds__(kThreads) void dequantise_bytes(
    const signed char* __restrict__ bytes,  // (count)
    const float* __restrict__ scales,       // (count / kGroup)
    float* __restrict__ values,             // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  values[i] = bytes[i] * scales[i / kGroup];
}

__device__ __forceinline__ float4 scaled(unsigned word, float scale) {
  const char4 four = *reinterpret_cast<const char4*>(&word);
  return make_float4(static_cast<float>(static_cast<signed char>(four.x)) * scale,
                     static_cast<float>(static_cast<signed char>(four.y)) * scale,
                     static_cast<float>(static_cast<signed char>(four.z)) * scale,
                     static_cast<float>(static_cast<signed char>(four.w)) * scale);
}

// Wider is not better on this side only: a store's 16 bytes lie 64 from the next lane's, so that
// each of four stores of a warp touches 32 sectors for the bytes of 16.
// ladder: quantise step 2: dequantise_wide is held by uncoalesced-global or dram-bandwidth
__global__ __launch_bounds__(kThreads) void dequantise_wide(
    const uint4* __restrict__ bytes,   // (count / 16)
    const float* __restrict__ scales,  // (count / kGroup)
    float4* __restrict__ values,       // (count / 4)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count / 16) return;
  const uint4 words = bytes[i];
  const float scale = scales[i / (kGroup / 16)];
  values[4 * i + 0] = scaled(words.x, scale);
  values[4 * i + 1] = scaled(words.y, scale);
  values[4 * i + 2] = scaled(words.z, scale);
  values[4 * i + 3] = scaled(words.w, scale);
}

// 128 bytes in and 512 out a warp, all packed.
// ladder: quantise step 3: dequantise_words is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void dequantise_words(
    const unsigned* __restrict__ bytes,  // (count / 4)
    const float* __restrict__ scales,    // (count / kGroup)
    float4* __restrict__ values,         // (count / 4)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count / 4) return;
  values[i] = scaled(bytes[i], scales[i / (kGroup / 4)]);
}

namespace {

struct Data {
  std::vector<signed char> block = std::vector<signed char>(kPeriod);  // the bytes, repeated
  std::vector<float> host_scales = random_floats(kCount / kGroup, 131);
  DeviceBuffer<signed char> bytes{kCount};
  DeviceBuffer<float> scales{host_scales};
  DeviceBuffer<float> values{kCount};
};

void check(const char* name, const Data& data) {
  finish_launch();
  const std::vector<float> actual = data.values.download();
  for (std::size_t i = 0; i < actual.size(); i += 13) {
    expect_close(name, actual[i], data.block[i % kPeriod] * data.host_scales[i / kGroup],
                 kTolerance, i);
  }
  passed(name);
}

}  // namespace

int main() {
  Data data;
  const std::vector<unsigned> drawn = random_integers(kPeriod, 255, 130);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    data.block[i] = static_cast<signed char>(static_cast<int>(drawn[i]) - 127);
  }
  fill_repeating(data.bytes, data.block);
  float4* vectors = reinterpret_cast<float4*>(data.values.data());
  data.values.clear();
  dequantise_bytes<<<kCount / kThreads, kThreads>>>(data.bytes.data(), data.scales.data(),
                                                    data.values.data(), kCount);
  check("dequantise, a byte a thread", data);
  data.values.clear();
  dequantise_wide<<<blocks_for(kCount / 16, kThreads), kThreads>>>(
      reinterpret_cast<const uint4*>(data.bytes.data()), data.scales.data(), vectors, kCount);
  check("dequantise, sixteen bytes a thread", data);
  data.values.clear();
  dequantise_words<<<blocks_for(kCount / 4, kThreads), kThreads>>>(
      reinterpret_cast<const unsigned*>(data.bytes.data()), data.scales.data(), vectors, kCount);
  check("dequantise, four bytes a thread", data);
}
