// SPDX-License-Identifier: Apache-2.0

#include "tools/sandbox/disassemble.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX, not in <cstdlib>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "arch/sass_decoder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "tools/process/find_tool.h"
#include "tools/process/private_file.h"

namespace proofline {
namespace {

// The program has to have ended well; `doing` says at what, for the message.
Result<std::string> output_of(Result<Captured> end, const std::string& doing) {
  if (!end) return fail(end.error().kind, fmt::format("{} ({})", end.error().message, doing));
  if (end->signal != 0) {
    return fail(ErrorKind::kTool,
                fmt::format("nvdisasm crashed (signal {}) {}", end->signal, doing));
  }
  if (end->exit_code != 0) {
    return fail(ErrorKind::kTool, fmt::format("nvdisasm failed (exit code {}) {}: {}",
                                              end->exit_code, doing, quote(trim(end->errors))));
  }
  if (end->output.empty()) {
    return fail(ErrorKind::kTool, fmt::format("nvdisasm printed nothing {}", doing));
  }
  return std::move(end->output);
}

// "Cuda compilation tools, release 13.0, V13.0.85" -> "13.0.85"
std::string_view parse_version(std::string_view text) {
  constexpr std::string_view kMark = ", V";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return {};
  text.remove_prefix(mark + kMark.size());
  return text.substr(0, text.find_first_not_of("0123456789."));
}

}  // namespace

Result<Disassembler> Disassembler::find(const DisassemblerOptions& options) {
  ASSIGN_OR_RETURN(auto path, find_tool("nvdisasm"));
  return at(std::move(path), options);
}

Result<Disassembler> Disassembler::at(std::string path, const DisassemblerOptions& options) {
  Disassembler disassembler(std::move(path), options);
  if (!options.unsafe) {
    const auto sandbox = Sandbox::find();
    if (!sandbox) {
      return fail(ErrorKind::kTool,
                  fmt::format("cannot run nvdisasm in a sandbox here ({}); {} runs it without one; "
                              "or leave it out: Proofline itself decodes {}",
                              sandbox.error().message, option("unsafe-disassembler"),
                              fmt::join(SassDecoder::archs(), ", ")));
    }
    disassembler.sandbox_ = *sandbox;
  }
  ASSIGN_OR_RETURN(const auto said,
                   output_of(disassembler.run({"--version"}, {}), "asked for its version"));
  disassembler.version_ = parse_version(said);
  if (disassembler.version_.empty()) {
    return fail(ErrorKind::kTool, fmt::format("{} does not say its version as nvdisasm does: {}",
                                              quote(disassembler.path_), quote(trim(said))));
  }
  return disassembler;
}

Result<std::string> Disassembler::disassemble(std::string_view cubin) const {
  PrivateFile file;
  RETURN_IF_ERROR(file.write(cubin));
  std::vector<std::string> arguments{"-hex", "-c"};
  if (options_.inline_lines) arguments.emplace_back("-gi");
  arguments.push_back(file.path());
  const std::string readable[] = {file.path()};
  return output_of(run(std::move(arguments), readable), "on the cubin " + short_hash(cubin));
}

std::string Disassembler::confinement() const { return sandbox_ ? sandbox_->layers() : "none"; }

Result<Captured> Disassembler::run(std::vector<std::string> arguments,
                                   std::span<const std::string> readable) const {
  arguments.insert(arguments.begin(), path_);
  const Program process{
      std::move(arguments), {"PATH=/usr/bin:/bin", "LANG=C"}, options_.time_limit, {}};
  return sandbox_ ? sandbox_->run(process, options_.max_output, readable)
                  : capture_program(process, options_.max_output);
}

}  // namespace proofline
