// SPDX-License-Identifier: Apache-2.0
//
// Two named streams, a cooperative launch that synchronises its whole grid, and NVTX in all its
// forms: nested push/pop ranges, a start/end range across launches, a domain of its own with a
// category, colours, payloads and registered strings. Record it with `ncu --nvtx`.
#include <cooperative_groups.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>

#include <cstdint>
#include <utility>

#include "check.cuh"

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 256;
constexpr unsigned kCount = 1u << 20;
static_assert(kCount % kThreads == 0, "the grid covers the values exactly");

__global__ void scale(float* values /* (kCount) */, float factor) {
  values[blockIdx.x * kThreads + threadIdx.x] *= factor;
}

__global__ void add(float* __restrict__ target,  // (kCount)
                    const float* __restrict__ source /* (kCount) */) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  target[i] += source[i];
}

// Smooths the values `steps` times; the grid must be resident as a whole, so it strides over the
// values.
__global__ void smooth(float* even,  // (kCount), input and, after an even number of steps, output
                       float* odd,   // (kCount)
                       unsigned steps) {
  const cg::grid_group grid = cg::this_grid();
  float* from = even;
  float* to = odd;
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount;
         i += gridDim.x * blockDim.x) {
      const float left = from[i == 0 ? 0 : i - 1];
      const float right = from[i == kCount - 1 ? i : i + 1];
      to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
    }
    grid.sync();
    float* const swapped = from;
    from = to;
    to = swapped;
  }
}

namespace {

nvtxEventAttributes_t event(unsigned colour, std::uint64_t payload) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = colour;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
  attributes.payload.ullValue = payload;
  return attributes;
}

// Opens one range for each type a payload can have besides UNSIGNED_INT64; returns how many.
unsigned push_every_payload_type() {
  nvtxEventAttributes_t typed = event(0x80ff0000u, 0);
  typed.messageType = NVTX_MESSAGE_TYPE_ASCII;
  typed.message.ascii = "signed 64 bits";
  typed.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  typed.payload.llValue = -64;
  nvtxRangePushEx(&typed);
  typed.message.ascii = "double";
  typed.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  typed.payload.dValue = 0.1;
  nvtxRangePushEx(&typed);
  typed.message.ascii = "unsigned 32 bits";
  typed.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT32;
  typed.payload.uiValue = 32;
  nvtxRangePushEx(&typed);
  typed.message.ascii = "signed 32 bits";
  typed.payloadType = NVTX_PAYLOAD_TYPE_INT32;
  typed.payload.iValue = -32;
  nvtxRangePushEx(&typed);
  typed.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  typed.message.unicode = L"float";
  typed.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
  typed.payload.fValue = 2.5f;
  nvtxRangePushEx(&typed);
  return 5;
}

std::vector<float> smoothed(std::vector<float> values, unsigned steps) {
  std::vector<float> next(values.size());
  for (unsigned step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float left = values[i == 0 ? 0 : i - 1];
      const float right = values[i + 1 == values.size() ? i : i + 1];
      next[i] = 0.25f * left + 0.5f * values[i] + 0.25f * right;
    }
    values.swap(next);
  }
  return values;
}

}  // namespace

int main() {
  constexpr unsigned kSteps = 4;
  static_assert(kSteps % 2 == 0, "the result must end up where the input was");
  int device = 0;
  int cooperative = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  REQUIRE(cooperative != 0, "the device has no cooperative launch");

  const std::vector<float> first_host = random_floats(kCount, 18);
  const std::vector<float> second_host = random_floats(kCount, 19);
  DeviceBuffer<float> first(first_host);    // (kCount)
  DeviceBuffer<float> second(second_host);  // (kCount)
  DeviceBuffer<float> scratch(kCount);      // (kCount)

  cudaStream_t left = nullptr;
  cudaStream_t right = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
  nvtxNameCudaStreamA(left, "left stream");
  nvtxNameCudaStreamA(right, "right stream");

  nvtxDomainHandle_t domain = nvtxDomainCreateA("proofline.solver");
  constexpr unsigned kCategory = 7;
  nvtxDomainNameCategoryA(domain, kCategory, "smoothing");
  nvtxStringHandle_t registered = nvtxDomainRegisterStringA(domain, "registered: smooth, join");

  const unsigned blocks = kCount / kThreads;
  const nvtxRangeId_t whole = nvtxRangeStartA("whole run");
  nvtxRangePushA("prepare");
  nvtxRangePushA("scale left");
  scale<<<blocks, kThreads, 0, left>>>(first.data(), 2.0f);
  CHECK_CUDA(cudaGetLastError());
  nvtxRangePop();
  nvtxEventAttributes_t coloured = event(0xff76b900u, 42);
  coloured.messageType = NVTX_MESSAGE_TYPE_ASCII;
  coloured.message.ascii = "scale right; payload 42, one of many";
  nvtxRangePushEx(&coloured);
  scale<<<blocks, kThreads, 0, right>>>(second.data(), 0.5f);
  CHECK_CUDA(cudaGetLastError());
  nvtxRangePop();
  nvtxRangePop();

  nvtxEventAttributes_t attributes = event(0xff0071c5u, kSteps);
  attributes.category = kCategory;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = registered;
  const nvtxRangeId_t smoothing = nvtxDomainRangeStartEx(domain, &attributes);
  nvtxDomainRangePushEx(domain, &attributes);
  float* even = first.data();
  float* odd = scratch.data();
  unsigned steps = kSteps;
  void* arguments[] = {&even, &odd, &steps};
  CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(smooth),
                                         dim3(multiprocessors()), dim3(kThreads), arguments, 0,
                                         left));
  scale<<<blocks, kThreads, 0, right>>>(second.data(), 3.0f);
  CHECK_CUDA(cudaGetLastError());
  nvtxDomainRangePop(domain);
  CHECK_CUDA(cudaStreamSynchronize(left));
  CHECK_CUDA(cudaStreamSynchronize(right));
  nvtxDomainRangeEnd(domain, smoothing);

  const unsigned typed_ranges = push_every_payload_type();
  add<<<blocks, kThreads, 0, left>>>(first.data(), second.data());
  finish_launch();
  for (unsigned i = 0; i < typed_ranges; ++i) nvtxRangePop();
  nvtxRangeEnd(whole);
  scale<<<blocks, kThreads>>>(first.data(), 0.25f);  // in the default stream and in no range
  finish_launch();

  std::vector<float> expected(first_host);
  for (float& value : expected) value *= 2.0f;
  expected = smoothed(std::move(expected), kSteps);
  const std::vector<float> actual = first.download();
  for (unsigned i = 0; i < kCount; ++i) {
    expect_close("streams", actual[i], 0.25 * (expected[i] + 0.5 * 3.0 * second_host[i]), 1e-5, i);
  }
  passed("streams");

  nvtxDomainDestroy(domain);
  CHECK_CUDA(cudaStreamDestroy(left));
  CHECK_CUDA(cudaStreamDestroy(right));
}
