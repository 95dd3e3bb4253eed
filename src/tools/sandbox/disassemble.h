// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's disassembler over cubins from strangers. It has a history of code execution by crafted
// files, so it runs in a sandbox or, unless the user insists, not at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tools/process/process.h"
#include "tools/sandbox/sandbox.h"

namespace proofline {

struct DisassemblerOptions {
  bool unsafe = false;  // --unsafe-disassembler: without a sandbox
  bool inline_lines =
      true;  // source lines with the chains of inlined calls, where the cubin has them
  std::chrono::milliseconds time_limit = std::chrono::minutes(2);  // for each cubin
  std::size_t max_output = 1ULL << 30U;
};

class Disassembler {
 public:
  // Finds nvdisasm and a sandbox, and asks for the version.
  static Result<Disassembler> find(const DisassemblerOptions& options = {});
  // The same with the program at this absolute path.
  static Result<Disassembler> at(std::string path, const DisassemblerOptions& options = {});

  // The listing with encodings, as `nvdisasm -hex -c` prints it.
  Result<std::string> disassemble(std::string_view cubin) const;

  const std::string& path() const { return path_; }
  const std::string& version() const { return version_; }  // "13.0.85"
  std::string confinement() const;                         // "namespaces, landlock 7, seccomp"

 private:
  Disassembler(std::string path, const DisassemblerOptions& options)
      : path_(std::move(path)), options_(options) {}
  Result<Captured> run(std::vector<std::string> arguments,
                       std::span<const std::string> readable) const;

  std::string path_;
  DisassemblerOptions options_;
  std::optional<Sandbox> sandbox_;
  std::string version_;
};

}  // namespace proofline
