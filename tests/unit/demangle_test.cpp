// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace proofline::demangle_test {
namespace {

TEST(Demangle, WritesNamesAsPeopleDo) {
  EXPECT_EQ(demangle("_ZN2ns5scaleIfLi4EEEvPT_i").text, "void ns::scale<float, 4>(float*, int)");
  EXPECT_EQ(demangle("_Z4copyPfPKf").text, "copy(float*, float const*)");
}

// One name for each part of the grammar, written as __cxa_demangle writes it.
TEST(Demangle, KnowsTheWholeGrammar) {
  constexpr struct {
    std::string_view mangled;
    std::string_view text;
  } kNames[] = {
      {"_Z1fv", "f()"},
      {"_Z1fz", "f(...)"},
      {"_ZN1aL1bE", "a::b"},
      {"_Z1fPVKcRiOj", "f(char const volatile*, int&, unsigned int&&)"},
      {"_Z1fPFviE", "f(void (*)(int))"},
      {"_Z1fRA4_A8_f", "f(float (&) [4][8])"},
      {"_Z1fM1AFvvE", "f(void (A::*)())"},
      {"_Z1fM1Ai", "f(int A::*)"},
      {"_Z1fDv4_f", "f(float __vector(4))"},
      {"_Z1fDF16_", "f(_Float16)"},
      {"_Z1fU6kernelPi", "f(int* kernel)"},
      {"_Z1fCf", "f(float _Complex)"},
      {"_ZN1AC1Ev", "A::A()"},
      {"_ZN1AIiED2Ev", "A<int>::~A()"},
      {"_ZNK1AcvbEv", "A::operator bool() const"},
      {"_ZN1AcvT_IiEEv", "A::operator int<int>()"},
      {"_ZlsRSoi", "operator<<(std::ostream&, int)"},
      {"_ZNSsC1Ev",
       "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()"},
      {"_ZNKR1A1fEv", "A::f() const &"},
      {"_ZTV1A", "vtable for A"},
      {"_ZGVZ1fvE1x", "guard variable for f()::x"},
      {"_ZThn8_N1A1fEv", "non-virtual thunk to A::f()"},
      {"_ZZ1fiENKUlfE0_clEf", "f(int)::{lambda(float)#2}::operator()(float) const"},
      {"_Z1gIZ1fvEUlT_E_EvS0_", "void g<f()::{lambda(auto:1)#1}>(f()::{lambda(auto:1)#1})"},
      {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()"},
      {"_Z1fIJifEEvDpT_", "void f<int, float>(int, float)"},
      {"_Z1fIJEEvDpOT_", "void f<>()"},
      {"_Z1fILb1ELin3ELj4ELm5ELl6EEvv", "void f<true, -3, 4u, 5ul, 6l>()"},
      {"_Z1fIL4Mode2EEvv", "void f<(Mode)2>()"},
      {"_Z1fIXadL_Z1gvEEEvv", "void f<&(g())>()"},
      {"_Z1fIiEvRKT_", "void f<int>(int const&)"},
      {"_Z1fIRiEvOT_", "void f<int&>(int&)"},
      {"_Z1fIKiEvRKT_", "void f<int const>(int const&)"},
      {"_Z1fIiEDTplfp_Li1EET_", "decltype ({parm#1}+(1)) f<int>(int)"},
      {"_Z1fILi2EEvRAplT_Li1E_i", "void f<2>(int (&) [(2)+(1)])"},
      {"_Z1fI1AIiEEvT_", "void f<A<int> >(A<int>)"},
      {"_Z1fi.constprop.0", "f(int) [clone .constprop.0]"},
  };
  for (const auto& name : kNames) EXPECT_EQ(demangle(name.mangled).text, name.text);
}

TEST(Demangle, LeavesNamesWithoutMeaningAlone) {
  for (const std::string_view name :
       {"_Z", "_Z1", "_Z9f", "_Z1fT_", "_Z1fS_", "_Z1fS9_", "_ZN1aE1", "_Z1fIiEvT0_", "_ZTQ1A",
        "_Z1fA", "_ZN", "_Z1fPF", "_Z1fLi"}) {
    EXPECT_EQ(demangle(name).text, name);
    EXPECT_FALSE(demangle(name).limit) << name;
  }
}

// A name that numba gave a kernel: its types and flags are in ABI tags.
TEST(Demangle, WritesNumbasNames) {
  EXPECT_EQ(
      demangle("_ZN8__main__9histogramB2v1B90cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYkJ"
               "CQB1MQBk0ByrG21OiwI1a0UoFGhDpQE8gxqNQE_3dE5ArrayIfLi1E1C7mutable7alignedEff5Arr"
               "ayIiLi1E1C7mutable7alignedE")
          .text,
      "__main__::histogram[abi:v1][abi:cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYkJCQB1MQB"
      "k0ByrG21OiwI1a0UoFGhDpQE8gxqNQE_3d](Array<float, 1, C, mutable, aligned>, float, float, "
      "Array<int, 1, C, mutable, aligned>)");
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangle("triton_poi_fused_add_0").text, "triton_poi_fused_add_0");
  EXPECT_EQ(demangle("_Znonsense!").text, "_Znonsense!");
  EXPECT_EQ(demangle("").text, "");
}

TEST(Demangle, StopsAtANameThatStandsForTooMuch) {
  // Each parameter is a B of two of the one before it.
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string nested = "_Z1f1AIiiE1BIS0_S0_E";
  for (std::size_t i = 2; i < 30; ++i) {
    const std::string before = "S" + std::string(1, kDigits[i]) + "_";
    nested += "S1_I" + before + before + "E";
  }
  const DemangledName name = demangle(nested);
  EXPECT_TRUE(name.limit);
  EXPECT_EQ(name.text, nested);
  EXPECT_TRUE(demangle("_Z" + std::string(1U << 20U, '1')).limit);
}

}  // namespace
}  // namespace proofline::demangle_test
