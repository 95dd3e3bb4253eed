// SPDX-License-Identifier: Apache-2.0
#include "readers/code/sass_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/characters.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kListingPieceBytes = 256U << 10U;
constexpr std::uint32_t kInstructionBytes = 16;
constexpr std::uint32_t kFirstArch = 70;  // Volta: the first with 128-bit encodings
constexpr std::uint8_t kWords = 2;        // of 64 bits in an encoding
constexpr std::size_t kMaxChars = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMaxAddress = kMaxChars - kInstructionBytes;

constexpr std::string_view kCut = "function is cut off: its end is missing";
constexpr std::string_view kCutInstruction = "instruction is cut off: its line has no ';'";
constexpr std::string_view kGap = "instructions are missing before this one";
constexpr std::string_view kOutOfOrder = "instruction is out of order and left out";
constexpr std::string_view kBadAddress = "instruction has an impossible address and is left out";
constexpr std::string_view kUnreadable = "instruction is unreadable and left out";
constexpr std::string_view kManyOperands =
    "instruction has too many operands; the rest is left out";
constexpr std::string_view kNoLabel = "branch goes to a label that its function does not have";
constexpr std::string_view kTwice = "address has two instructions; the second is left out";
constexpr std::string_view kHalfEncoded =
    "function lacks the encodings of some instructions; its control bits are left out";
constexpr std::string_view kTooLarge = "function is too large; the rest is left out";

}  // namespace

bool TextLines::next(std::string_view& line) {
  if (piece_.empty() && !refill()) return false;
  const void* found = std::memchr(piece_.data(), '\n', piece_.size());
  const std::size_t size =
      found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - piece_.data())
                       : piece_.size();
  line = piece_.substr(0, size);
  piece_.remove_prefix(std::min(size + 1, piece_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return true;
}

bool TextLines::refill() {
  for (std::size_t wanted = std::min(kListingPieceBytes, max_line_ + 1);;
       wanted = std::min(2 * wanted, max_line_ + 1)) {
    const auto ahead = input_.peek(wanted);
    if (!ahead) {
      status_ = tl::make_unexpected(ahead.error());
      return false;
    }
    const std::size_t newline = ahead->rfind('\n');
    const bool at_end = ahead->size() < wanted;
    if (newline != std::string_view::npos || at_end) {
      piece_ = *input_.take(newline != std::string_view::npos ? newline + 1 : ahead->size());
      return !piece_.empty();
    }
    if (wanted > max_line_) {
      status_ = fail(ErrorKind::kInput,
                     fmt::format("{}: line {} is longer than {} bytes, so this is no listing",
                                 quote(input_.name()), number_ + 1, max_line_));
      return false;
    }
  }
}

std::optional<InstructionLine> parse_instruction_line(std::string_view line) {
  InstructionLine parsed;
  const auto address = take_address(line);
  if (!address) return {};
  parsed.address = *address;
  line = without_blanks(line);
  const bool code = line.empty() || line[0] == '@' || line[0] == '{' || is_upper(line[0]);
  if (!code) return {};
  const std::size_t size = line.find(';');
  parsed.whole = size != std::string_view::npos;
  parsed.text = line.substr(0, size);
  if (parsed.whole) parsed.rest = without_blanks(line.substr(size + 1));
  return parsed;
}

std::optional<BareInstruction> parse_bare_instruction(std::string_view line) {
  if (line.empty() || !(line[0] == '@' || line[0] == '{' || is_upper(line[0]))) return {};
  const std::size_t size = line.find(';');
  return BareInstruction{line.substr(0, size), size != std::string_view::npos};
}

bool is_code_label(std::string_view line) {
  line = trim(line);
  if (line.size() < 2 || !line.ends_with(':') || line.starts_with('/')) return false;
  return line.find_first_of(" \t;") == std::string_view::npos ||
         line.find('(') != std::string_view::npos;
}

std::string_view without_control_codes(std::string_view line) {
  constexpr std::string_view kShape = "[B------:R-:W-:-:S00]";
  line = without_blanks(line);
  const bool codes =
      line.starts_with("[B") && line.size() >= kShape.size() && line[kShape.size() - 1] == ']';
  return codes ? without_blanks(line.substr(kShape.size())) : line;
}

std::string_view arch_at(std::string_view text) {
  constexpr std::string_view kPrefix = "sm_";
  constexpr std::size_t kMostDigits = 4;
  if (!text.starts_with(kPrefix)) return {};
  std::size_t size = std::min(text.find_first_not_of("0123456789", kPrefix.size()), text.size());
  if (size > kPrefix.size() + kMostDigits) return {};
  if (size < text.size() && is_lower(text[size])) ++size;
  const std::string_view arch = text.substr(0, size);
  return sm_number(arch) != 0 ? arch : std::string_view{};
}

void SourceRemarks::take(std::string_view remark, CodeFunction& function) {
  remark.remove_prefix(std::min(kStart.size(), remark.size()));
  const auto frame = take_frame(remark, function);
  if (frame != caller_) frames_.clear();  // not the caller of the remark before it
  caller_.reset();
  if (!frame) {
    line_ = Instruction::kNone;
    return;
  }
  frames_.push_back(*frame);
  constexpr std::string_view kInlined = " inlined at ";
  if (!remark.starts_with(kInlined)) return;
  remark.remove_prefix(kInlined.size());
  caller_ = take_frame(remark, function);
}

// `"path", line 42` at the front, which is taken off.
std::optional<SourceRemarks::Frame> SourceRemarks::take_frame(std::string_view& text,
                                                              CodeFunction& function) {
  constexpr std::string_view kLine = "\", line ";
  const std::size_t path_end = text.find(kLine);
  if (!text.starts_with('"') || path_end == std::string_view::npos) return {};
  const std::string_view path = text.substr(1, path_end - 1);
  const std::string_view number = text.substr(path_end + kLine.size());
  Frame frame;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), frame.line);
  if (error != std::errc()) return {};
  text = number.substr(static_cast<std::size_t>(end - number.data()));
  frame.file = file_id(path, function);
  return frame;
}

