// SPDX-License-Identifier: Apache-2.0
//
// A Profile is what any reader of profiler output makes of its bytes: who recorded it, on which
// device, and for every profiled launch its metrics. Plain data; absent is absent, never zero.
// Strings are kept exactly as the file has them (they are a stranger's text: views escape them).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "model/code/line_table.h"
#include "model/note.h"

namespace proofline {

// std::monostate: the metric was asked for but holds no value ("no data").
using Value = std::variant<std::monostate, double, std::uint64_t, std::string>;

// The number in a value, where it has one that can have been measured. Nothing that ncu counts is
// below zero, but it takes differences of counters from several passes, and those can be.
std::optional<double> as_number(const Value& value);
bool is_negative(const Value& value);

// Values of one type; a column costs 8 bytes a number however many million there are.
using Column = std::variant<std::monostate, std::vector<double>, std::vector<std::uint64_t>,
                            std::vector<std::string>>;

std::size_t column_size(const Column& column);
Value column_at(const Column& column, std::size_t index);

// Values of one metric below the launch: by instruction address, by opcode, by time, by unit.
struct Instances {
  Column correlation;  // what each value belongs to; monostate: just the position
  Column values;
};

using MetricId = std::uint32_t;

struct Metric {
  MetricId id = 0;
  bool has_instances = false;
  Value value;
  std::unique_ptr<Instances> instances;  // null: has none, or the reader was not asked for them
};

struct MetricName {
  std::string name;
  std::string unit;  // ncu's base unit, "" for none
};

// Names are stored once for each profile; ids are positions in order of first appearance. Copies
// share one table, which only grows, so an id that one of them gave holds in all.
class MetricNames {
 public:
  // The unit counts only when the name is new.
  MetricId intern(std::string_view name, std::string_view unit);
  std::optional<MetricId> find(std::string_view name) const;
  const MetricName& operator[](MetricId id) const { return table_->names[id]; }
  std::size_t size() const { return table_->names.size(); }

 private:
  struct Table {
    std::deque<MetricName> names;  // a deque: the map's keys point into it
    std::unordered_map<std::string_view, MetricId> ids;
  };
  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

enum class LaunchKind { kKernel, kRange, kGraph, kCommandList };
std::string_view to_string(LaunchKind kind);

using Dim3 = std::array<std::uint64_t, 3>;

// What the program attached to an NVTX range, spelled as ncu spells it; "" = not given.
struct NvtxAttributes {
  std::string payload_type;
  std::string payload;
  std::optional<std::uint32_t> argb;
  std::string message_type;
  std::string message;
};

struct NvtxRange {
  std::string domain;  // "" = the default domain
  std::string name;
  bool push_pop = true;                 // otherwise a start/end range
  std::optional<std::uint32_t> thread;  // of a push/pop range
  std::uint64_t id = 0;                 // of a start/end range
  std::optional<NvtxAttributes> attributes;
};

struct StackFrame {
  std::string module;
  std::uint64_t pc = 0;
  std::string file;
  std::string function;
  std::uint32_t line = 0;
};

struct ClockStatus {
  bool lock_requested = false;
  bool locked = false;
};

enum class RuleMessageKind { kNone, kOk, kWarning, kError, kOptimization };
std::string_view to_string(RuleMessageKind kind);

// NVIDIA's own advice in a report. Shown on request; no fact or rule of ours reads it.
struct NvidiaRule {
  std::string id;
  std::string title;
  std::string section;
  struct Message {
    RuleMessageKind kind = RuleMessageKind::kNone;
    std::string title;
    std::string text;
  };
  std::vector<Message> messages;
  struct Speedup {
    bool global = false;  // of the whole kernel; otherwise only of the part that the rule is about
    double percent = 0;
  };
  std::optional<Speedup> speedup;
};
Record describe(const NvidiaRule*);

// One profiled result: a kernel launch or, by kind, a range, a graph or a command list.
struct Launch {
  LaunchKind kind = LaunchKind::kKernel;
  std::size_t process = 0;  // index in Profile::processes
  std::string name;         // demangled where the report has that, else function, else mangled
  std::string function;     // without namespaces, template arguments and parameters
  std::string mangled;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<std::uint32_t> context;
  std::optional<std::uint32_t> stream;
  std::string context_name;
  std::string stream_name;
  std::optional<std::uint32_t> device;  // device id within the session
  std::string compute_capability;       // "9.0"; "" unknown
  std::uint64_t unix_time = 0;
  bool green_context = false;
  bool unsupported_device = false;
  std::optional<ClockStatus> clocks;
  std::vector<std::uint64_t> modules;  // the code that ran: positions in Profile::modules
  std::vector<NvtxRange> nvtx;         // outermost first
  std::vector<StackFrame> host_stack;
  std::vector<StackFrame> python_stack;
  std::vector<NvidiaRule> nvidia_rules;
  std::vector<Metric> metrics;  // sorted by id, one for each name

  const Metric* find(MetricId id) const;
};

struct SourceFile {
  std::string name;
  std::uint64_t bytes = 0;  // 0: only the name is in the report
  std::string content;      // there only when the reader was asked for it
};

struct Symbol {
  std::string name;
  std::uint64_t address = 0;  // load address: an instance's pc minus this is the offset in .text
};

// Code embedded in a report. The bytes are there only when the reader was asked for them.
struct Module {
  std::size_t process = 0;  // index in Profile::processes; references count within it
  std::uint64_t reference = 0;
  std::uint32_t sm_major = 0;
  std::uint32_t sm_minor = 0;
  std::uint64_t cubin_bytes = 0;
  std::uint64_t ptx_bytes = 0;
  std::string cubin;
  std::string ptx;
  std::vector<SourceFile> files;
  std::vector<Symbol> functions;  // in the order of their addresses
  // Null: there is no cubin, or the reader was not asked. Equal cubins share one.
  std::shared_ptr<const LineTable> lines;
};

struct SystemInfo {
  std::string os;
  std::string build;
  std::string processor;
  std::string architecture;
  std::string computer;
};

struct Device {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::pair<std::string, Value>> attributes;
};

struct Session {
  std::optional<std::uint32_t> pid;
  std::uint64_t unix_time = 0;
  SystemInfo host;
  SystemInfo target;
  std::vector<Device> devices;
  std::vector<std::pair<std::string, std::string>> versions;  // provider, version
  std::string executable;
  std::string working_directory;
  std::string arguments;
  std::string environment;  // raw; may hold secrets: views show names only
  std::string profiler_command;
  std::vector<std::pair<std::string, std::string>> profiler_settings;  // name, value
  std::string comments;
};

struct Process {
  std::optional<std::uint32_t> pid;
  std::string host;
  std::string name;
  Session session;
};

// Where every byte of the (decompressed) input went: total = used + skipped, always.
struct ByteCount {
  std::uint64_t total = 0;
  std::uint64_t used = 0;
  std::uint64_t skipped = 0;  // of no interest or not asked for, or lost (then a note says so)
};

struct Profile {
  std::string path;
  std::string format;    // the reader's name
  std::string producer;  // "Nsight Compute 2025.3.1.0 (build ...)", "" unknown
  ByteCount bytes;
  MetricNames metric_names;
  std::vector<Process> processes;
  std::vector<Module> modules;
  std::vector<Launch> launches;
  std::vector<Note> notes;
};

// The name of the device that a launch ran on; "" where the profile does not say. Ids count within
// a process, but a report may keep its devices in one process's session only.
std::string_view device_name(const Profile& profile, const Launch& launch);

}  // namespace proofline
