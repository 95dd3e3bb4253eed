// SPDX-License-Identifier: Apache-2.0
//
// Short names of kernels, from ordinary ones to text that only pretends to be one.
#include "model/profile/kernel_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace proofline::kernel_name_test {
namespace {

void expect_name(std::string_view demangled, std::string_view function) {
  EXPECT_EQ(short_function_name(demangled), function) << demangled;
}

TEST(KernelName, PlainFunctions) {
  expect_name("scale(float *, int)", "scale");
  expect_name("void scale<float, 4>(float *, int)", "scale");
  expect_name("unsigned int count<(int)3>(T1)", "count");
  expect_name("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn");
  expect_name("_ZN7cutlass6KernelEv", "_ZN7cutlass6KernelEv");
}

TEST(KernelName, Namespaces) {
  expect_name("void at::native::elementwise<128, at::native::F<float>>(int, T2)", "elementwise");
  expect_name("(anonymous namespace)::fill(int *)", "fill");
  expect_name("void <unnamed>::blocked<1, 2>(const float *)", "blocked");
  expect_name("unnamed>::grouped_down(Packed, const float *)", "grouped_down");
  expect_name("void cutlass::Kernel<cutlass_80_simt>(T1::Params)", "Kernel");
}

TEST(KernelName, BracketsInTemplateArguments) {
  expect_name("void f<(bool)1, (A > B), G<H<int>>>(int)", "f");
  expect_name("void run<decltype(a->b)>(int)", "run");
  expect_name("void go<&(ns::op<int>(int))>(float)", "go");
}

TEST(KernelName, Operators) {
  expect_name("Functor::operator()(int) const", "operator()");
  expect_name("void ns::F<int>::operator()<float>(T1) const", "operator()");
  expect_name("A::operator<<(int)", "operator<<");
  expect_name("A::operator[](int)", "operator[]");
}

TEST(KernelName, LocalScopes) {
  expect_name("main(int)::kernel(float *)", "kernel");
  expect_name("void launch<run()::{lambda(int)#1}>(T1)", "launch");
  expect_name("run()::{lambda(int)#1}::operator()(int) const", "operator()");
  expect_name("decltype(auto) pick<int>(T1)", "pick");
}

TEST(KernelName, OtherLanguages) {
  expect_name("julia__5_6739(CuKernelContext, CuDeviceArray<Int4x8, 1, 1>, Int4x8)",
              "julia__5_6739");
  expect_name("my range", "my range");
  expect_name("my range [v1]", "my range [v1]");
}

// As the C++ demangler, nsys and ncu write numba's names; the tags are those of real kernels.
TEST(KernelName, NumbaTagsAreNoPartOfTheName) {
  expect_name(
      "__main__::histogram[abi:v1][abi:cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYk_3d]"
      "(Array<float, 1, C, mutable, aligned>, float, float)",
      "histogram");
  expect_name(
      "cudapy::__main__::reduce_kernel[abi:v1,cw51cXTLSUwv1sCUt9Uw11Ew0NRRQPKzLTg4gaGKFsG2]"
      "(Array<float, 1, C, mutable, aligned>)",
      "reduce_kernel");
  expect_name(
      "copy_blocked[v1,cw51cXTLSUwv1sDUaKthrqNgqqmjgOR3W3CwAkMXLaJtQYkOIgxJU0gCqOkEJoHkbtt]"
      "(Array<long long, 1, C, mutable, aligned>, long long)",
      "copy_blocked");
  expect_name("test_udfs::test_eq::_3clocals_3e::func[abi:v2][abi:cw51cXTL](string)", "func");
  expect_name("cudapy::__main__::reduce_kernel[abi:v1,cw51cXTL", "reduce_kernel");
}

TEST(KernelName, WhatIsNoName) {
  expect_name("", "");
  expect_name("(", "(");
  expect_name("<", "<");
  expect_name("()", "()");
  expect_name("f (int)", "f");
  expect_name("f(", "f");
  expect_name("f<", "f");
  expect_name("a::", "a::");
  expect_name(std::string_view("f\0g(int)", 8), std::string_view("f\0g", 3));
}

TEST(KernelName, EveryPrefixOfANameHasAnAnswer) {
  const std::string name =
      "void ns::(anonymous namespace)::F<(int)1, G<H>>::operator()<(A->b)>(T1)::{lambda()#1} const";
  for (std::size_t size = 0; size <= name.size(); ++size) {
    const std::string prefix = name.substr(0, size);
    EXPECT_EQ(short_function_name(prefix).empty(), prefix.empty()) << prefix;
  }
}

TEST(KernelName, TimeIsLinear) {
  constexpr std::size_t kSize = 1U << 20U;
  for (const std::string_view piece :
       {"(", "<", ")", ">", "a::", "f(int)::", "<(", "operator<", "[{"}) {
    std::string text;
    while (text.size() < kSize) text += piece;
    EXPECT_FALSE(short_function_name(text).empty()) << piece;
  }
}

}  // namespace
}  // namespace proofline::kernel_name_test
