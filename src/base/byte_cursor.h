// SPDX-License-Identifier: Apache-2.0
//
// Reads little-endian numbers and texts from bytes that may lie about themselves. A read past the
// end gives zeros from then on and is remembered, so that a parser asks once, after several reads:
//
//   ByteCursor header(bytes);
//   const auto length = header.u32();
//   const auto version = header.u16();
//   if (!header.ok()) ...
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace proofline {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t offset() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

  // At most 8 bytes.
  std::uint64_t number(std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    if (size > left()) {
      fail();
    } else {
      std::memcpy(&value, bytes_.data() + at_, size);
      at_ += size;
    }
    return value;
  }

  // The variable-length numbers of DWARF; bits beyond the 64th are dropped.
  std::uint64_t uleb() { return leb().value; }
  std::int64_t sleb() {
    const Leb leb = this->leb();
    const bool negative = leb.bits > 0 && (leb.last & 0x40U) != 0 && leb.bits < 64;
    return static_cast<std::int64_t>(negative ? leb.value | ~std::uint64_t{0} << leb.bits
                                              : leb.value);
  }

  std::string_view take(std::uint64_t size) {
    if (size > left()) {
      fail();
      return {};
    }
    const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += taken.size();
    return taken;
  }

  // Up to the next zero byte, which is consumed too.
  std::string_view text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      fail();
      return {};
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  struct Leb {
    std::uint64_t value = 0;
    unsigned bits = 0;
    unsigned last = 0;
  };

  Leb leb() {
    Leb leb;
    do {
      leb.last = u8();
      if (leb.bits < 64) leb.value |= std::uint64_t{leb.last & 0x7fU} << leb.bits;
      leb.bits += leb.bits < 64 ? 7 : 0;
    } while ((leb.last & 0x80U) != 0);
    return leb;
  }

  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace proofline
