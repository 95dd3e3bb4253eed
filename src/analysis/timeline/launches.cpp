// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/launches.h"

#include <algorithm>
#include <tuple>

namespace proofline {
namespace {

struct KeyedCall {
  std::uint64_t key = 0;  // process and correlation
  std::uint32_t call = 0;
};

std::uint64_t launch_key(std::uint32_t process, std::uint32_t correlation) {
  return (std::uint64_t{process} << 32U) | correlation;
}

// The first call of each key, in the order of keys.
std::vector<KeyedCall> calls_by_key(const Timeline& timeline) {
  std::vector<KeyedCall> calls;
  calls.reserve(timeline.calls.size());
  for (std::uint32_t i = 0; i < timeline.calls.size(); ++i) {
    const ApiCall& call = timeline.calls[i];
    if (call.correlation == 0) continue;
    calls.push_back({launch_key(process_of(timeline, call), call.correlation), i});
  }
  const auto earlier = [&](const KeyedCall& a, const KeyedCall& b) {
    if (a.key != b.key) return a.key < b.key;
    const ApiCall& x = timeline.calls[a.call];
    const ApiCall& y = timeline.calls[b.call];
    return std::tie(x.start_ns, a.call) < std::tie(y.start_ns, b.call);
  };
  if (!std::is_sorted(calls.begin(), calls.end(), earlier)) {
    std::sort(calls.begin(), calls.end(), earlier);
  }
  return calls;
}

// Marks which calls of a launching kind some operation answers to.
std::uint64_t count_without_op(const std::vector<KeyedCall>& calls, const std::vector<bool>& used,
                               const std::vector<ApiKind>& kinds) {
  std::uint64_t count = 0;
  bool answered = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    answered = i > 0 && calls[i].key == calls[i - 1].key ? answered : used[i];
    if (!answered && kinds[calls[i].call] == ApiKind::kLaunch) ++count;
  }
  return count;
}

// Calls that launched something, by thread and start; the operators of all threads the same way.
void find_ranges(const Timeline& timeline, Launches& launches) {
  std::vector<std::uint32_t> ranges;
  for (std::uint32_t i = 0; i < timeline.ranges.size(); ++i) {
    if (timeline.ranges[i].work == HostWork::kOperator) ranges.push_back(i);
  }
  if (ranges.empty()) return;
  const auto outer_first = [&](std::uint32_t a, std::uint32_t b) {
    const HostRange& x = timeline.ranges[a];
    const HostRange& y = timeline.ranges[b];
    return std::tie(x.thread, x.start_ns, y.end_ns, a) <
           std::tie(y.thread, y.start_ns, x.end_ns, b);
  };
  std::sort(ranges.begin(), ranges.end(), outer_first);

  std::vector<bool> wanted(timeline.calls.size());
  for (const std::uint32_t call : launches.call_of_op) {
    if (call != kNoPosition) wanted[call] = true;
  }
  std::vector<std::uint32_t> calls;
  for (std::uint32_t i = 0; i < timeline.calls.size(); ++i) {
    if (wanted[i]) calls.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const ApiCall& x = timeline.calls[a];
    const ApiCall& y = timeline.calls[b];
    return std::tie(x.thread, x.start_ns, a) < std::tie(y.thread, y.start_ns, b);
  };
  std::sort(calls.begin(), calls.end(), before);

  std::vector<std::uint32_t> range_of_call(timeline.calls.size(), kNoPosition);
  std::vector<std::uint32_t> open;  // of one thread, the innermost last
  std::size_t next = 0;
  std::uint32_t thread = kNoPosition;
  for (const std::uint32_t i : calls) {
    const ApiCall& call = timeline.calls[i];
    if (call.thread != thread) {
      thread = call.thread;
      open.clear();
      while (next < ranges.size() && timeline.ranges[ranges[next]].thread < thread) ++next;
    }
    while (next < ranges.size() && timeline.ranges[ranges[next]].thread == thread &&
           timeline.ranges[ranges[next]].start_ns <= call.start_ns) {
      open.push_back(ranges[next++]);
    }
    while (!open.empty() && timeline.ranges[open.back()].end_ns < call.start_ns) open.pop_back();
    if (!open.empty()) range_of_call[i] = open.back();
  }
  for (std::size_t i = 0; i < launches.call_of_op.size(); ++i) {
    const std::uint32_t call = launches.call_of_op[i];
    if (call != kNoPosition) launches.range_of_op[i] = range_of_call[call];
  }
}

}  // namespace

Launches join_launches(const Timeline& timeline) {
  Launches launches;
  // Of each name once: there are a few dozen of them and millions of calls.
  std::vector<ApiKind> kind_of_name(timeline.names.size(), ApiKind::kOther);
  std::vector<bool> known(timeline.names.size());
  launches.kinds.reserve(timeline.calls.size());
  for (const ApiCall& call : timeline.calls) {
    if (!known[call.name]) {
      known[call.name] = true;
      kind_of_name[call.name] = api_kind(timeline.names[call.name]);
    }
    launches.kinds.push_back(kind_of_name[call.name]);
  }

  const std::vector<KeyedCall> calls = calls_by_key(timeline);
  std::vector<bool> used(calls.size());
  launches.call_of_op.assign(timeline.ops.size(), kNoPosition);
  launches.range_of_op.assign(timeline.ops.size(), kNoPosition);
  for (std::size_t i = 0; i < timeline.ops.size(); ++i) {
    const GpuOp& op = timeline.ops[i];
    if (op.correlation == 0) continue;
    const std::uint64_t key = launch_key(process_of(timeline, op), op.correlation);
    const auto found =
        std::lower_bound(calls.begin(), calls.end(), key,
                         [](const KeyedCall& call, std::uint64_t k) { return call.key < k; });
    if (found == calls.end() || found->key != key) continue;
    launches.call_of_op[i] = found->call;
    used[static_cast<std::size_t>(found - calls.begin())] = true;
  }
  launches.launches_without_op = count_without_op(calls, used, launches.kinds);
  find_ranges(timeline, launches);
  return launches;
}

}  // namespace proofline
