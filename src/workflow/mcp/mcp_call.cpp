// SPDX-License-Identifier: Apache-2.0
#include "workflow/mcp/mcp_call.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "workflow/mcp/agent_call.h"
#include "workflow/mcp/json_rpc.h"

namespace proofline {
namespace {

constexpr std::size_t kMostErrors = 4096;
constexpr std::size_t kMostErrorLine = 1024;
// What a command has to end its own programs and put its files in order before it is killed.
constexpr std::chrono::milliseconds kCallGrace{2000};

class CallListener final : public OutputListener {
 public:
  explicit CallListener(const CallEvents& events) : events_(events) {}

  bool on_output(std::string_view piece) override {
    if (output.size() + piece.size() > kMostCallOutput) too_long = true;
    if (!too_long) output += piece;
    return !too_long;
  }

  bool on_errors(std::string_view piece) override {
    errors += piece;
    if (errors.size() > kMostErrors) errors.erase(0, errors.size() - kMostErrors);
    lines_.feed(
        piece, [this](std::string_view line) { events_.said(line); }, [] {});
    return true;
  }

  // Told once: each time would give it its grace anew.
  bool on_tick() override {
    const bool go_on = events_.tick();
    return std::exchange(told_, told_ || !go_on) || go_on;
  }

  std::string output;
  std::string errors;
  bool too_long = false;

 private:
  const CallEvents& events_;
  LineSplitter lines_{kMostErrorLine};
  bool told_ = false;
};

}  // namespace

Result<CallEnd> run_call(const std::string& program, const std::vector<std::string>& arguments,
                         const CallEvents& events) {
  Program call;
  call.argv = {program};
  call.argv.insert(call.argv.end(), arguments.begin(), arguments.end());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    call.environment.emplace_back(*variable);
  }
  call.environment.push_back(fmt::format("{}=1", kAgentVariable));
  call.grace = kCallGrace;
  CallListener listener(events);
  auto end = run_program(call, listener);
  if (!end) return tl::make_unexpected(std::move(end).error());
  return CallEnd{*end, std::move(listener.output), std::move(listener.errors), listener.too_long};
}

}  // namespace proofline
