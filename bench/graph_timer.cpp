// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "event.h"
#include "timers.h"

namespace proofline::bench {
namespace {

// One replay: long enough that the few microseconds from an event to the first launch do not count.
constexpr double kReplayNs = 5e6;
constexpr double kMostLaunches = 1000;

// Whole rounds of the sets of buffers.
std::size_t launches_for(double expected_ns, std::size_t sets) {
  const double wanted = std::ceil(kReplayNs / std::max(expected_ns, 1.0));
  const auto launches = static_cast<std::size_t>(std::clamp(wanted, 1.0, kMostLaunches));
  return (launches + sets - 1) / sets * sets;
}

// Between these two the stream's work is written down instead of done.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
            "cudaStreamBeginCapture");
  }
  ~Capture() {
    if (is_open_) end();
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // The graph is gone with the capture.
  cudaGraph_t finish() {
    require(end(), "cudaStreamEndCapture");
    return graph_;
  }

 private:
  cudaError_t end() {
    is_open_ = false;
    return cudaStreamEndCapture(stream_, &graph_);
  }

  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool is_open_ = true;
};

struct DestroyReplay {
  void operator()(cudaGraphExec_t replay) const { cudaGraphExecDestroy(replay); }
};

class GraphTimer : public Timer {
 public:
  GraphTimer(Execution& execution, Gpu& gpu, double expected_ns)
      : gpu_(gpu), launches_(launches_for(expected_ns, execution.sets())) {
    Capture capture(gpu.stream());
    for (std::size_t i = 0; i < launches_; ++i) execution();
    cudaGraph_t graph = capture.finish();
    std::size_t nodes = 0;
    require(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
    if (nodes == 0) throw std::runtime_error("nothing is launched on launch.stream");
    cudaGraphExec_t replay = nullptr;
    require(cudaGraphInstantiateWithFlags(&replay, graph, 0), "cudaGraphInstantiate");
    replay_.reset(replay);
    // The first replay also brings the graph to the GPU.
    require(cudaGraphLaunch(replay, gpu.stream()), "cudaGraphLaunch");
    require(cudaStreamSynchronize(gpu.stream()), "cudaStreamSynchronize");
  }

  void take(std::vector<double>& ns) override {
    start_.record(gpu_.stream());
    require(cudaGraphLaunch(replay_.get(), gpu_.stream()), "cudaGraphLaunch");
    stop_.record(gpu_.stream());
    stop_.wait();
    ns.push_back(stop_.ns_since(start_) / static_cast<double>(launches_));
  }

 private:
  Gpu& gpu_;
  std::size_t launches_;
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyReplay> replay_;
  Event start_;
  Event stop_;
};

}  // namespace

bool has_only_kernels(Execution& execution, Gpu& gpu) {
  try {
    Capture capture(gpu.stream());
    execution();
    cudaGraph_t graph = capture.finish();
    std::size_t count = 0;
    require(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> nodes(count);
    require(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
    return std::all_of(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
      cudaGraphNodeType type{};
      require(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
      return type == cudaGraphNodeTypeKernel;
    });
  } catch (const CudaError&) {
    if (!is_usable_after_error()) throw;
    return false;
  }
}

std::unique_ptr<Timer> make_graph_timer(Execution& execution, Gpu& gpu, double expected_ns) {
  return std::make_unique<GraphTimer>(execution, gpu, expected_ns);
}

}  // namespace proofline::bench
