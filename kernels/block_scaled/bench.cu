// SPDX-License-Identifier: Apache-2.0
//
// The block-scaled GEMM as a benchmark: every variant, checked and timed.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../bench/workload.cuh"
#include "block_scaled.h"
#include "codes.h"

namespace {

using workload::Buffer;
using workload::launched;

struct Operand {
  Operand(std::uint32_t rows, std::uint32_t k, std::uint32_t group, bool ue4m3, std::uint32_t seed)
      : codes(std::size_t{rows} * k / 2), scales(std::size_t{(rows + 127) / 128} * 128 * k / group) {
    workload::bytes(codes, 0, 256, seed);
    // Within a few binades of one, as trained weights are.
    if (ue4m3) {
      workload::bytes(scales, 40, 32, seed + 1);
    } else {
      workload::bytes(scales, 124, 6, seed + 1);
    }
  }

  Buffer<std::uint8_t> codes;
  Buffer<std::uint8_t> scales;
};

__device__ double value_of(const std::uint8_t* codes, const std::uint8_t* scales, std::uint32_t row,
                           std::uint32_t i, std::uint32_t k, std::uint32_t group, bool ue4m3) {
  constexpr double kMagnitudes[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const std::uint8_t byte = codes[(std::size_t{row} * k + i) / 2];
  const std::uint32_t code = i % 2 == 0 ? byte & 15U : byte >> 4U;
  const std::uint32_t scale = scales[block_scaled::scale_index(row, i / group, k / group)];
  const double factor =
      !ue4m3       ? ldexp(1.0, static_cast<int>(scale) - 127)
      : scale < 8U ? ldexp(static_cast<double>(scale), -9)
                   : ldexp(1.0 + (scale & 7U) / 8.0, static_cast<int>(scale >> 3U) - 7);
  return (code < 8 ? 1 : -1) * kMagnitudes[code & 7U] * factor;
}

// A block a sampled row, a thread a column at a time.
__global__ void exactly(block_scaled_problem p, const std::uint32_t* rows, double* exact) {
  extern __shared__ double a_row[];  // (k)
  const std::uint32_t row = rows[blockIdx.x];
  const auto value = [&](const void* codes, const void* scales, std::uint32_t r, std::uint32_t i) {
    return value_of(static_cast<const std::uint8_t*>(codes),
                    static_cast<const std::uint8_t*>(scales), r, i, p.k, p.group, p.ue4m3 != 0);
  };
  for (std::uint32_t i = threadIdx.x; i < p.k; i += blockDim.x) {
    a_row[i] = value(p.a, p.a_scales, row, i);
  }
  __syncthreads();
  for (std::uint32_t n = threadIdx.x; n < p.n; n += blockDim.x) {
    double sum = 0;
    for (std::uint32_t i = 0; i < p.k; ++i) sum += a_row[i] * value(p.b, p.b_scales, n, i);
    exact[std::size_t{blockIdx.x} * p.n + n] = sum;
  }
}

template <class Value>
void multiply(proofline::bench::Configuration& config, bool half) {
  const auto m = static_cast<std::uint32_t>(config.integer("m"));
  const auto n = static_cast<std::uint32_t>(config.integer("n"));
  const auto k = static_cast<std::uint32_t>(config.integer("k"));
  const auto group = static_cast<std::uint32_t>(config.integer("group"));
  const bool ue4m3 = config.text("scales") == "ue4m3";
  const Operand a(m, k, group, ue4m3, 1);
  const Operand b(n, k, group, ue4m3, 11);
  workload::Checked<Value> c(m, n, workload::sampled_rows(m, 128));
  block_scaled_problem problem{};
  problem.a = a.codes.data();
  problem.b = b.codes.data();
  problem.a_scales = a.scales.data();
  problem.b_scales = b.scales.data();
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.group = group;
  problem.ue4m3 = ue4m3 ? 1 : 0;
  problem.half = half ? 1 : 0;
  Buffer<std::uint8_t> scratch(block_scaled_scratch_bytes(&problem));
  problem.scratch = scratch.data();
  exactly<<<static_cast<unsigned>(c.sampled.size()), 256, k * sizeof(double)>>>(
      problem, c.sampled.data(), c.exact.data());
  problem.c = c.plain.data();
  launched(block_scaled_launch("naive", &problem, nullptr), "naive");
  problem.c = c.result.data();
  config.bytes(static_cast<double>(m + n) * k * (0.5 + 1.0 / group) + 2.0 * m * n);
  config.flops(2.0 * m * n * k);  // of bf16 or fp8, as the variant decodes: no one roof
  const auto scale = static_cast<float>(workload::root_mean_square(c.exact.download()));
  const float rounding = half ? 0x1p-10F : 0x1p-7F;
  const auto measure_all = [&](bool fp8) {
    for (const char* const* name = block_scaled_variants(); *name != nullptr; ++name) {
      const std::string variant = *name;
      if ((variant.rfind("fp8", 0) == 0) != fp8) continue;
      config.measure(variant, [&](proofline::bench::Launch launch) {
        launched(block_scaled_launch(variant.c_str(), &problem, launch.stream), variant);
      });
    }
  };
  // Products of fp8 are summed with about 14 bits: an element may be off by 2^-13 of its largest
  // partial sum at every step. ue4m3 scales are no powers of two to fold into fp8.
  c.declare(config, scale / 64, rounding);
  if (!ue4m3) measure_all(true);
  // One rounding; where terms cancel, that of the accumulators.
  c.declare(config, scale / 256, rounding);
  measure_all(false);
}

}  // namespace

int main(int argc, char** argv) {
  proofline::bench::Suite suite("block_scaled", argc, argv);
  suite.tuple("mnk", {"m", "n", "k"}, {{8192, 8192, 1024}, {2048, 2048, 512}, {1000, 1064, 512}});
  suite.axis("group", {16});
  suite.axis("scales", {"ue8m0", "ue4m3"});
  suite.axis("type", {"fp16"});
  suite.run([](proofline::bench::Configuration& config) {
    if (config.text("type") == "fp16") {
      multiply<__half>(config, true);
    } else {
      multiply<__nv_bfloat16>(config, false);
    }
  });
  return suite.finish();
}
