// SPDX-License-Identifier: Apache-2.0
//
// An event is read in one pass. Kineto writes the category before the arguments, so that unused
// arguments are skipped at once; where the category comes later, they are scanned again.
#include "readers/timeline/kineto_events.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/characters.h"
#include "readers/timeline/json_scan.h"

namespace proofline {
namespace {

enum class Category : std::uint8_t {
  kUnknown,  // not seen yet
  kOther,    // not one of Kineto's categories: skipped
  kIgnored,
  kKernel,
  kCopy,
  kSet,
  kGraph,
  kApi,
  kOperator,
  kAnnotation,
  kPython,
  kSystem,
  kOverhead,
  kMtia,
};

// The second spelling is that of 2020 and 2021.
Category category_of(std::string_view cat) {
  if (cat == "cpu_op" || cat == "Operator") return Category::kOperator;
  if (cat == "python_function") return Category::kPython;
  if (cat == "cuda_runtime" || cat == "cuda_driver" || cat == "Runtime") return Category::kApi;
  if (cat == "kernel" || cat == "Kernel") return Category::kKernel;
  if (cat == "gpu_memcpy" || cat == "Memcpy") return Category::kCopy;
  if (cat == "gpu_memset" || cat == "Memset") return Category::kSet;
  if (cat == "user_annotation") return Category::kAnnotation;
  if (cat == "overhead") return Category::kOverhead;
  // Of traces that we wrote of other timelines (views/timeline/chrome_trace.h).
  if (cat == "gpu_graph") return Category::kGraph;
  if (cat == "os_runtime") return Category::kSystem;
  if (cat.starts_with("mtia_")) return Category::kMtia;
  // No work of a GPU: marks, counters, and what repeats other events.
  if (is_one_of(cat, {"gpu_user_annotation", "cuda_sync", "cuda_event", "cuda_profiler_range",
                      "hardware_counters", "external_correlation", "cpu_instant_event", "Trace"})) {
    return Category::kIgnored;
  }
  return Category::kOther;
}

// PyTorch says of collectives in the arguments of this operator what they are; since 2024 it says
// so at their kernels too.
constexpr std::string_view kCollectiveOperator = "record_param_comms";

bool is_gpu(Category category) {
  return category >= Category::kKernel && category <= Category::kGraph;
}

struct Event {
  char phase = 0;
  Category category = Category::kUnknown;
  std::string_view category_text;
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  std::string_view ts;
  std::string_view dur;
  std::string_view args;  // where they were put off
};

struct Arguments {
  std::optional<std::uint64_t> device;
  std::optional<std::uint64_t> context;
  std::optional<std::uint64_t> stream;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> correlation;
  std::optional<std::uint64_t> registers;
  std::optional<std::uint64_t> shared_bytes;
  std::uint64_t graph = 0;
  std::string_view grid;
  std::string_view block;
  std::string_view name;  // of a thread or process
  std::string_view collective;
  std::string_view group;
  std::string_view type;
  std::optional<std::uint64_t> elements;
  std::optional<std::uint64_t> sequence;
  std::optional<std::uint64_t> ranks;
  std::optional<std::uint64_t> device_type;
  std::optional<std::uint64_t> allocated;
};

std::optional<std::uint64_t> whole(std::string_view raw) {
  std::uint64_t number = 0;
  if (!parse_whole(raw, number)) return std::nullopt;
  return number;
}

std::uint32_t narrow_number(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::string_view without_quotes(std::string_view raw) {
  if (raw.size() >= 2 && raw.front() == '"') return raw.substr(1, raw.size() - 2);
  return raw;
}

// "[12544, 2, 1]"
Dim3 parse_dimensions(std::string_view raw) {
  Dim3 values = {1, 1, 1};
  std::size_t count = 0;
  for (std::size_t i = 0; i < raw.size() && count < values.size();) {
    if (!is_digit(raw[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < raw.size() && is_digit(raw[end])) ++end;
    values[count++] = whole(raw.substr(i, end - i)).value_or(0);
    i = end;
  }
  return values;
}

// Of PyTorch's types, as it spells them; 0: not known.
std::uint64_t bytes_of_type(std::string_view type) {
  if (is_one_of(type, {"Double", "Long", "ComplexFloat"})) return 8;
  if (is_one_of(type, {"Float", "Int"})) return 4;
  if (is_one_of(type, {"Half", "BFloat16", "Short"})) return 2;
  if (is_one_of(type, {"Byte", "Char", "Bool"}) || type.starts_with("Float8")) return 1;
  return 0;
}

// Whether an event starts at this brace: it follows another one, and has one of the keys in front
// that tracers and sorting programs put there. That cannot be within a sound string.
// `after_whole`: and the one before is at its end, which after damage cannot be asked for.
bool starts_event(std::string_view text, std::size_t brace, bool after_whole) {
  std::size_t at = brace + 1;
  while (at < text.size() && JsonScan::is_space(text[at])) ++at;
  if (at >= text.size() || text[at] != '"') return false;
  const std::string_view key = text.substr(at);
  if (!key.starts_with(R"("ph")") && !key.starts_with(R"("name")") &&
      !key.starts_with(R"("cat")") && !key.starts_with(R"("args")")) {
    return false;
  }
  const auto back_over_space = [&](std::size_t from) {
    while (from > 0 && JsonScan::is_space(text[from - 1])) --from;
    return from;
  };
  const std::size_t comma = back_over_space(brace);
  if (comma == 0 || text[comma - 1] != ',') return false;
  if (!after_whole) return true;
  const std::size_t before = back_over_space(comma - 1);
  return before > 0 && text[before - 1] == '}';
}

std::size_t find_event(std::string_view text, std::size_t from, bool after_whole) {
  for (std::size_t at = text.find('{', from); at != text.npos; at = text.find('{', at + 1)) {
    if (starts_event(text, at, after_whole)) return at;
  }
  return std::string_view::npos;
}

class EventParser {
 public:
  EventParser(std::string_view text, std::size_t from, bool last)
      : text_(text), scan_(text, from), last_(last) {}

  KinetoBatch parse() {
    while (true) {
      scan_.skip_space();
      while (scan_.take(',')) {
      }
      const std::size_t begin = scan_.at();
      if (scan_.at_end()) return stop(begin, false);
      if (scan_.next() == ']') return stop(begin, true);
      if (scan_.next() == '{' && read_event()) {
        ++batch_.events;
        continue;
      }
      // It may go on in the next piece.
      if (scan_.ran_out() && !last_) return stop(begin, false);
      const std::size_t next = find_event(text_, begin + 1, false);
      if (next == std::string_view::npos && !last_) return stop(begin, false);
      if (next == std::string_view::npos) {
        add_malformed(begin);
        return stop(text_.size(), false);
      }
      add_malformed(begin);
      scan_ = JsonScan(text_, next);
    }
  }

 private:
  KinetoBatch stop(std::size_t at, bool ended) {
    batch_.stopped_at = at;
    batch_.ended = ended;
    return std::move(batch_);
  }

  void add_malformed(std::size_t at) {
    ++batch_.malformed;
    if (!batch_.first_malformed) batch_.first_malformed = at;
  }

  bool read_event() {
    scan_.step();
    Event event;
    Arguments arguments;
    std::string_view key;
    while (scan_.take_key(key)) {
      if (!read_member(key, event, arguments)) return false;
    }
    return !scan_.failed() && keep(event, arguments);
  }

  bool read_member(std::string_view key, Event& event, Arguments& arguments) {
    std::string_view raw;
    switch (key.size()) {
      case 2:
        if (key == "ts") return scan_.take_value(event.ts);
        if (key == "ph") {
          if (!scan_.take_string(raw)) return false;
          event.phase = raw.size() == 1 ? raw[0] : '?';
          return true;
        }
        break;
      case 3:
        if (key == "dur") return scan_.take_value(event.dur);
        if (key == "pid") return scan_.take_value(event.pid);
        if (key == "tid") return scan_.take_value(event.tid);
        if (key == "cat") {
          if (!scan_.take_string(raw)) return false;
          event.category = category_of(raw);
          event.category_text = raw;
          return true;
        }
        break;
      case 4:
        if (key == "name") return scan_.take_string(event.name);
        if (key == "args") return take_arguments(event, arguments);
        break;
      default: break;
    }
    return scan_.skip_value();
  }

  // At once where it is known already that they are used, or that they are not.
  bool take_arguments(Event& event, Arguments& arguments) {
    if (event.phase == 'X' && event.category != Category::kUnknown) {
      const bool is_used = is_gpu(event.category) || event.category == Category::kApi ||
                           event.name == kCollectiveOperator;
      return is_used ? read_arguments(scan_, arguments) : scan_.skip_value();
    }
    return scan_.take_value(event.args);
  }

  static bool read_arguments(JsonScan& scan, Arguments& arguments) {
    if (!scan.take('{')) return scan.skip_value();
    std::string_view key;
    std::string_view raw;
    while (scan.take_key(key)) {
      if (!scan.take_value(raw)) return false;
      read_argument(key, raw, arguments);
    }
    return !scan.failed();
  }

  static void read_argument(std::string_view key, std::string_view raw, Arguments& arguments) {
    switch (key.size()) {
      case 3:
        if (key == "Seq") arguments.sequence = whole(raw);
        break;
      case 4:
        if (key == "grid") arguments.grid = raw;
        if (key == "name") arguments.name = without_quotes(raw);
        break;
      case 5:
        if (key == "block") arguments.block = raw;
        if (key == "bytes") arguments.bytes = whole(raw);
        if (key == "dtype") arguments.type = without_quotes(raw);
        break;
      case 6:
        if (key == "device") arguments.device = whole(raw);
        if (key == "stream") arguments.stream = whole(raw);
        break;
      case 7:
        if (key == "context") arguments.context = whole(raw);
        break;
      case 8:
        if (key == "graph id") arguments.graph |= whole(raw).value_or(0);
        break;
      case 10:
        if (key == "Group size") arguments.ranks = whole(raw);
        break;
      case 11:
        if (key == "correlation") arguments.correlation = whole(raw);
        if (key == "Device Type") arguments.device_type = whole(raw);
        break;
      case 13:
        if (key == "shared memory") arguments.shared_bytes = whole(raw);
        if (key == "graph node id") arguments.graph |= whole(raw).value_or(0);
        if (key == "In msg nelems") add_elements(raw, arguments);
        break;
      case 14:
        if (key == "Out msg nelems") add_elements(raw, arguments);
        break;
      case 15:
        if (key == "Collective name") arguments.collective = without_quotes(raw);
        if (key == "Total Allocated") arguments.allocated = whole(raw);
        break;
      case 18:
        if (key == "Process Group Name") arguments.group = without_quotes(raw);
        break;
      case 20:
        if (key == "registers per thread") arguments.registers = whole(raw);
        break;
      default: break;
    }
  }

  static void add_elements(std::string_view raw, Arguments& arguments) {
    arguments.elements = std::max(arguments.elements.value_or(0), whole(raw).value_or(0));
  }

  // False where it cannot be read after all.
  bool keep(const Event& event, Arguments& arguments) {
    switch (event.phase) {
      case 'X': break;
      case 'M': return keep_thread_name(event, arguments);
      case 'i': return keep_memory(event, arguments);
      case 'B':
      case 'E': ++batch_.unpaired; return true;
      case 0: return false;
      default: return true;  // flows, counters
    }
    if (event.category == Category::kMtia) ++batch_.mtia;
    if (event.category <= Category::kOther) add_unknown(event.category_text);
    if (event.category <= Category::kIgnored || event.category == Category::kMtia) return true;
    if (!read_put_off(event, arguments)) return false;
    std::int64_t start = 0;
    std::int64_t length = 0;
    if (!parse_microseconds(event.ts, start) || !parse_microseconds(event.dur, length) ||
        length < 0) {
      ++batch_.without_time;
      batch_.lost_ops += is_gpu(event.category) ? 1 : 0;
      return true;
    }
    const std::optional<std::uint32_t> name = add_name(event.name);
    if (!name) return false;
    if (is_gpu(event.category)) {
      keep_op(event, arguments, start, start + length, *name);
    } else if (event.category == Category::kApi) {
      batch_.calls.push_back(
          {start, start + length, *name, add_thread(event), correlation_of(arguments)});
    } else {
      if (event.name == kCollectiveOperator && !arguments.collective.empty()) {
        keep_collective(arguments, batch_.ranges.size(), batch_.asked_collectives);
      }
      batch_.ranges.push_back(
          {start, start + length, *name, add_thread(event), work_of(event.category)});
    }
    return true;
  }

  void add_unknown(std::string_view category) {
    if (batch_.unknown++ == 0) batch_.unknown_category = category;
  }

  bool read_put_off(const Event& event, Arguments& arguments) const {
    if (event.args.empty()) return true;
    // Scans to the end of the whole text, since the arguments alone are not followed by padding.
    JsonScan scan(text_, static_cast<std::size_t>(event.args.data() - text_.data()));
    return read_arguments(scan, arguments);
  }

  static HostWork work_of(Category category) {
    switch (category) {
      case Category::kAnnotation: return HostWork::kAnnotation;
      case Category::kPython: return HostWork::kPython;
      case Category::kSystem: return HostWork::kSystem;
      case Category::kOverhead: return HostWork::kOverhead;
      default: return HostWork::kOperator;
    }
  }

  std::uint32_t correlation_of(const Arguments& arguments) {
    const std::uint64_t id = arguments.correlation.value_or(0);
    if (id <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(id);
    ++batch_.wide_ids;
    return 0;
  }

  void keep_op(const Event& event, const Arguments& arguments, std::int64_t start, std::int64_t end,
               std::uint32_t name) {
    GpuOp op;
    op.start_ns = start;
    op.end_ns = end;
    op.bytes = arguments.bytes.value_or(kUnknownBytes);
    op.name = name;
    op.stream = add_stream(event, arguments);
    op.correlation = correlation_of(arguments);
    op.in_graph = arguments.graph != 0;
    if (event.category == Category::kCopy) op.work = GpuWork::kCopy;
    if (event.category == Category::kSet) op.work = GpuWork::kSet;
    if (event.category == Category::kGraph) op.work = GpuWork::kGraph;
    if (event.category == Category::kKernel && !arguments.grid.empty()) {
      op.shape = add_shape(arguments);
    }
    if (!arguments.collective.empty()) {
      keep_collective(arguments, batch_.ops.size(), batch_.collectives);
    }
    batch_.ops.push_back(op);
  }

  void keep_collective(const Arguments& arguments, std::size_t position,
                       std::vector<Collective>& collectives) {
    const auto name = add_name(arguments.collective);
    const auto group = add_name(arguments.group);
    if (!name || !group) return;
    Collective collective;
    collective.op = static_cast<std::uint32_t>(position);
    collective.name = *name;
    collective.group = *group;
    collective.ranks = narrow_number(arguments.ranks.value_or(0));
    collective.sequence = arguments.sequence;
    const std::uint64_t size = bytes_of_type(arguments.type);
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 50U;
    if (size > 0 && arguments.elements && *arguments.elements < kMostElements) {
      collective.bytes = size * *arguments.elements;
    }
    collectives.push_back(collective);
  }

  bool keep_thread_name(const Event& event, Arguments& arguments) {
    const bool of_process = event.name == "process_name";
    if (!of_process && event.name != "thread_name") return true;
    if (!read_put_off(event, arguments)) return false;
    const auto name = add_name(arguments.name);
    if (!name) return false;
    batch_.thread_names.push_back({add_thread(event), *name, of_process});
    return true;
  }

  bool keep_memory(const Event& event, Arguments& arguments) {
    if (event.name != "[memory]") return true;
    if (!read_put_off(event, arguments)) return false;
    if (arguments.device_type.value_or(0) == 1) {
      batch_.memory_peak = std::max(batch_.memory_peak, arguments.allocated.value_or(0));
    }
    return true;
  }

  // Absent for an invalid escape.
  std::optional<std::uint32_t> add_name(std::string_view raw) {
    const std::size_t known = batch_.names.size();
    const std::uint32_t number = batch_.names.position(raw);
    if (number == known) {
      std::string ignored;
      sound_.push_back(raw.find('\\') == raw.npos || unescape_json(raw, ignored));
    }
    if (!sound_[number]) return std::nullopt;
    return number;
  }

  std::uint32_t add_thread(const Event& event) {
    const KinetoThread thread{without_quotes(event.pid), without_quotes(event.tid)};
    if (last_thread_ < batch_.threads.size() && batch_.threads[last_thread_] == thread) {
      return last_thread_;
    }
    const auto [at, added] =
        threads_.try_emplace(thread, static_cast<std::uint32_t>(batch_.threads.size()));
    if (added) batch_.threads.push_back(thread);
    last_thread_ = at->second;
    return last_thread_;
  }

  std::uint32_t add_stream(const Event& event, const Arguments& arguments) {
    KinetoStream stream;
    stream.device = narrow_number(arguments.device.value_or(
        whole(event.pid).value_or(std::numeric_limits<std::uint32_t>::max())));
    stream.context = narrow_number(arguments.context.value_or(0));
    stream.stream = arguments.stream.value_or(stream_of_row(without_quotes(event.tid)));
    if (last_stream_ < batch_.streams.size() && batch_.streams[last_stream_] == stream) {
      return last_stream_;
    }
    const auto [at, added] =
        streams_.try_emplace(stream, static_cast<std::uint32_t>(batch_.streams.size()));
    if (added) batch_.streams.push_back(stream);
    last_stream_ = at->second;
    return last_stream_;
  }

  // "stream 7", or the number alone.
  static std::uint64_t stream_of_row(std::string_view tid) {
    return whole(tid.substr(tid.rfind(' ') + 1))
        .value_or(std::numeric_limits<std::uint32_t>::max());
  }

  std::uint32_t add_shape(const Arguments& arguments) {
    LaunchShape shape;
    shape.grid = parse_dimensions(arguments.grid);
    shape.block = parse_dimensions(arguments.block);
    shape.registers = narrow_number(arguments.registers.value_or(0));
    shape.shared_bytes = arguments.shared_bytes.value_or(0);
    return batch_.shapes.position(shape);
  }

  std::string_view text_;
  JsonScan scan_;
  bool last_;
  KinetoBatch batch_;
  std::vector<bool> sound_;  // of each name, whether its escapes are
  std::map<KinetoThread, std::uint32_t> threads_;
  std::map<KinetoStream, std::uint32_t> streams_;
  std::uint32_t last_thread_ = 0;
  std::uint32_t last_stream_ = 0;
};

}  // namespace

KinetoBatch parse_kineto_events(std::string_view text, std::size_t from, bool last) {
  return EventParser(text, from, last).parse();
}

std::size_t last_kineto_event(std::string_view text) {
  for (std::size_t at = text.rfind('{'); at != text.npos && at > 0; at = text.rfind('{', at - 1)) {
    if (starts_event(text, at, true)) return at;
  }
  return std::string_view::npos;
}

}  // namespace proofline