std::uint32_t SourceRemarks::file_id(std::string_view path, CodeFunction& function) {
  if (last_file_ < function.files.size() && function.files[last_file_] == path) return last_file_;
  const auto next = static_cast<std::uint32_t>(function.files.size());
  const auto [found, is_new] = file_ids_.emplace(path, next);
  if (is_new) function.files.emplace_back(path);
  return last_file_ = found->second;
}

// Makes lines of the remarks before an instruction, from the outermost caller inwards.
void SourceRemarks::join_frames(CodeFunction& function) {
  if (caller_) frames_.push_back(*caller_);
  caller_.reset();
  line_ = Instruction::kNone;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto& frame = frames_[i];
    const auto next = static_cast<std::uint32_t>(function.lines.size());
    const auto [found, is_new] = line_ids_.emplace(std::array{frame.file, frame.line, line_}, next);
    if (is_new) function.lines.push_back({frame.file, frame.line, line_});
    line_ = found->second;
  }
  frames_.clear();
}

void SassListing::set_arch(std::string_view arch) {
  arch_ = arch;
  if (open_ && draft_.function.instructions.empty()) draft_.function.arch = arch;
}

void SassListing::arch_directive(std::string_view line) {
  constexpr std::string_view kTarget = ".target";
  constexpr std::string_view kFlag = "EF_CUDA_SM";
  if (line.starts_with(kTarget)) {
    const std::string_view arch = arch_at(without_blanks(line.substr(kTarget.size())));
    if (!arch.empty()) set_arch(arch);
    return;
  }
  const std::size_t flag = line.starts_with(".headerflags") ? line.find(kFlag) : line.npos;
  if (flag == line.npos) return;
  const bool accelerated = line.find("EF_CUDA_ACCELERATORS") != line.npos;
  const std::string_view number = line.substr(flag + kFlag.size());
  const auto digits = number.substr(0, number.find_first_not_of("0123456789"));
  const std::string named = fmt::format("sm_{}{}", digits, accelerated ? "a" : "");
  const std::string_view arch = arch_at(named);
  if (sm_number(arch) != sm_number(arch_)) set_arch(arch);
}

void SassListing::begin(std::string_view name) {
  finish(false);
  open_ = true;
  draft_.function.name = name;
  draft_.function.arch = arch_;
  draft_.function.container = container_;
}

void SassListing::note_loss(std::string_view what) {
  for (Note& note : listing_.notes) {
    if (note.what != what) continue;
    ++note.count;
    return;
  }
  listing_.notes.push_back(
      {NoteKind::kLoss, fmt::format("line {}", lines_.number()), std::string(what)});
}

