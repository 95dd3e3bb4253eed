// SPDX-License-Identifier: Apache-2.0
//
// The control flow of a function: blocks, edges, dominators, natural loops. Edges are what branches
// say: an mbarrier or a named barrier orders warps, but is no edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/code/listing.h"

namespace proofline {

enum class FlowKind : std::uint8_t {
  kNone,      // continues with the next instruction
  kBranch,    // BRA, JMP: to its target, and on where guarded
  kIndirect,  // BRX, JMX, BRXU: to targets that only a table tells
  kCall,      // comes back to the next instruction
  kReturn,    // RET
  kExit,      // EXIT, KILL
  kTrap,      // BPT.TRAP and the like: does not return
};

// By opcode, with its modifiers.
FlowKind flow_kind(std::string_view opcode);

enum class EdgeKind : std::uint8_t { kTaken, kFallThrough, kIndirect };

struct FlowEdge {
  std::uint32_t from = 0;  // blocks
  std::uint32_t to = 0;
  EdgeKind kind = EdgeKind::kFallThrough;
};

inline constexpr std::uint32_t kNoBlock = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoLoop = ~std::uint32_t{0};

struct FlowBlock {
  std::uint32_t first = 0;  // instructions
  std::uint32_t count = 0;
  std::uint32_t dominator = kNoBlock;  // the immediate one; kNoBlock: entry, or not reachable
  std::uint32_t loop = kNoLoop;        // the innermost
  bool reachable = false;
};

struct FlowLoop {
  std::uint32_t header = 0;        // block
  std::uint32_t parent = kNoLoop;  // the loop around it
  std::uint32_t depth = 1;
  std::uint32_t end = 0;               // the loops in it are those after it up to this one
  std::uint32_t instructions = 0;      // those of inner loops too
  std::vector<std::uint32_t> latches;  // blocks that branch back to the header
};

struct Flow {
  std::vector<FlowBlock> blocks;          // by address; block 0 is the entry
  std::vector<FlowEdge> edges;            // by from
  std::vector<std::uint32_t> first_edge;  // of each block, and one past the last
  std::vector<FlowEdge> incoming;         // by to
  std::vector<std::uint32_t> first_incoming;
  std::vector<FlowLoop> loops;          // outer before inner, then by header
  std::vector<std::uint32_t> block_of;  // of each instruction
  // Where the function and those inside its section begin: blocks.
  std::vector<std::uint32_t> roots;
  bool in_doubt = false;               // see FlowDoubts
  std::uint32_t dangling = 0;          // branches to where no instruction begins
  std::uint32_t indirect_unknown = 0;  // indirect branches without known targets
  std::uint32_t irreducible = 0;       // edges back to a block that does not dominate their start

  // Whether edges may be missing: nothing is unreachable for sure, and there may be more loops.
  bool open() const { return in_doubt || dangling + indirect_unknown > 0; }
  std::span<const FlowEdge> successors(std::uint32_t block) const {
    return std::span(edges).subspan(first_edge[block], first_edge[block + 1] - first_edge[block]);
  }
  std::span<const FlowEdge> predecessors(std::uint32_t block) const {
    return std::span(incoming).subspan(first_incoming[block],
                                       first_incoming[block + 1] - first_incoming[block]);
  }
  bool in_loop(std::uint32_t block, std::uint32_t loop) const {
    const std::uint32_t innermost = blocks[block].loop;
    return innermost != kNoLoop && innermost >= loop && innermost < loops[loop].end;
  }
};

// What makes edges uncertain.
struct FlowDoubts {
  // Some instruction is not known and may be a branch: whatever nothing leads to may be reached.
  bool any_branch = false;
  // By instruction; null or empty for none: its name may lack a modifier. Such a branch may also
  // not be taken.
  const std::vector<bool>* partial = nullptr;
};

// Blocks, edges and loops. Time is linear in the number of instructions, up to a logarithm.
Flow build_flow(const CodeFunction& function, const OpcodeNames& opcodes,
                const FlowDoubts& doubts = {});

// The blocks in reverse postorder, and then those that nothing leads to: every edge but those back
// to a loop's header leads to a later block.
std::vector<std::uint32_t> forward_order(const Flow& flow);

}  // namespace proofline
