// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the double-precision units: orbits of an affine map, and a density
// estimate that sums a polynomial kernel over all pairs of points and centres. Nothing in them
// divides or takes a root.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks
constexpr unsigned kChains = 8;    // independent values of a thread
constexpr unsigned kUnrolled = 16;
constexpr unsigned kOrbitSteps = 20 * kUnrolled;

// zoo: compound_rates is healthy at fp64-pipe
__global__ __launch_bounds__(kThreads, kResident) void compound_rates(
    const double* __restrict__ starts,  // (blocks * kThreads)
    double* __restrict__ ends,          // (blocks * kThreads)
    double rate, double deposit) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  double balance[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) balance[c] = starts[thread] + static_cast<double>(c);
#pragma unroll 1
  for (unsigned step = 0; step < kOrbitSteps; step += kUnrolled) {
#pragma unroll
    for (unsigned u = 0; u < kUnrolled; ++u) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) balance[c] = fma(balance[c], rate, deposit);
    }
  }
  double sum = 0.0;
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) sum += balance[c];
  ends[thread] = sum;
}

constexpr unsigned kDensityResident = 4;  // blocks on a multiprocessor, as their registers allow
constexpr unsigned kDensityWaves = 4;
constexpr unsigned kPointsEach = 4;  // points of a thread
constexpr unsigned kCentres = 256;
static_assert(kCentres == kThreads, "each thread brings one centre");

struct __align__(16) Centre {
  double x, y, z, weight;
};

// The biweight kernel without its cut-off, which points in the unit cube stay inside of.
__host__ __device__ inline double add_density(double sum, double x, double y, double z,
                                              const Centre& centre) {
  constexpr double kInverseSquareRadius = 0.25;
  const double dx = x - centre.x;
  const double dy = y - centre.y;
  const double dz = z - centre.z;
  const double square = fma(dx, dx, fma(dy, dy, dz * dz));
  const double inside = fma(square, -kInverseSquareRadius, 1.0);
  return fma(inside * inside, centre.weight, sum);
}

// zoo: point_densities is healthy at fp64-pipe
__global__ __launch_bounds__(kThreads, kDensityResident) void point_densities(
    const double* __restrict__ points,   // (3, count)
    const Centre* __restrict__ centres,  // (kCentres)
    double* __restrict__ densities,      // (count)
    unsigned count) {
  __shared__ Centre near[kCentres];
  near[threadIdx.x] = centres[threadIdx.x];
  const unsigned first = blockIdx.x * (kPointsEach * kThreads) + threadIdx.x;
  double x[kPointsEach];
  double y[kPointsEach];
  double z[kPointsEach];
  double sum[kPointsEach];
#pragma unroll
  for (unsigned p = 0; p < kPointsEach; ++p) {
    x[p] = points[first + p * kThreads];
    y[p] = points[count + first + p * kThreads];
    z[p] = points[2 * count + first + p * kThreads];
    sum[p] = 0.0;
  }
  __syncthreads();
#pragma unroll 4
  for (unsigned c = 0; c < kCentres; ++c) {
    const Centre centre = near[c];
#pragma unroll
    for (unsigned p = 0; p < kPointsEach; ++p) {
      sum[p] = add_density(sum[p], x[p], y[p], z[p], centre);
    }
  }
#pragma unroll
  for (unsigned p = 0; p < kPointsEach; ++p) densities[first + p * kThreads] = sum[p];
}

namespace {

std::vector<double> random_doubles(std::size_t count, unsigned seed) {
  const std::vector<float> narrow = random_floats(count, seed);
  return std::vector<double>(narrow.begin(), narrow.end());
}

void run_compound_rates() {
  constexpr double kRate = 0.998;
  constexpr double kDeposit = 0.0078;
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::vector<double> host = random_doubles(std::size_t{kThreads} * blocks, 41);
  DeviceBuffer<double> starts(host);       // (blocks * kThreads)
  DeviceBuffer<double> ends(host.size());  // (blocks * kThreads)
  ends.clear();
  compound_rates<<<blocks, kThreads>>>(starts.data(), ends.data(), kRate, kDeposit);
  finish_launch();
  const std::vector<double> actual = ends.download();
  for (std::size_t i = 0; i < actual.size(); i += 8191) {
    double expected = 0.0;
    for (unsigned c = 0; c < kChains; ++c) {
      double balance = host[i] + static_cast<double>(c);
      for (unsigned step = 0; step < kOrbitSteps; ++step) {
        balance = std::fma(balance, kRate, kDeposit);
      }
      expected += balance;
    }
    expect_close("compound rates", actual[i], expected, 1e-12, i);
  }
  passed("compound rates");
}

void run_point_densities() {
  const unsigned blocks = multiprocessors() * kDensityResident * kDensityWaves;
  const unsigned count = kPointsEach * kThreads * blocks;
  const std::vector<double> host_points = random_doubles(std::size_t{3} * count, 42);
  const std::vector<double> numbers = random_doubles(std::size_t{4} * kCentres, 43);
  std::vector<Centre> host_centres(kCentres);
  for (unsigned c = 0; c < kCentres; ++c) {
    host_centres[c] =
        Centre{numbers[4 * c], numbers[4 * c + 1], numbers[4 * c + 2], numbers[4 * c + 3]};
  }
  DeviceBuffer<double> points(host_points);    // (3, count)
  DeviceBuffer<Centre> centres(host_centres);  // (kCentres)
  DeviceBuffer<double> densities(count);       // (count)
  densities.clear();
  point_densities<<<blocks, kThreads>>>(points.data(), centres.data(), densities.data(), count);
  finish_launch();
  const std::vector<double> actual = densities.download();
  for (std::size_t i = 0; i < count; i += 1021) {
    double expected = 0.0;
    for (const Centre& centre : host_centres) {
      expected = add_density(expected, host_points[i], host_points[count + i],
                             host_points[std::size_t{2} * count + i], centre);
    }
    expect_close("point densities", actual[i], expected, 1e-12, i);
  }
  passed("point densities");
}

}  // namespace

int main() {
  run_compound_rates();
  run_point_densities();
}