void SassListing::lose(std::string_view what) {
  draft_.damaged = true;
  note_loss(what);
}

void SassListing::refuse(std::string what) {
  draft_.refused = true;
  note_loss(what);
  refusal_ = std::move(what);
}

// Whether the open function can take its first instruction, at that address.
bool SassListing::accept_first(std::uint64_t address) {
  const std::string& arch = draft_.function.arch;
  const std::uint32_t sm = sm_number(arch);
  if (sm != 0 && sm < kFirstArch) {
    refuse(fmt::format("function for {}: encodings before Volta are not supported", arch));
  } else if (sm == 0 && address % kInstructionBytes != 0) {
    refuse("function with 64-bit encodings: encodings before Volta are not supported");
  }
  // Code that was dumped from a running program has the addresses of the device.
  if (address > kMaxAddress) draft_.base = address;
  return !draft_.refused;
}

bool SassListing::accept(std::uint64_t address) {
  if (draft_.refused) return false;
  if (draft_.function.instructions.empty() && !accept_first(address)) return false;
  const std::uint64_t offset = address - draft_.base;
  if (address % kInstructionBytes != 0 || offset > kMaxAddress) {
    lose(kBadAddress);
    return false;
  }
  if (order_ == Order::kAny) return true;
  if (offset < draft_.next_address) lose(kOutOfOrder);
  if (offset > draft_.next_address) lose(kGap);
  return offset >= draft_.next_address;
}

bool SassListing::add(std::uint64_t address, std::string_view text) {
  if (!open_) begin("");
  if (!accept(address)) return false;
  CodeFunction& function = draft_.function;
  if (function.text.size() + text.size() > kMaxChars) {
    lose(kTooLarge);
    return false;
  }
  const auto offset = static_cast<std::uint32_t>(address - draft_.base);
  draft_.next_address = offset + kInstructionBytes;
  const SassText::Parsed parsed = text_.append(text, function, draft_.uses);
  if (parsed == SassText::Parsed::kNotAnInstruction) {
    lose(kUnreadable);
    return false;
  }
  if (parsed == SassText::Parsed::kTooManyOperands) lose(kManyOperands);
  Instruction& added = function.instructions.back();
  added.address = offset;
  added.line = draft_.remarks.line(function);
  if (draft_.base != 0) move_target();
  place_labels(offset);
  return true;
}

// Makes the last instruction's target an offset, like its address.
void SassListing::move_target() {
  CodeFunction& function = draft_.function;
  Instruction& last = function.instructions.back();
  if (last.operand_count == 0 || function.operands.back().kind != OperandKind::kTarget) return;
  std::int64_t& value = function.operands.back().value;
  value -= static_cast<std::int64_t>(draft_.base);
  const bool inside = value >= 0 && static_cast<std::uint64_t>(value) <= kMaxAddress;
  last.target = inside ? static_cast<std::uint32_t>(value) : Instruction::kNone;
}

void SassListing::instruction(const InstructionLine& line) {
  if (draft_.words < kWords && !draft_.function.encodings.empty()) draft_.encodings_lost = true;
  draft_.words = kWords;
  if (!line.whole) return lose(kCutInstruction);
  if (!add(line.address, line.text)) return;
  draft_.words = 0;
  if (const auto low = parse_encoding(line.rest)) encoding(*low);
}

void SassListing::instruction(std::string_view text) {
  add(draft_.base + draft_.next_address, text);
}

void SassListing::instruction(const BareInstruction& line) {
  if (!line.whole) return lose(kCutInstruction);
  instruction(line.text);
}

void SassListing::encoding(std::uint64_t word) {
  if (draft_.words == kWords) return;  // of an instruction that was left out
  auto& encodings = draft_.function.encodings;
  if (draft_.words == 1) {
    encodings.back().high = word;
  } else if (encodings.size() + 1 == draft_.function.instructions.size()) {
    encodings.push_back({word, 0});
  } else {
    draft_.encodings_lost = true;
    draft_.words = 1;
  }
  ++draft_.words;
}

void SassListing::label(std::string_view name) {
  if (draft_.label_text.size() + name.size() > kMaxChars) return lose(kTooLarge);
  draft_.labels.push_back({static_cast<std::uint32_t>(draft_.label_text.size()),
                           static_cast<std::uint32_t>(name.size())});
  draft_.label_text += name;
}

