// SPDX-License-Identifier: Apache-2.0
//
// What a program's file says before it runs: what kind it is, and for which GPUs, how and with
// which debug information its GPU code was compiled.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "model/note.h"

namespace proofline {

struct BinaryFacts {
  std::string path;
  std::string interpreter;  // of a script: its first line without "#!"; "" it is none
  bool elf = false;
  std::set<std::string> machine_code;  // architectures that there are cubins for: "sm_90a"
  std::set<std::string> ptx;           // "compute_90"
  std::uint64_t cubins = 0;
  std::uint64_t with_lines = 0;     // cubins with source lines: nvcc -lineinfo or -G
  std::uint64_t for_debugging = 0;  // cubins that are not optimised: nvcc -G
  std::string without_code;         // the reader's words where there is no GPU code at all
  std::vector<Note> notes;
};

// Never fails: what cannot be read is a note.
BinaryFacts read_binary_facts(const std::string& path);

}  // namespace proofline
