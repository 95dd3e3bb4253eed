// SPDX-License-Identifier: Apache-2.0
//
// What the compiler made of a kernel: instructions, registers, loops and spills of each function in
// a listing (cuobjdump -sass, nvdisasm), a cubin, a fatbin, a program or a report; and whether the
// code is what was meant.
//
//   const auto code = proofline::load_code("kernel.cubin");
//   for (const auto& function : code->functions()) std::cout << function.instructions << '\n';
//   const auto checks = code->check("HGMMA >= 4 in loop");
//   const auto spills = code->check("spill", proofline::Code::Claim::kForbidden);
//
// All that `proofline sass` says of it is what render() (proofline/render.h) makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/note.h"

namespace proofline {

struct CodeSide;

// Analysed code. Copies share it; nothing changes it any more.
class Code {
 public:
  struct Function {
    std::string name;  // demangled
    std::string mangled;
    std::string arch;                           // "sm_90a"
    std::uint32_t instructions = 0;             // without the padding after the code
    std::optional<std::uint32_t> registers;     // of each thread, as the compiler says
    std::uint32_t live_registers = 0;           // the most that hold a value at one instruction
    std::optional<std::uint64_t> shared_bytes;  // static
    std::uint32_t spills = 0;  // instructions that store or load a spilled register
    std::size_t loops = 0;
  };
  std::vector<Function> functions() const;
  const std::vector<Note>& notes() const;

  enum class Claim { kExpected, kForbidden };
  enum class State { kPass, kFail, kUnknown };  // unknown: part of the code cannot be read
  struct Check {
    std::string function;
    State state = State::kUnknown;
    std::string why;  // with the numbers and the first addresses
  };
  // Whether each function has, or has not, what a pattern says, such as 'HGMMA >= 4 in loop',
  // 'spill', 'FENCE after LDTM': `proofline sass --expect`. An error where it is no pattern.
  Result<std::vector<Check>> check(std::string_view pattern, Claim claim = Claim::kExpected) const;

 private:
  friend struct ApiAccess;
  explicit Code(std::shared_ptr<const CodeSide> side) : side_(std::move(side)) {}

  std::shared_ptr<const CodeSide> side_;
};

struct LoadCodeOptions {
  std::string function;   // a regular expression (RE2) on its name; "" any
  bool nvdisasm = false;  // where our own tables lack the architecture, run nvdisasm in a sandbox
};

// "-" is standard input. An error where the file has no function, or none that was asked for.
Result<Code> load_code(const std::string& path, const LoadCodeOptions& options = {});

}  // namespace proofline
