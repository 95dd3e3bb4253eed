// SPDX-License-Identifier: Apache-2.0
//
// Where in the code warps wait: the instructions and source lines with the most PC samples of
// stalled warps. A sample names the instruction that waits, not the one that it waits for: a long
// scoreboard stall stands where a loaded value is first used.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/hot_spots_facts.h"
#include "analysis/sass/samples.h"
#include "analysis/sass/source_lines.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

constexpr std::size_t kMost = 10;
// A graph may run the code of many modules; those beyond this number are not looked at.
constexpr std::size_t kMostModules = 64;
constexpr std::size_t kMostNameBytes = 200;

using Sample = PcSamples::Row;

// What the samples with one key add up to.
template <class Key>
struct Spot {
  Key key;
  double stalled = 0;
  std::size_t reason = 0;  // the state that most of the stalled were in
};

// The keys with the most stalled samples, most first.
template <class Key>
std::vector<Spot<Key>> rank(const PcSamples& samples,
                            std::vector<std::pair<Key, const Sample*>> keyed) {
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Spot<Key>> spots;
  std::vector<double> by_state(samples.states.size());
  for (auto first = keyed.begin(); first != keyed.end();) {
    const auto last = std::find_if(first, keyed.end(),
                                   [&](const auto& next) { return first->first < next.first; });
    Spot<Key> spot{first->first, 0, first->second->state};
    for (auto at = first; at != last; ++at) {
      const Sample& sample = *at->second;
      if (!samples.states[sample.state].stalled) continue;
      spot.stalled += sample.count;
      by_state[sample.state] += sample.count;
      if (by_state[sample.state] > by_state[spot.reason]) spot.reason = sample.state;
    }
    for (; first != last; ++first) by_state[first->second->state] = 0;
    if (spot.stalled > 0) spots.push_back(spot);
  }
  const auto most = spots.begin() + static_cast<std::ptrdiff_t>(std::min(spots.size(), kMost));
  std::partial_sort(spots.begin(), most, spots.end(), [](const auto& a, const auto& b) {
    return std::tie(b.stalled, a.key) < std::tie(a.stalled, b.key);
  });
  spots.erase(most, spots.end());
  return spots;
}

// A source line.
struct Place {
  std::size_t module = 0;
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  auto operator<=>(const Place&) const = default;
};

// The code that a launch ran: from addresses to functions and lines.
class Code {
 public:
  struct Location {
    std::size_t module = 0;
    const Symbol* function = nullptr;
    const LineTable::Row* row = nullptr;
  };

  explicit Code(const Subject& subject) : profile_(subject.profile) {
    const auto& modules = subject.launch.modules;
    modules_.assign(modules.begin(), modules.begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(modules.size(), kMostModules)));
  }

  Location find(std::uint64_t address);
  // The line to show for a row: not inside the toolkit's headers, where the caller can be told.
  Place place(const Location& location);
  // The kernel's own line, where the row's code was inlined into it.
  std::optional<Place> outermost(const Location& location) const;
  std::string text(const Place& place) const;
  // Why there are no lines; empty: there are.
  std::string lines_missing() const;

 private:
  const LineTable& table(std::size_t module) const { return *profile_.modules[module].lines; }
  bool in_toolkit(std::size_t module, std::uint32_t file);

  const Profile& profile_;
  std::vector<std::size_t> modules_;
  const Symbol* last_function_ = nullptr;  // addresses come in order, so it mostly is the next too
  const LineTable::Function* last_lines_ = nullptr;
  std::map<std::pair<std::size_t, std::uint32_t>, bool> toolkit_files_;
};

Code::Location Code::find(std::uint64_t address) {
  Location location;
  for (const std::size_t module : modules_) {
    const auto& functions = profile_.modules[module].functions;
    const auto next = std::upper_bound(
        functions.begin(), functions.end(), address,
        [](std::uint64_t wanted, const Symbol& function) { return wanted < function.address; });
    if (next == functions.begin()) continue;
    const Symbol& function = *std::prev(next);
    if (location.function == nullptr || location.function->address < function.address) {
      location = {module, &function, nullptr};
    }
  }
  if (location.function == nullptr || profile_.modules[location.module].lines == nullptr) {
    return location;
  }
  const LineTable& lines = table(location.module);
  if (location.function != last_function_) {
    last_function_ = location.function;
    last_lines_ = lines.function(location.function->name);
  }
  if (last_lines_ == nullptr) return location;
  const std::uint64_t offset = address - location.function->address;
  if (offset >= last_lines_->size) return {};  // code that the file does not hold follows
  location.row = lines.row(*last_lines_, offset);
  return location;
}

