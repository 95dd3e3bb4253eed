// SPDX-License-Identifier: Apache-2.0
//
// Thread-block clusters (compute capability 9.0 and newer): the blocks of a cluster hand their
// partial sums round through each other's shared memory. Once with the cluster size fixed in the
// kernel and once chosen at the launch.
#include <cooperative_groups.h>

#include "check.cuh"

namespace cg = cooperative_groups;

constexpr unsigned kThreads = 256;
constexpr unsigned kFixedCluster = 4;   // blocks
constexpr unsigned kChosenCluster = 8;  // blocks, the largest portable size

// Sums the elements of one cluster; block is kThreads, one element a thread.
__device__ void sum_cluster(const float* __restrict__ input,  // (gridDim.x * kThreads)
                            float* __restrict__ sums) {       // (clusters)
  __shared__ float values[kThreads];
  cg::cluster_group cluster = cg::this_cluster();
  values[threadIdx.x] = input[blockIdx.x * kThreads + threadIdx.x];
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
      sum += *cluster.map_shared_rank(values, rank);
    sums[blockIdx.x / cluster.num_blocks()] = sum;
  }
  cluster.sync();  // no block may leave while another reads its shared memory
}

__global__ void __cluster_dims__(kFixedCluster, 1, 1)
    sum_in_fixed_clusters(const float* input, float* sums) {
  sum_cluster(input, sums);
}

__global__ void sum_in_chosen_clusters(const float* input, float* sums) {
  sum_cluster(input, sums);
}

namespace {

void expect_sums(const char* name, const std::vector<float>& input,
                 const std::vector<float>& actual) {
  const std::size_t share = input.size() / actual.size();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < share; ++j) sum += input[i * share + j];
    expect_close(name, actual[i], sum, 1e-4, i);
  }
  passed(name);
}

}  // namespace

int main() {
  constexpr unsigned kBlocks = 4096;
  static_assert(kBlocks % kFixedCluster == 0 && kBlocks % kChosenCluster == 0,
                "the grid is whole clusters");
  int device = 0;
  int major = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  REQUIRE(major >= 9, "clusters need compute capability 9.0 or newer");

  const std::vector<float> host = random_floats(std::size_t{kBlocks} * kThreads, 17);
  DeviceBuffer<float> input(host);  // (kBlocks * kThreads)

  DeviceBuffer<float> fixed(kBlocks / kFixedCluster);  // (clusters)
  sum_in_fixed_clusters<<<kBlocks, kThreads>>>(input.data(), fixed.data());
  finish_launch();
  expect_sums("fixed clusters", host, fixed.download());

  DeviceBuffer<float> chosen(kBlocks / kChosenCluster);  // (clusters)
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kChosenCluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(kThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const float* source = input.data();
  CHECK_CUDA(cudaLaunchKernelEx(&config, sum_in_chosen_clusters, source, chosen.data()));
  finish_launch();
  expect_sums("chosen clusters", host, chosen.download());
}
