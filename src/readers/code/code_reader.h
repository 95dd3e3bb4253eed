// SPDX-License-Identifier: Apache-2.0
//
// A code reader turns the bytes of one format into functions of machine instructions. Each format
// is one file in this folder that defines `CodeReader <stem>()`; the list is made from the folder.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/input.h"
#include "base/result.h"
#include "model/code/listing.h"

namespace proofline {

// Takes each function as it is complete, so that a listing of any size needs the memory of its
// largest function. The Listing's opcodes, format and producer are valid at that time.
class FunctionSink {
 public:
  template <class Take>
  FunctionSink(Take take) : take_(std::move(take)) {}  // NOLINT(google-explicit-constructor)

  void operator()(CodeFunction&& function) const { take_(std::move(function)); }

  // Where it is set, readers of binaries offer it each cubin first; true: it was taken, and its
  // functions are not read.
  std::function<bool(std::string_view cubin, const std::string& container)> offer_cubin;

 private:
  std::function<void(CodeFunction&&)> take_;
};

struct CodeReader {
  std::string_view name;     // "cuobjdump-sass"
  std::string_view summary;  // one line for `list readers`
  // Says yes by content alone; prefix holds the first kSniffBytes, or the whole input if shorter.
  bool (*sniff)(std::string_view prefix);
  // Gives functions to the sink in the order of the input, and the rest to the listing. Damage that
  // it survives becomes a note; an error means no result at all.
  Result<void> (*read)(Input& input, Listing& listing, const FunctionSink& sink);
};

std::span<const CodeReader> code_readers();

// Whether some code reader knows bytes that begin so.
bool is_code(std::string_view prefix);

// Finds the one reader that knows the input, and reads; the listing, whose names the sink may use,
// must be empty.
Result<void> read_code(Input& input, Listing& listing, const FunctionSink& sink);
// Keeps all functions.
Result<Listing> read_code(Input& input);

}  // namespace proofline