bool Code::in_toolkit(std::size_t module, std::uint32_t file) {
  const auto [entry, is_new] = toolkit_files_.try_emplace({module, file}, false);
  if (!is_new) return entry->second;
  const LineTable& lines = table(module);
  const std::uint32_t index = lines.files[file].folder;
  std::string_view folder;
  if (index != LineTable::kNone) folder = lines.folders[index];
  entry->second = proofline::in_toolkit(folder);
  return entry->second;
}

Place Code::place(const Location& location) {
  const LineTable& lines = table(location.module);
  const LineTable::Row* row = location.row;
  for (int i = 0; i < kMostFrames && in_toolkit(location.module, row->file); ++i) {
    if (row->call == LineTable::kNone) {
      row = location.row;  // nothing but the toolkit
      break;
    }
    const LineTable::Row& caller = lines.rows[row->call];
    if (caller.file == LineTable::kNone || caller.line == 0) break;
    row = &caller;
  }
  return {location.module, row->file, row->line};
}

std::optional<Place> Code::outermost(const Location& location) const {
  const LineTable& lines = table(location.module);
  const LineTable::Row* row = location.row;
  for (int i = 0; i < kMostFrames && row->call != LineTable::kNone; ++i) {
    row = &lines.rows[row->call];
  }
  if (row == location.row || row->file == LineTable::kNone || row->line == 0) return std::nullopt;
  return Place{location.module, row->file, row->line};
}

std::string Code::text(const Place& place) const {
  std::string_view name = table(place.module).files[place.file].name;
  if (const auto slash = name.find_last_of("/\\"); slash != name.npos) {
    name.remove_prefix(slash + 1);
  }
  if (name.size() > kMostNameBytes) name.remove_prefix(name.size() - kMostNameBytes);
  return fmt::format("{}:{}", name, place.line);
}

std::string Code::lines_missing() const {
  if (modules_.empty()) return "the file does not hold the code that ran";
  std::string missing;
  for (const std::size_t module : modules_) {
    const LineTable* lines = profile_.modules[module].lines.get();
    if (lines != nullptr && !lines->rows.empty()) return "";
    if (missing.empty()) {
      missing = lines != nullptr ? lines->missing : "the file does not hold the code that ran";
    }
  }
  return missing;
}

// How often each of these instructions was executed; nothing where that was not counted.
std::vector<std::optional<double>> executions(const Subject& subject,
                                              const std::vector<Spot<std::uint64_t>>& spots) {
  std::vector<std::optional<double>> counts(spots.size());
  const Metric* metric = subject.metric(kInstructionsExecuted);
  if (metric == nullptr || metric->instances == nullptr) return counts;
  const auto* addresses = std::get_if<std::vector<std::uint64_t>>(&metric->instances->correlation);
  if (addresses == nullptr) return counts;
  const std::size_t known = std::min(addresses->size(), column_size(metric->instances->values));
  for (std::size_t i = 0; i < known; ++i) {
    for (std::size_t spot = 0; spot < spots.size(); ++spot) {
      if (spots[spot].key != (*addresses)[i]) continue;
      counts[spot] = as_number(column_at(metric->instances->values, i));
    }
  }
  return counts;
}

class Publisher {
 public:
  Publisher(const Subject& subject, const PcSamples& samples, Facts& facts)
      : subject_(subject), samples_(samples), facts_(facts), code_(subject) {}

  void publish_instructions();
  void publish_lines();

 private:
  void publish_line(std::size_t spot, const Code::Location& location);
  template <class Key>
  void publish_stall(const Spot<Key>& spot, const FactRef& share, const FactRef& reason) {
    const PcSamples::State& state = samples_.states[spot.reason];
    facts_.add(share, spot.stalled / samples_.total, sources_);
    facts_.add(reason, state.reason, {state.metric});
  }

  const Subject& subject_;
  const PcSamples& samples_;
  Facts& facts_;
  Code code_;
  const std::string lines_missing_ = code_.lines_missing();
  const Sources sources_ = {std::string(kSampleCount)};
};

