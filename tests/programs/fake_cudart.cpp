// SPDX-License-Identifier: Apache-2.0
#include "fake_cudart.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

namespace {

struct Node {
  cudaGraphNodeType type;
  double ns;
};
using Graph = std::vector<Node>;

double now_ns = 0;
int launches = 0;
cudaError_t last_error = cudaSuccess;
bool is_broken = false;
std::map<void*, size_t> allocated;
Graph* captured = nullptr;  // while a stream is captured

bool is(std::string_view machine) {
  const char* chosen = std::getenv("FAKE_GPU");
  return chosen != nullptr && chosen == machine;
}

cudaError_t answer(cudaError_t result = cudaSuccess) {
  if (is_broken) result = cudaErrorLaunchFailure;
  if (result != cudaSuccess) last_error = result;
  return result;
}

void run(Node node, double pause_ns) {
  if (captured != nullptr) {
    captured->push_back(node);
  } else {
    now_ns += node.ns + pause_ns;
  }
}

Graph* graph_of(void* handle) { return static_cast<Graph*>(handle); }

}  // namespace

namespace fake {

void launch(cudaStream_t, double ns) {
  if (is("breaks") && ++launches >= 5) is_broken = true;
  if (answer() == cudaSuccess) run({cudaGraphNodeTypeKernel, ns}, kLaunchPauseNs);
}

}  // namespace fake

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "cudaErrorLaunchFailure" : "cudaErrorFake";
}
const char* cudaGetErrorString(cudaError_t) { return "as the test asked for"; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = is_broken ? cudaErrorLaunchFailure : last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaSetDevice(int) { return answer(is("none") ? cudaErrorNoDevice : cudaSuccess); }
cudaError_t cudaDeviceSynchronize() { return answer(); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return answer();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "Fake GPU");
  properties->major = 9;
  properties->multiProcessorCount = 10;
  return answer();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrL2CacheSize ? 1 << 20 : 0;
  return answer();
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = is("full") ? nullptr : std::malloc(bytes);
  if (*memory != nullptr) allocated[*memory] = bytes;
  return answer(*memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t cudaFree(void* memory) {
  allocated.erase(memory);
  std::free(memory);
  return answer();
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = size_t{1} << 30U;
  for (const auto& [memory, bytes] : allocated) *free -= bytes;
  return answer();
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return answer();
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  run({cudaGraphNodeTypeMemset, 100}, 0);
  return answer();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return answer();
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return answer(); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return answer(); }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return answer();
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return answer();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  now_ns += fake::kEventNs;
  *reinterpret_cast<double*>(event) = now_ns;
  return answer();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return answer(); }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms =
      static_cast<float>((*reinterpret_cast<double*>(to) - *reinterpret_cast<double*>(from)) / 1e6);
  return answer();
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  if (is("no-capture")) return answer(cudaErrorStreamCaptureUnsupported);
  captured = new Graph;
  return answer();
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = reinterpret_cast<cudaGraph_t>(captured);
  captured = nullptr;
  return answer();
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph_of(graph);
  return answer();
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  Graph& all = *graph_of(graph);
  if (nodes == nullptr) *count = all.size();
  for (size_t i = 0; nodes != nullptr && i < *count; ++i) {
    nodes[i] = reinterpret_cast<cudaGraphNode_t>(&all[i]);
  }
  return answer();
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = reinterpret_cast<Node*>(node)->type;
  return answer();
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* replay, cudaGraph_t graph,
                                          unsigned long long) {
  *replay = reinterpret_cast<cudaGraphExec_t>(new Graph(*graph_of(graph)));
  return answer();
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t replay) {
  delete graph_of(replay);
  return answer();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t replay, cudaStream_t) {
  for (const Node& node : *graph_of(replay)) now_ns += node.ns;
  return answer();
}

}  // extern "C"
