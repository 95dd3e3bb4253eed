// SPDX-License-Identifier: Apache-2.0
//
// A client's session with the Model Context Protocol, revision 2025-11-25: what is answered at
// once, and the calls that wait for their turn. Calls run one after the other, since measuring two
// programs at once measures neither; pings, lists and cancellations are answered meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/mcp/json_rpc.h"
#include "workflow/mcp/mcp_call.h"
#include "workflow/mcp/mcp_tools.h"

namespace proofline {

class McpSession {
 public:
  // `program` is this one; `send` takes a line without its end.
  McpSession(std::string program, const Tools& tools, std::function<void(std::string_view)> send)
      : program_(std::move(program)), tools_(tools), send_(std::move(send)) {}

  // Every line gets its answer, whatever is in it.
  void take(std::string_view line);
  void take_too_long();

  bool has_work() const { return !waiting_.empty(); }
  // Runs the first call that waits. `receive` lets the client speak meanwhile; false: it is gone,
  // and the call is ended.
  void work(const std::function<bool()>& receive);

 private:
  struct Call {
    std::string id;
    std::vector<std::string> arguments;
    std::string progress_token;  // as JSON; "" the client wants none
    // Of a resource.
    std::string uri;
    std::string media_type;
  };

  void request(const RpcMessage& message);
  void notification(const RpcMessage& message);
  void initialize(const RpcMessage& message);
  void call_tool(const RpcMessage& message);
  void read_resource(const RpcMessage& message);
  void cancel(const std::string& id);
  void enqueue(const RpcMessage& message, Call call);
  void report_progress(const Call& call, std::string_view what);
  void finish(const Call& call, const Result<CallEnd>& result);
  void finish_resource(const Call& call, const CallEnd& end, bool failed);

  void answer(std::string_view id, std::string_view result) { send_(rpc_result(id, result)); }
  void refuse(std::string_view id, RpcError code, std::string_view why) {
    send_(rpc_error(id, code, why));
  }

  std::string program_;
  const Tools& tools_;
  std::function<void(std::string_view)> send_;
  bool initialized_ = false;
  std::deque<Call> waiting_;
  std::string running_;  // id of the call that runs; "" none
  bool cancelled_ = false;
  std::uint64_t progress_ = 0;
  std::set<std::string> named_;  // files that the client named
};

}  // namespace proofline