void Publisher::publish_instructions() {
  std::vector<std::pair<std::uint64_t, const Sample*>> keyed;
  keyed.reserve(samples_.rows.size());
  for (const Sample& sample : samples_.rows) keyed.emplace_back(sample.address, &sample);
  const auto spots = rank(samples_, std::move(keyed));
  const auto executed = executions(subject_, spots);
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const Code::Location location = code_.find(spots[i].key);
    const std::uint64_t start = location.function != nullptr ? location.function->address : 0;
    facts_.add(facts::kHotAddress[i], fmt::format("{:#x}", spots[i].key - start), sources_);
    if (location.function != nullptr) {
      facts_.add(facts::kHotFunction[i], location.function->name, sources_);
    } else {
      facts_.mark_absent(facts::kHotFunction[i], "of code that the file does not hold");
    }
    publish_stall(spots[i], facts::kHotShare[i], facts::kHotReason[i]);
    if (executed[i]) {
      facts_.add(facts::kHotInstExecuted[i], *executed[i], {std::string(kInstructionsExecuted)});
    } else {
      facts_.mark_absent(facts::kHotInstExecuted[i],
                         "executions of this instruction were not counted",
                         {std::string(kInstructionsExecuted)});
    }
    publish_line(i, location);
  }
}

void Publisher::publish_line(std::size_t spot, const Code::Location& location) {
  if (location.row == nullptr) {
    facts_.mark_absent(facts::kHotLine[spot],
                       lines_missing_.empty() ? "the line table has no line for this instruction"
                                              : lines_missing_);
    return;
  }
  const Place place = code_.place(location);
  facts_.add(facts::kHotLine[spot], code_.text(place), sources_);
  const auto outermost = code_.outermost(location);
  if (outermost && *outermost != place) {
    facts_.add(facts::kHotInlinedAt[spot], code_.text(*outermost), sources_);
  } else {
    facts_.mark_absent(facts::kHotInlinedAt[spot], "the line is the kernel's own");
  }
}

void Publisher::publish_lines() {
  if (!lines_missing_.empty()) {
    facts_.add(facts::kHotLinesAvailable, lines_missing_);
    facts_.mark_absent(facts::kHotLinePlace[0], lines_missing_);
    return;
  }
  facts_.add(facts::kHotLinesAvailable, std::string("yes"));
  std::vector<std::pair<Place, const Sample*>> keyed;
  keyed.reserve(samples_.rows.size());
  for (const Sample& sample : samples_.rows) {
    const Code::Location location = code_.find(sample.address);
    if (location.row != nullptr) keyed.emplace_back(code_.place(location), &sample);
  }
  const auto spots = rank(samples_, std::move(keyed));
  for (std::size_t i = 0; i < spots.size(); ++i) {
    facts_.add(facts::kHotLinePlace[i], code_.text(spots[i].key), sources_);
    publish_stall(spots[i], facts::kHotLineShare[i], facts::kHotLineReason[i]);
  }
}

void publish_absence(const Subject& subject, const std::string& reason, Facts& facts) {
  std::vector<std::string> capture;
  const Metric* count = subject.metric(kSampleCount);
  if (count == nullptr) capture.emplace_back(kSampleCount);
  if (count != nullptr && as_number(count->value)) {
    facts.add(facts::kHotSamples, *as_number(count->value), {std::string(kSampleCount)});
  }
  const FactRef all[] = {
      facts::kHotSamples,      facts::kHotAddress[0],   facts::kHotFunction[0],
      facts::kHotShare[0],     facts::kHotReason[0],    facts::kHotInstExecuted[0],
      facts::kHotLine[0],      facts::kHotInlinedAt[0], facts::kHotLinesAvailable,
      facts::kHotLinePlace[0], facts::kHotLineShare[0], facts::kHotLineReason[0]};
  for (const FactRef& fact : all) facts.mark_absent(fact, reason, capture);
}

void publish_hot_spots(const Subject& subject, Facts& facts) {
  const PcSamples samples = read_pc_samples(subject.profile, subject.launch);
  if (samples.rows.empty()) {
    publish_absence(subject, samples.missing, facts);
    return;
  }
  Sources sources;
  for (const PcSamples::State& state : samples.states) sources.add(state.metric);
  facts.add(facts::kHotSamples, samples.total, std::move(sources));
  Publisher publisher(subject, samples, facts);
  publisher.publish_instructions();
  publisher.publish_lines();
}

}  // namespace

Analysis hot_spots() { return {"hot spots", kHotSpotsFacts, publish_hot_spots}; }

}  // namespace proofline
