// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/analysed_code.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "arch/sass_decoder.h"
#include "base/demangle.h"
#include "base/list_folder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin_code.h"
#include "readers/code/read_code.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "tools/sandbox/disassemble.h"
#include "vocabulary/stall_reasons.h"
#include "workflow/code/source_text.h"
#include "workflow/code/triton_cache.h"

namespace proofline {
namespace {

constexpr std::size_t kMostFunctionsNamed = 8;
constexpr std::uint32_t kFirstListed = 70;  // what a listing is read of

class CodeFile {
 public:
  CodeFile(const CodeOptions& options, const CodeDemand& demand, const InputLimits& limits)
      : options_(options),
        demand_(demand),
        limits_(limits),
        analyst_(listing_.opcodes, {demand.listing, demand.source}) {}

  Result<CodeSide> run(const std::string& path, std::optional<Input> opened = {}) {
    RETURN_IF_ERROR(prepare());
    if (demand_.source) sources_.emplace(options_.source_folder, path);
    if (is_folder(path)) {
      RETURN_IF_ERROR(read_cache(path));
    } else {
      RETURN_IF_ERROR(open(path, std::move(opened)));
      RETURN_IF_ERROR(read());
    }
    if (failed_) return tl::make_unexpected(*failed_);
    if (side_.report.functions.empty()) return tl::make_unexpected(nothing_taken());
    finish();
    return std::move(side_);
  }

 private:
  Result<void> read() {
    FunctionSink sink([this](CodeFunction&& function) { take(std::move(function)); });
    sink.wants = [this](const std::string& name) { return wanted_or_left_out(name); };
    sink.offer_cubin = [this](std::string_view cubin, const std::string& container) {
      return disassemble(cubin, container);
    };
    return read_code(*input_, listing_, sink);
  }

  // Every kernel of Triton's cache.
  Result<void> read_cache(const std::string& folder) {
    ASSIGN_OR_RETURN(auto cache, find_triton_cache(folder));
    side_.report.notes = std::move(cache.notes);
    std::uint64_t unreadable = 0;
    for (const TritonEntry& entry : cache.entries) {
      triton_ = entry.kernel;
      Result<void> done = open(entry.cubin);
      if (done) done = read();
      if (done) continue;
      if (cache.entries.size() == 1) return done;
      ++unreadable;
    }
    if (unreadable > 0) {
      side_.report.notes.push_back(
          {NoteKind::kLoss, "", "cubins of the cache cannot be read and are left out", unreadable});
    }
    listing_.path = folder;
    listing_.format = "triton-cache";
    return {};
  }

