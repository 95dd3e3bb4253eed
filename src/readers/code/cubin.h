// SPDX-License-Identifier: Apache-2.0
//
// A cubin: the ELF file that holds a GPU's machine code.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "readers/code/elf_file.h"

namespace proofline {

class Cubin : public ElfFile {
 public:
  static Result<Cubin> open(std::string_view bytes);

  // CUDA 13 changed where cubins keep what.
  bool before_cuda_13() const { return abi_version() < 8; }
  // The number of the architecture that the code is for: 90.
  std::uint32_t sm() const;
  // The same with its suffix, where the cubin tells it: "sm_90a".
  std::string arch() const;
  // Whether the compiler was left to optimise, by its options; nothing where they are not known.
  std::optional<bool> optimised() const;
  // The compiler: "ptxas, Cuda compilation tools, release 13.0, V13.0.88"; "" unknown.
  std::string producer() const;

 private:
  explicit Cubin(ElfFile file);

  // What the note of the compiler says about itself; all empty where there is none.
  struct ToolNote {
    std::string_view tool;
    std::string_view version;
    std::string_view options;
  };
  ToolNote tool_note() const;
};

// Whether bytes begin as those of a cubin do.
bool is_cubin(std::string_view prefix);

// The function whose code a section holds: ".text.<function>"; "" for other sections.
std::string_view function_of_section(std::string_view section);

}  // namespace proofline
