// SPDX-License-Identifier: Apache-2.0
//
// Two steps of a seven-point heat stencil in FP64, there and back between two grids. Little
// arithmetic on much data, in a precision whose pipe most other programs here leave idle.
#include "check.cuh"

constexpr unsigned kEdge = 192;  // the grid is kEdge cubed
constexpr double kRate = 0.1;    // below 1/6, so that the scheme is stable
constexpr std::size_t kPlane = std::size_t{kEdge} * kEdge;
constexpr std::size_t kCells = kPlane * kEdge;

// The outermost cells are held fixed.
__global__ void heat_step(const double* __restrict__ now,  // (kEdge, kEdge, kEdge) as (z, y, x)
                          double* __restrict__ next) {     // (kEdge, kEdge, kEdge)
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= kEdge || y >= kEdge || z >= kEdge) return;
  const std::size_t at = z * kPlane + y * kEdge + x;
  const double centre = now[at];
  if (x == 0 || y == 0 || z == 0 || x == kEdge - 1 || y == kEdge - 1 || z == kEdge - 1) {
    next[at] = centre;
    return;
  }
  const double around = now[at - 1] + now[at + 1] + now[at - kEdge] + now[at + kEdge] +
                        now[at - kPlane] + now[at + kPlane];
  next[at] = centre + kRate * (around - 6.0 * centre);
}

namespace {

void heat_step_on_host(const std::vector<double>& now, std::vector<double>& next) {
  next = now;
  for (unsigned z = 1; z + 1 < kEdge; ++z) {
    for (unsigned y = 1; y + 1 < kEdge; ++y) {
      for (unsigned x = 1; x + 1 < kEdge; ++x) {
        const std::size_t at = z * kPlane + y * kEdge + x;
        const double around = now[at - 1] + now[at + 1] + now[at - kEdge] + now[at + kEdge] +
                              now[at - kPlane] + now[at + kPlane];
        next[at] = now[at] + kRate * (around - 6.0 * now[at]);
      }
    }
  }
}

}  // namespace

int main() {
  const std::vector<float> noise = random_floats(kCells, 14);
  std::vector<double> host(noise.begin(), noise.end());  // (kEdge, kEdge, kEdge)
  std::vector<double> host_next;                         // (kEdge, kEdge, kEdge)
  DeviceBuffer<double> even(host);                       // (kEdge, kEdge, kEdge)
  DeviceBuffer<double> odd(kCells);                      // (kEdge, kEdge, kEdge)
  odd.clear();

  const dim3 block(32, 4, 2);
  const dim3 grid(blocks_for(kEdge, block.x), blocks_for(kEdge, block.y),
                  blocks_for(kEdge, block.z));
  heat_step<<<grid, block>>>(even.data(), odd.data());
  finish_launch();
  heat_step<<<grid, block>>>(odd.data(), even.data());
  finish_launch();

  heat_step_on_host(host, host_next);
  heat_step_on_host(host_next, host);
  const std::vector<double> actual = even.download();
  for (std::size_t i = 0; i < kCells; ++i)
    expect_close("heat stencil", actual[i], host[i], 1e-12, i);
  passed("heat stencil");
}
