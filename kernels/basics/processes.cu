// SPDX-License-Identifier: Apache-2.0
//
// A program that starts itself again as a child, so that `ncu --target-processes all` puts two
// processes into one report. The child is started before the parent touches CUDA, since a CUDA
// context does not survive a fork.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "check.cuh"

constexpr unsigned kThreads = 128;

__global__ void saxpy(float factor, const float* __restrict__ x,  // (count)
                      float* __restrict__ y,                      // (count)
                      unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) y[i] += factor * x[i];
}

namespace {

void run(const char* name, unsigned count) {
  REQUIRE(count > 0, "an empty vector has no grid");

  const std::vector<float> host_x = random_floats(count, 22);
  const std::vector<float> host_y = random_floats(count, 23);
  DeviceBuffer<float> x(host_x);  // (count)
  DeviceBuffer<float> y(host_y);  // (count)
  for (const float factor : {1.5f, -0.25f}) {
    saxpy<<<blocks_for(count, kThreads), kThreads>>>(factor, x.data(), y.data(), count);
    finish_launch();
  }
  const std::vector<float> actual = y.download();
  for (unsigned i = 0; i < count; ++i)
    expect_close(name, actual[i], host_y[i] + 1.25 * host_x[i], 1e-6, i);
  passed(name);
}

void run_child() {
  std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  char role[] = "child";
  char* arguments[] = {program.data(), role, nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ);
  REQUIRE(error == 0, "the child could not start");
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child, "the child could not be waited for");
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child failed");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "child") == 0) {
    run("saxpy in the child", 1u << 18);
    return 0;
  }
  REQUIRE(argc == 1, "usage: processes");
  run_child();
  run("saxpy in the parent", 1u << 20);
}
