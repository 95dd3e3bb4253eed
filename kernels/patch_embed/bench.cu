// SPDX-License-Identifier: Apache-2.0
//
// The patch embedding as a benchmark: every variant, checked and timed.
#include <cuda_bf16.h>

#include <algorithm>

#include "../bench/workload.cuh"
#include "patch_embed.h"

namespace {

using workload::Buffer;
using workload::launched;
using Value = __nv_bfloat16;

constexpr std::uint32_t kWidth = 768;
constexpr std::uint32_t kPositions = 196;

struct Inputs {
  explicit Inputs(std::size_t rows)
      : x(rows * kWidth), w(kWidth * kWidth), positions(kPositions * kWidth), bias(kWidth) {
    workload::normal(x, 1);
    workload::normal(w, 3);
    workload::normal(positions, 5);
    workload::normal(bias, 7);
  }

  Buffer<Value> x;
  Buffer<Value> w;
  Buffer<Value> positions;
  Buffer<float> bias;
};

// One thread a result of a sampled row.
__global__ void exactly(const Value* x, const Value* w, const Value* positions, const float* bias,
                        const std::uint32_t* rows, double* exact) {
  const std::uint32_t row = rows[blockIdx.x];
  const std::uint32_t n = threadIdx.x;
  double sum = static_cast<double>(bias[n]) +
               static_cast<double>(static_cast<float>(positions[row % kPositions * kWidth + n]));
  for (std::uint32_t k = 0; k < kWidth; ++k) {
    sum += static_cast<double>(static_cast<float>(x[std::size_t{row} * kWidth + k])) *
           static_cast<double>(static_cast<float>(w[n * kWidth + k]));
  }
  exact[blockIdx.x * kWidth + n] = sum;
}

void embed(proofline::bench::Configuration& config) {
  const auto rows = static_cast<std::uint32_t>(config.integer("images")) * kPositions;
  Inputs in(rows);
  workload::Checked<Value> y(rows, kWidth, workload::sampled_rows(rows, 4096));
  exactly<<<static_cast<unsigned>(y.sampled.size()), kWidth>>>(
      in.x.data(), in.w.data(), in.positions.data(), in.bias.data(), y.sampled.data(),
      y.exact.data());
  // A grid has at most 65535 rows of blocks.
  constexpr std::uint32_t kAtOnce = 65535 / 49 * 49 * 32;
  for (std::uint32_t row = 0; row < rows; row += kAtOnce) {
    const std::size_t first = std::size_t{row} * kWidth;
    launched(patch_embed_reference(in.x.data() + first, in.w.data(), in.bias.data(),
                                   in.positions.data(), y.plain.data() + first,
                                   std::min(kAtOnce, rows - row), nullptr),
             "patch_embed_reference");
  }
  config.bytes(2.0 * (2.0 * rows * kWidth + kWidth * kWidth + kPositions * kWidth));
  config.flops(2.0 * rows * kWidth * kWidth, "tensor-f16");
  y.declare(config, 0.02F, 1.0F / 256);

  Buffer<std::uint8_t> table(patch_embed_table_bytes());
  for (const char* const* name = patch_embed_variants(); *name != nullptr; ++name) {
    const std::string variant = *name;
    launched(patch_embed_make_table(variant.c_str(), in.positions.data(), table.data(), nullptr),
             "patch_embed_make_table");
    config.measure(variant, [&](proofline::bench::Launch launch) {
      launched(patch_embed_launch(variant.c_str(), in.x.data(), in.w.data(), in.bias.data(),
                                  table.data(), y.result.data(), rows, launch.stream),
               variant);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  proofline::bench::Suite suite("patch_embed", argc, argv);
  suite.axis("images", {4736});
  suite.run(embed);
  return suite.finish();
}