void SassListing::place_labels(std::uint32_t address) {
  for (; draft_.placed_labels < draft_.labels.size(); ++draft_.placed_labels) {
    draft_.labels[draft_.placed_labels].address = address;
  }
}

// Finds the functions after the kernel, and resolves labels.
void SassListing::resolve_labels() {
  CodeFunction& function = draft_.function;
  const std::size_t with_code = draft_.placed_labels;
  place_labels(draft_.next_address);
  std::unordered_map<std::string_view, std::uint32_t> places;
  places.reserve(draft_.labels.size());
  for (std::size_t i = 0; i < draft_.labels.size(); ++i) {
    const Label& label = draft_.labels[i];
    const auto name = std::string_view(draft_.label_text).substr(label.first_char, label.size);
    const bool is_new = places.emplace(name, label.address).second;
    const bool inner = is_new && i < with_code && !name.starts_with('.') && name != function.name;
    if (inner) function.inner.push_back({label.address, std::string(name)});
  }
  for (const LabelUse& use : draft_.uses) {
    const auto found =
        places.find(std::string_view(function.text).substr(use.first_char, use.size));
    if (found != places.end()) {
      resolve(use, found->second);
    } else if (use.kind == LabelUse::Kind::kBranch || use.kind == LabelUse::Kind::kTable) {
      lose(kNoLabel);
    }
  }
}

void SassListing::resolve(const LabelUse& use, std::uint32_t address) {
  CodeFunction& function = draft_.function;
  Instruction& instruction = function.instructions[use.instruction];
  if (use.kind == LabelUse::Kind::kTable) {
    auto& tables = function.branch_targets;
    if (tables.empty() || tables.back().address != instruction.address) {
      tables.push_back({instruction.address, {}});
    }
    tables.back().targets.push_back(address);
    return;
  }
  function.operands[use.operand].kind = OperandKind::kTarget;
  function.operands[use.operand].value = address;
  if (use.kind != LabelUse::Kind::kOperand) instruction.target = address;
}

void SassListing::sort_by_address() {
  CodeFunction& function = draft_.function;
  const auto sort = [](auto& list) {
    const auto before = [](const auto& a, const auto& b) { return a.address < b.address; };
    if (std::is_sorted(list.begin(), list.end(), before)) return;
    std::stable_sort(list.begin(), list.end(), before);
  };
  sort(function.instructions);
  sort(function.inner);
  sort(function.branch_targets);
  const auto twice = std::unique(
      function.instructions.begin(), function.instructions.end(),
      [](const Instruction& a, const Instruction& b) { return a.address == b.address; });
  if (twice != function.instructions.end()) lose(kTwice);
  function.instructions.erase(twice, function.instructions.end());
}

void SassListing::check_encodings() {
  CodeFunction& function = draft_.function;
  if (function.encodings.empty() && !draft_.encodings_lost) return;
  const bool all = function.encodings.size() == function.instructions.size();
  if (all && draft_.words == kWords && !draft_.encodings_lost) return;
  function.encodings.clear();
  lose(kHalfEncoded);
}

void SassListing::finish(bool complete) {
  if (open_ && !draft_.refused) {
    CodeFunction& function = draft_.function;
    resolve_labels();
    if (order_ == Order::kAny) sort_by_address();
    check_encodings();
    if (!complete) lose(kCut);
    function.complete = !draft_.damaged;
    if (!function.lines.empty()) function.resources.line_table = true;
    ++functions_;
    sink_(std::move(function));
  }
  open_ = false;
  draft_ = Draft();
}

Result<void> SassListing::end() {
  finish(false);
  if (!lines_.status()) return lines_.status();
  const Input& input = lines_.input();
  if (const auto damage = input.damage()) {
    listing_.notes.push_back(
        {NoteKind::kLoss, fmt::format("offset {}", input.offset()), damage->message});
  }
  if (functions_ > 0) return {};
  return fail(ErrorKind::kInput,
              fmt::format("{}: {}", quote(input.name()),
                          refusal_.empty()
                              ? "no code in it; make it with 'cuobjdump --dump-sass' or nvdisasm"
                              : refusal_));
}

}  // namespace proofline
