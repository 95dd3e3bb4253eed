// SPDX-License-Identifier: Apache-2.0
//
// Passing an error on to the caller, in one line where it happens:
//
//   ASSIGN_OR_RETURN(const auto text, input.peek(kSniffBytes));  // text is a string_view
//   RETURN_IF_ERROR(input.finish());
//
// Macros, because nothing else can return from the enclosing function.
#pragma once

#include <tl/expected.hpp>
#include <utility>

// The value of a Result into `declaration`, or return its error.
#define ASSIGN_OR_RETURN(declaration, ...) \
  PROOFLINE_ASSIGN_OR_RETURN(PROOFLINE_JOIN(result_of_line_, __LINE__), declaration, __VA_ARGS__)

// For a Result whose value is nothing, not wanted, or taken from its name afterwards.
#define RETURN_IF_ERROR(...)                          \
  if (auto&& propagated = (__VA_ARGS__); !propagated) \
  return tl::make_unexpected(std::move(propagated).error())

#define PROOFLINE_ASSIGN_OR_RETURN(result, declaration, ...)            \
  auto result = (__VA_ARGS__);                                          \
  if (!(result)) return tl::make_unexpected(std::move(result).error()); \
  declaration = *std::move(result)

#define PROOFLINE_JOIN(a, b) PROOFLINE_JOIN_EXPANDED(a, b)
#define PROOFLINE_JOIN_EXPANDED(a, b) a##b
