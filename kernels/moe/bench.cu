// SPDX-License-Identifier: Apache-2.0
//
// The mixture-of-experts layer as a benchmark: every variant, checked and timed.
#include <cuda_bf16.h>

#include <algorithm>

#include "../bench/workload.cuh"
#include "moe.h"

namespace {

using workload::Buffer;
using workload::launched;
using Value = __nv_bfloat16;

constexpr std::uint32_t kExperts = 32;
constexpr std::uint32_t kK = 2880;
constexpr std::uint32_t kExpertsPerToken = 4;

__device__ float decoded(std::uint32_t code, std::uint32_t scale) {
  constexpr float kMagnitudes[8] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  return (code < 8 ? 1.0F : -1.0F) * ldexpf(kMagnitudes[code & 7U], static_cast<int>(scale) - 127);
}

// What the codes mean, exactly.
__global__ void decode_all(const std::uint8_t* codes, const std::uint8_t* scales, std::size_t count,
                           Value* values) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::uint8_t byte = codes[i / 2];
  values[i] = __float2bfloat16(decoded(i % 2 == 0 ? byte & 15U : byte >> 4U, scales[i / 32]));
}

__device__ std::uint32_t expert_of(const int* ends, std::uint32_t row) {
  std::uint32_t expert = 0;
  while (static_cast<int>(row) >= ends[expert]) ++expert;
  return expert;
}

// A block a row, a thread a result at a time; rows: null, all of them.
template <class Sum, class Result>
__global__ void multiply(const Value* x, const Value* w, const int* ends, const std::uint32_t* rows,
                         std::uint32_t n, Result* y) {
  __shared__ float x_row[kK];
  const std::uint32_t row = rows == nullptr ? blockIdx.x : rows[blockIdx.x];
  for (std::uint32_t k = threadIdx.x; k < kK; k += blockDim.x) {
    x_row[k] = __bfloat162float(x[std::size_t{row} * kK + k]);
  }
  __syncthreads();
  const Value* const weights = w + std::size_t{expert_of(ends, row)} * n * kK;
  for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
    const auto* const pairs = reinterpret_cast<const __nv_bfloat162*>(weights + std::size_t{i} * kK);
    Sum sum = 0;
    for (std::uint32_t k = 0; k < kK / 2; ++k) {
      const float2 pair = __bfloat1622float2(pairs[k]);
      sum += Sum{x_row[2 * k]} * Sum{pair.x} + Sum{x_row[2 * k + 1]} * Sum{pair.y};
    }
    y[std::size_t{blockIdx.x} * n + i] = static_cast<Result>(sum);
  }
}

// The inclusive prefix sum of the experts' row counts.
std::vector<int> routed(std::uint32_t rows, const std::string& routing) {
  std::vector<std::uint32_t> weights(kExperts, 1);
  if (routing == "hot") {
    for (const std::uint32_t expert : {3U, 9U, 17U, 30U}) weights[expert] = 7;
  } else if (routing == "empty") {
    for (std::uint32_t expert = 0; expert < kExperts; expert += 3) weights[expert] = 0;
  } else if (routing != "uniform" && routing != "poisson") {
    throw std::invalid_argument("routing: uniform, poisson, hot or empty");
  }
  std::vector<std::uint32_t> tickets;
  for (std::uint32_t expert = 0; expert < kExperts; ++expert) {
    tickets.insert(tickets.end(), weights[expert], expert);
  }
  std::vector<int> ends(kExperts);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto ticket = static_cast<std::uint32_t>(
        routing == "uniform" ? row % tickets.size()
                             : workload::hashed(row, 77) % tickets.size());
    ++ends[tickets[ticket]];
  }
  for (std::uint32_t expert = 1; expert < kExperts; ++expert) ends[expert] += ends[expert - 1];
  return ends;
}

void apply(proofline::bench::Configuration& config) {
  const std::uint32_t n = config.text("layer") == "w1" ? 5760 : 2880;
  const std::uint32_t rows =
      kExpertsPerToken * static_cast<std::uint32_t>(config.integer("tokens"));
  const std::size_t count = std::size_t{kExperts} * n * kK;
  Buffer<Value> x(std::size_t{rows} * kK);
  Buffer<std::uint8_t> codes(count / 2);
  Buffer<std::uint8_t> scales(count / 32);
  Buffer<Value> values(count);
  Buffer<int> ends(kExperts);
  workload::normal(x, 1);
  workload::bytes(codes, 0, 256, 3);
  workload::bytes(scales, 118, 5, 5);  // as of weights of N(0, 1 / sqrt(k))
  ends.upload(routed(rows, config.text("routing")));
  decode_all<<<static_cast<unsigned>((count + 255) / 256), 256>>>(codes.data(), scales.data(), count,
                                                                  values.data());
  const moe_layer layer{kExperts, n, kK};
  Buffer<std::uint8_t> packed(moe_packed_bytes(&layer));
  Buffer<unsigned> refused(1);
  refused.fill([](std::size_t) { return 0; });
  launched(moe_pack(&layer, codes.data(), scales.data(), packed.data(), refused.data(), nullptr),
           "moe_pack");
  const moe_weights weights{packed.data(), codes.data(), scales.data(), values.data()};

  workload::Checked<Value> y(rows, n, workload::sampled_rows(rows, 64));
  multiply<double><<<static_cast<unsigned>(y.sampled.size()), 256>>>(
      x.data(), values.data(), ends.data(), y.sampled.data(), n, y.exact.data());
  multiply<float><<<rows, 256>>>(x.data(), values.data(), ends.data(), nullptr, n, y.plain.data());
  const auto typical = static_cast<float>(workload::root_mean_square(y.exact.download()));
  config.bytes(static_cast<double>(count) * (0.5 + 1.0 / 32) + 2.0 * rows * (kK + n));
  config.flops(2.0 * rows * n * kK, "tensor-f16");
  y.declare(config, typical / 256, 1.0F / 128);

  for (const char* const* name = moe_variants(); *name != nullptr; ++name) {
    const std::string variant = *name;
    // It reads the weights again for every few rows.
    if (variant.rfind("stream", 0) == 0 && rows > 128 * kExperts) continue;
    // Four times the bytes, and no decoding.
    if (variant.rfind("bf16", 0) == 0) config.bytes(2.0 * static_cast<double>(count + rows * (kK + n)));
    config.measure(variant, [&](proofline::bench::Launch launch) {
      launched(moe_launch(variant.c_str(), &layer, &weights, x.data(), ends.data(),
                          y.result.data(), rows, 0, launch.stream),
               variant);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  proofline::bench::Suite suite("moe", argc, argv);
  suite.axis("layer", {"w1", "w2"});
  suite.axis("tokens", {64, 256, 1024, 4096});
  suite.axis("routing", {"uniform", "poisson"});
  suite.run(apply);
  return suite.finish();
}
