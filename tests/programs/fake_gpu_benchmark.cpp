// SPDX-License-Identifier: Apache-2.0
//
// A benchmark on the measurement library whose kernels take n microseconds, right and wrong ones.
#include <proofline/bench.h>

#include <cstdint>
#include <optional>

#include "fake_cudart.h"

int main(int argc, char** argv) {
  proofline::bench::Suite suite("fake", argc, argv);
  suite.axis("n", {10, 2000});
  suite.run([](proofline::bench::Configuration& config) {
    using proofline::bench::Launch;
    const double ns = config.number("n") * 1e3;
    proofline::bench::Buffer<float> output(4);
    config.bytes(8e6);
    config.check(output, [](std::size_t i) { return static_cast<double>(i); });
    const auto write = [&](float factor) {
      for (int i = 0; i < 4; ++i) output.data()[i] = factor * static_cast<float>(i);
    };
    config.measure("plain", [&](Launch launch) {
      write(1);
      fake::launch(launch.stream, ns);
    });
    std::optional<proofline::bench::Buffer<char>> workspace;
    config.measure("with-workspace", [&](Launch launch) {
      if (!workspace) workspace.emplace(1 << 20);
      write(1);
      fake::launch(launch.stream, ns);
    });
    workspace.reset();
    config.measure("with-memset", [&](Launch launch) {
      proofline::bench::require(cudaMemsetAsync(output.data(), 0, 4, launch.stream), "memset");
      write(1);
      fake::launch(launch.stream, ns);
    });
    config.measure("wrong", [&](Launch launch) {
      write(2);
      fake::launch(launch.stream, ns);
    });
    config.measure("unwritten", [&](Launch launch) { fake::launch(launch.stream, ns); });
    config.measure("elsewhere", [&](Launch) { write(1); });
    proofline::bench::Buffer<std::int64_t> large(1);
    config.check(large, [](std::size_t) { return std::int64_t{1} << 60; });
    for (const int off : {0, 1}) {
      config.measure(off == 0 ? "large" : "large-off-by-one", [&](Launch launch) {
        write(1);
        large.data()[0] = (std::int64_t{1} << 60) + off;
        fake::launch(launch.stream, ns);
      });
    }
  });
  return suite.finish();
}