  Result<void> prepare() {
    pattern_ = std::make_unique<re2::RE2>(options_.function, re2::RE2::Quiet);
    if (!pattern_->ok()) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} {} is no regular expression: {}", option("kernel"),
                              quote(options_.function), pattern_->error()));
    }
    if (options_.disassembler == "nvdisasm") {
      if (auto found = find_disassembler(); !found) return found;
    }
    return {};
  }

  // A report is read twice: for its samples, and then for its code.
  Result<void> open(const std::string& path, std::optional<Input> opened = {}) {
    if (!opened) {
      ASSIGN_OR_RETURN(opened, Input::open(path, limits_));
    }
    input_ = std::move(opened);
    ASSIGN_OR_RETURN(const Format* format, identify(*input_, {InputKind::kCode}));
    if (!format->offers(InputKind::kProfile)) return {};
    if (path == "-") {
      RETURN_IF_ERROR(keep_input(path));
    }
    RETURN_IF_ERROR(read_samples());
    ASSIGN_OR_RETURN(auto again, path == "-" ? Input::from_memory(kept_, path, limits_)
                                             : Input::open(path, limits_));
    input_ = std::move(again);
    return {};
  }

  // Standard input comes only once.
  Result<void> keep_input(const std::string& path) {
    ASSIGN_OR_RETURN(const auto bytes, input_->take_rest());
    kept_ = bytes;
    if (const auto damage = input_->damage()) {
      side_.report.notes.push_back({NoteKind::kLoss, "", damage->message});
    }
    ASSIGN_OR_RETURN(auto kept, Input::from_memory(kept_, path, limits_));
    input_ = std::move(kept);
    return {};
  }

  Result<void> read_samples() {
    ReadOptions options;
    options.pc_samples = true;
    options.code = demand_.source;  // the source files are among it
    options.instances_of = {kInstructionsExecuted, kThreadsExecuted, kThreadsPredicatedOn};
    ASSIGN_OR_RETURN(auto profile, read_profile(*input_, options));
    profile_ = std::move(profile);
    for (const Launch& launch : profile_->launches) {
      profiled_.insert(launch.mangled);
      profiled_ones_match_ = profiled_ones_match_ || matches(launch.mangled);
    }
    return {};
  }

  Result<void> find_disassembler() {
    if (disassembler_ || options_.disassembler == "native") return {};
    DisassemblerOptions options;
    options.unsafe = options_.unsafe;
    ASSIGN_OR_RETURN(auto found, Disassembler::find(options));
    disassembler_ = std::move(found);
    return {};
  }

  bool wanted(const std::string& name) const {
    if (demand_.wants) return demand_.wants(name);
    if (demand_.names != nullptr) return demand_.names->contains(name);
    const bool profiled = profiled_.empty() || profiled_.contains(name);
    if (options_.function.empty()) return profiled;
    return (profiled || !profiled_ones_match_) && matches(name);
  }

  bool matches(const std::string& name) const {
    return re2::RE2::PartialMatch(name, *pattern_) ||
           re2::RE2::PartialMatch(demangle(name).text, *pattern_);
  }

  bool wanted_or_left_out(const std::string& name) {
    if (wanted(name)) return true;
    ++left_out_;
    if (!options_.function.empty() && profiled_ones_match_ && matches(name)) ++unprofiled_;
    if (known_.size() < kMostFunctionsNamed) known_.push_back(demangle(name).text);
    return false;
  }

  void take(CodeFunction&& function) {
    if (!wanted_or_left_out(function.name)) return;
    if (triton_) tell_launch(*triton_, function);
    AnalysedFunction analysed;
    const Profile* profile = profile_ ? &*profile_ : nullptr;
    FunctionReport report = analyst_.analyse(std::move(function), profile, analysed);
    if (report.entry) report.triton = triton_;
    if (report.source) sources_->fill(profile, *report.source);
    unknown_opcodes_ += report.decoding.unknown_opcodes;
    unknown_mnemonics_ += report.unknown - report.decoding.unknown_opcodes;
    executed_unreached_ += report.executed_unreached;
    if (report.instructions == 0) ++empty_;
    unknown_modifiers_ += report.decoding.unknown_modifiers;
    if (report.decoding.no_tables) without_tables_.insert(report.arch);
    check_claims(demand_.claims, analysed, listing_.opcodes, report);
    side_.report.functions.push_back(std::move(report));
    if (demand_.functions) side_.functions.push_back(std::move(analysed));
  }

  // What the cubin does not say itself.
  static void tell_launch(const TritonKernel& kernel, CodeFunction& function) {
    if (!function.entry) return;
    function.container = kernel.entry;
    if (!function.resources.required_threads) function.resources.required_threads = kernel.threads;
  }

  // Has NVIDIA's disassembler read a cubin where it was asked for, or where our own tables do not
  // have the architecture. What only the cubin tells comes from there.
  bool disassemble(std::string_view cubin, const std::string& container) {
    if (options_.disassembler == "native" || failed_) return false;
    std::vector<CodeFunction> functions;
    Listing native;
    const FunctionSink keep(
        [&](CodeFunction&& function) { functions.push_back(std::move(function)); });
    if (!read_cubin_code(cubin, container, native, keep) || functions.empty()) return false;
    if (options_.disassembler == "auto") {
      if (SassDecoder::for_arch(functions.front().arch) || !find_disassembler()) return false;
    }
    auto text = disassembler_->disassemble(cubin);
    if (!text) {
      if (options_.disassembler == "nvdisasm") failed_ = text.error();
      return false;
    }
    read_text(*text, container, functions);
    return true;
  }

  void read_text(const std::string& text, const std::string& container,
                 std::vector<CodeFunction>& natively) {
    std::unordered_map<std::string, CodeFunction*> by_name;
    for (CodeFunction& function : natively) by_name.emplace(function.name, &function);
    const std::string path = listing_.path;
    const std::string format = listing_.format;
    const FunctionSink sink([&](CodeFunction&& function) {
      function.container = container;
      if (const auto found = by_name.find(function.name); found != by_name.end()) {
        function.resources = found->second->resources;
        function.entry = found->second->entry;
        if (function.branch_targets.empty()) {
          function.branch_targets = std::move(found->second->branch_targets);
        }
      }
      take(std::move(function));
    });
    InputLimits limits;
    limits.max_bytes = text.size() + 1;
    auto input = Input::from_memory(text, "nvdisasm's output", limits);
    if (input) {
      if (auto read = read_code(*input, listing_, sink); !read) failed_ = read.error();
    } else {
      failed_ = input.error();
    }
    listing_.path = path;
    listing_.format = format;
    by_nvdisasm_ = true;
  }

  Error nothing_taken() const {
    std::string text = fmt::format("{}: ", quote(listing_.path));
    if (left_out_ == 0) return {ErrorKind::kInput, text + "holds no function"};
    text += fmt::format("none of its {} functions ", left_out_);
    text += options_.function.empty()
                ? "was profiled"
                : fmt::format("matches {} {}", option("kernel"), quote(options_.function));
    text += "; there are:";
    for (const std::string& name : known_) text += "\n  " + quote(name);
    if (left_out_ > known_.size())
      text += fmt::format("\n  and {} more", left_out_ - known_.size());
    return {ErrorKind::kInput, std::move(text)};
  }

  void finish() {
    CodeReport& report = side_.report;
    report.path = listing_.path;
    report.format = listing_.format;
    report.producer = listing_.producer;
    report.notes.insert(report.notes.end(), listing_.notes.begin(), listing_.notes.end());
    const auto note = [&](NoteKind kind, std::string what, std::uint64_t count = 1) {
      report.notes.push_back({kind, "", std::move(what), count});
    };
    if (by_nvdisasm_) {
      note(NoteKind::kInfo,
           fmt::format("disassembled by nvdisasm {} ({})", disassembler_->version(),
                       options_.unsafe ? "no sandbox" : disassembler_->confinement()));
    }
    for (const std::string& arch : without_tables_) {
      note(NoteKind::kLoss,
           fmt::format("{} cannot be decoded{}: its instructions are unknown",
                       arch.empty() ? "an unnamed architecture" : escape_terminal(arch),
                       sm_number(arch) < kFirstListed
                           ? ""
                           : " without nvdisasm (--disassembler nvdisasm, or give a listing)"));
    }
    if (without_tables_.empty() && unknown_opcodes_ > 0) {
      note(NoteKind::kLoss, "instructions have an encoding that is not known", unknown_opcodes_);
    }
    if (unknown_mnemonics_ > 0) {
      note(NoteKind::kLoss, "instructions have an opcode that is not known", unknown_mnemonics_);
    }
    if (executed_unreached_ > 0) {
      note(
          NoteKind::kLoss,
          "instructions were executed that, by the branches as read, nothing leads to: a branch is "
          "read wrongly, and all code counts as reachable",
          executed_unreached_);
    }
    if (empty_ > 0) {
      note(NoteKind::kLoss, "functions have no instruction that could be read", empty_);
    }
    if (unknown_modifiers_ > 0) {
      note(NoteKind::kInfo, "instructions have a modifier that is not known", unknown_modifiers_);
    }
    if (left_out_ > 0 && options_.function.empty() && !demand_.wants) {
      note(NoteKind::kInfo,
           fmt::format("functions were not profiled and are left out; {} shows them",
                       option("kernel")),
           left_out_);
    }
    if (unprofiled_ > 0) {
      note(NoteKind::kInfo, "functions of such a name were not profiled and are left out",
           unprofiled_);
    }
    if (sources_) {
      for (Note& one : sources_->notes()) report.notes.push_back(std::move(one));
    }
    report.opcodes = std::move(listing_.opcodes);
  }

  const CodeOptions& options_;
  const CodeDemand& demand_;
  const InputLimits& limits_;
  CodeSide side_;
  std::string kept_;  // all of standard input, where it is read twice
  std::optional<Input> input_;
  Listing listing_;
  CodeAnalyst analyst_;
  std::unique_ptr<re2::RE2> pattern_;
  std::optional<Profile> profile_;
  std::optional<TritonKernel> triton_;        // whose cubin is read
  std::optional<SourceTexts> sources_;        // where they were asked for
  std::unordered_set<std::string> profiled_;  // mangled names
  bool profiled_ones_match_ = false;          // --kernel
  std::optional<Disassembler> disassembler_;
  std::optional<Error> failed_;
  bool by_nvdisasm_ = false;
  std::uint64_t left_out_ = 0;
  std::uint64_t unprofiled_ = 0;    // of these, such as --kernel names
  std::vector<std::string> known_;  // some of those left out
  std::uint64_t unknown_opcodes_ = 0;
  std::uint64_t unknown_modifiers_ = 0;
  std::uint64_t unknown_mnemonics_ = 0;   // of listings
  std::uint64_t executed_unreached_ = 0;  // instructions
  std::uint64_t empty_ = 0;               // functions
  std::set<std::string> without_tables_;
};

}  // namespace

Result<CodeSide> analyse_code(const std::string& path, const CodeOptions& options,
                              const CodeDemand& demand, const InputLimits& limits) {
  return CodeFile(options, demand, limits).run(path);
}

Result<CodeSide> analyse_code(const std::string& path, Input opened, const CodeOptions& options,
                              const CodeDemand& demand, const InputLimits& limits) {
  return CodeFile(options, demand, limits).run(path, std::move(opened));
}

}  // namespace proofline
