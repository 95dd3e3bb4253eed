// SPDX-License-Identifier: Apache-2.0
//
// Reads functions of machine instructions from any format that offers them (readers/format.h).
#pragma once

#include <functional>
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

  // Where it is set, readers of binaries ask it once for each function, by its mangled name, and do
  // not read the code of those that it does not want.
  std::function<bool(const std::string& name)> wants;
  // Where it is set, readers of binaries offer it each cubin first; true: it was taken, and its
  // functions are not read.
  std::function<bool(std::string_view cubin, const std::string& container)> offer_cubin;

 private:
  std::function<void(CodeFunction&&)> take_;
};

// Finds the format by the bytes, and reads; the listing, whose names the sink may use, must be
// empty.
Result<void> read_code(Input& input, Listing& listing, const FunctionSink& sink);
// Keeps all functions.
Result<Listing> read_code(Input& input);

}  // namespace proofline
