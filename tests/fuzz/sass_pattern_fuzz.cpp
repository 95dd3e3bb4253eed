// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of the language of assertions. Whatever the text is, parsing must end in an error
// that says where, or in a pattern that can be held against code.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/sass/code_report.h"
#include "base/input.h"
#include "promise.h"
#include "readers/code/read_code.h"

namespace {

using namespace proofline;

// Two roles that meet at an mbarrier, a loop in each, and a loop that polls.
constexpr std::string_view kListing = R"(		Function : kernel
        /*0000*/  S2R R23, SR_TID.X ;
        /*0010*/  SHF.R.U32.HI R0, RZ, 0x5, R23 ;
        /*0020*/  ISETP.NE.AND P0, PT, R0, 0x8, PT ;
        /*0030*/  @!P0 BRA 0xa0 ;
        /*0040*/  SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR9], R4 ;
        /*0050*/  @!P1 BRA 0x40 ;
        /*0060*/  HGMMA.64x32x16.F32.BF16 R24, gdesc[UR4], R24, gsb0 ;
        /*0070*/  STS.128 [R9], R24 ;
        /*0080*/  @!P0 BRA 0x40 ;
        /*0090*/  EXIT ;
        /*00a0*/  SYNCS.ARRIVE.TRANS64 RZ, [UR9], R5 ;
        /*00b0*/  LDGSTS.E.128 [R8], [R2.64] ;
        /*00c0*/  @!P0 BRA 0xa0 ;
        /*00d0*/  EXIT ;
		..........
)";

struct Code {
  Listing listing;
  AnalysedFunction function;
};

const Code& code() {
  static const Code* const kCode = [] {
    auto* made = new Code;
    auto input = Input::from_memory(kListing, "listing", {});
    require(input.has_value(), "the listing is read");
    auto listing = read_code(*input);
    require(listing && listing->functions.size() == 1, "the listing has one function");
    made->listing = std::move(*listing);
    CodeAnalyst analyst(made->listing.opcodes, {});
    (void)analyst.analyse(std::move(made->listing.functions[0]), nullptr, made->function);
    return made;
  }();
  return *kCode;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pattern = parse_pattern(text);
  if (!pattern) {
    require(pattern.error().kind == ErrorKind::kUsage, "a pattern that is wrong is a usage error");
    return 0;
  }
  const Code& known = code();
  for (const bool forbid : {false, true}) {
    const Expectation one = evaluate(*pattern, forbid, known.function.code, known.function.flow,
                                     known.listing.opcodes, known.function.scope);
    require(!one.text.empty(), "a verdict says why");
    for (const std::uint32_t i : one.instructions) {
      require(i < known.function.code.instructions.size(), "it rests on instructions");
    }
  }
  return 0;
}
