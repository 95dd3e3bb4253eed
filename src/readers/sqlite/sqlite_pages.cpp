// SPDX-License-Identifier: Apache-2.0
#include "readers/sqlite/sqlite_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::uint8_t kInnerPage = 5;
constexpr std::uint8_t kLeafPage = 13;
// Deeper than any tree of 2^32 pages; SQLite's own limit.
constexpr std::size_t kMaxDepth = 20;
// Leaves that are close together are read in one piece, with what is between them.
constexpr std::size_t kPagesPieceBytes = 1U << 20U;
constexpr std::uint32_t kMaxHolePages = 8;
// In a smaller file a thread takes longer to begin than to read.
constexpr std::uint32_t kPagesForThreads = 1024;

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8U | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

// Reads big-endian numbers from untrusted bytes; past the end it returns zeros and sets a flag.
class PageCursor {
 public:
  PageCursor(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  bool ok() const { return ok_; }
  std::size_t offset() const { return at_; }

  std::uint64_t number(std::size_t size) {
    if (at_ > bytes_.size() || size > bytes_.size() - at_) return fail();
    const std::uint64_t value = big_endian(bytes_, at_, size);
    at_ += size;
    return value;
  }

  // Seven bits a byte, the most significant first; the ninth byte counts with all eight.
  std::uint64_t varint() {
    if (at_ < bytes_.size()) {
      const auto first = static_cast<std::uint8_t>(bytes_[at_]);
      if (first < 0x80) {
        ++at_;
        return first;
      }
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      if (at_ >= bytes_.size()) return fail();
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      if (i == 8) return value << 8U | byte;
      value = value << 7U | (byte & 0x7fU);
      if (byte < 0x80) return value;
    }
    return value;
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  std::string_view bytes_;
  std::size_t at_;
  bool ok_ = true;
};

// How many bytes a value of this type takes.
std::uint64_t value_size(std::uint64_t type) {
  static constexpr std::array<std::uint8_t, 12> kSizes = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < kSizes.size() ? kSizes[type] : (type - 12) / 2;
}

struct Leaf {
  std::uint32_t page = 0;
  std::uint32_t scan = 0;
};

// A scan, made ready for its rows. Rows of one table mostly have one of a few lists of types; what
// such a list means for the wanted columns is worked out once.
class RowReader {
 public:
  explicit RowReader(const SqliteScan& scan)
      : scan_(scan), values_(scan.columns.size()), layouts_(kLayouts) {
    for (std::size_t slot = 0; slot < scan.columns.size(); ++slot) {
      const auto& column = scan.columns[slot];
      if (!column) continue;
      if (column == scan.table->row_number) {
        row_number_slots_.push_back(slot);
        continue;
      }
      if (*column >= slots_.size()) slots_.resize(*column + 1, kNoSlot);
      slots_[*column] = slot;
    }
  }

  enum class Outcome { kRead, kDamaged, kNeedsAll };
  // Reads a row of `total` bytes, as its cell says, of which the first `size` are at the
  // start of these bytes.
  Outcome read(std::string_view bytes, std::size_t size, std::uint64_t total,
               std::int64_t row_number) {
    PageCursor start(bytes.substr(0, size), 0);
    const std::uint64_t list_size = start.varint();
    if (!start.ok() || list_size > total) return Outcome::kDamaged;
    if (list_size > size) return Outcome::kNeedsAll;
    const std::string_view list = bytes.substr(0, static_cast<std::size_t>(list_size));
    Layout& layout = layouts_[hash_of(list) % kLayouts];
    if (layout.list != list) layout = read_layout(list);
    if (!layout.is_whole || layout.last_end > total) return Outcome::kDamaged;
    if (layout.wanted_end > size) return Outcome::kNeedsAll;
    std::copy(layout.constants.begin(), layout.constants.end(), values_.begin());
    read_numbers(layout, bytes);
    for (const Item& item : layout.texts) {
      values_[item.slot] = SqliteValue::text(bytes.substr(item.at, item.size));
    }
    for (const std::size_t slot : row_number_slots_) {
      values_[slot] = SqliteValue::integer(row_number);
    }
    scan_.row(values_);
    return Outcome::kRead;
  }

 private:
  static constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLayouts = 256;

  struct Item {
    std::size_t slot = 0;
    std::size_t at = 0;
    std::size_t size = 0;
  };
  struct Layout {
    std::string list;
    std::vector<SqliteValue> constants;  // by slot: what the types alone tell
    std::vector<Item> numbers;
    std::vector<Item> texts;
    std::uint64_t last_end = 0;    // of all values up to the last that is wanted
    std::uint64_t wanted_end = 0;  // of those that are wanted
    bool is_whole = false;
  };

  static std::size_t hash_of(std::string_view list) {
    std::uint64_t hash = list.size();
    std::size_t at = 0;
    for (; at + sizeof hash <= list.size(); at += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, list.data() + at, sizeof word);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32U;
    }
    for (; at < list.size(); ++at) hash = hash * 31 + static_cast<std::uint8_t>(list[at]);
    return static_cast<std::size_t>(hash ^ hash >> 15U);
  }

  Layout read_layout(std::string_view list) const {
    Layout layout;
    layout.list = list;
    layout.constants.resize(values_.size());
    PageCursor types(list, 0);
    types.varint();  // its own size
    std::uint64_t at = list.size();
    for (const std::size_t slot : slots_) {
      // A column that was added to the table later is not in its older rows.
      const std::uint64_t type = types.offset() < list.size() ? types.varint() : std::uint64_t{0};
      const std::uint64_t size = value_size(type);
      // No row is this large, and the sum of such sizes could overflow.
      if (!types.ok() || size > std::numeric_limits<std::uint32_t>::max()) return layout;
      if (slot != kNoSlot) {
        add_item(type, {slot, static_cast<std::size_t>(at), static_cast<std::size_t>(size)},
                 layout);
        if (size > 0) layout.wanted_end = at + size;
      }
      at += size;
    }
    layout.last_end = at;
    layout.is_whole = true;
    return layout;
  }

  static void add_item(std::uint64_t type, const Item& item, Layout& layout) {
    if (type == 0) return;  // null
    if (type < 7) {
      layout.numbers.push_back(item);
    } else if (type == 8 || type == 9) {
      layout.constants[item.slot] = SqliteValue::integer(type == 9 ? 1 : 0);
    } else if (type >= 13 && type % 2 == 1) {
      layout.texts.push_back(item);
    } else {
      layout.constants[item.slot] = SqliteValue::other();
    }
  }

  // One 8-byte load for all sizes where the page has that many bytes after the row; the excess is
  // shifted out.
  void read_numbers(const Layout& layout, std::string_view bytes) {
    const bool has_room = layout.wanted_end + sizeof(std::uint64_t) <= bytes.size();
    for (const Item& item : layout.numbers) {
      const auto surplus = static_cast<unsigned>(64 - 8 * item.size);
      std::uint64_t value = 0;
      if (has_room) {
        static_assert(std::endian::native == std::endian::little);
        std::memcpy(&value, bytes.data() + item.at, sizeof value);
        value = __builtin_bswap64(value);
      } else {
        value = big_endian(bytes, item.at, item.size) << surplus;
      }
      values_[item.slot] = SqliteValue::integer(static_cast<std::int64_t>(value) >> surplus);
    }
  }

  const SqliteScan& scan_;
  std::vector<SqliteValue> values_;
  std::vector<std::size_t> slots_;  // of each column up to the last that is wanted
  std::vector<std::size_t> row_number_slots_;
  std::vector<Layout> layouts_;
};

// What could not be read.
struct Damage {
  std::uint64_t pages = 0;
  std::uint32_t first_page = 0;
  std::uint64_t rows = 0;

  void add(const Damage& other) {
    if (pages == 0) first_page = other.first_page;
    pages += other.pages;
    rows += other.rows;
  }
};

// One pass over the file for one group of tables.
class PageWalk {
 public:
  PageWalk(Input& input, const SqliteHeader& header, std::uint32_t pages)
      : input_(input), header_(header), pages_(pages), seen_(std::size_t{pages} + 1, false) {}

  Result<void> read(const SqliteScans& scans) {
    std::vector<RowReader> readers;
    readers.reserve(scans.size());
    std::vector<Leaf> leaves;
    for (const SqliteScan& scan : scans) {
      const std::size_t before = leaves.size();
      RETURN_IF_ERROR(find_leaves(scan, static_cast<std::uint32_t>(readers.size()), leaves));
      readers.emplace_back(scan);
      if (scan.expect && leaves.size() > before) {
        RETURN_IF_ERROR(announce(scan, leaves[before].page, leaves.size() - before));
      }
    }
    std::sort(leaves.begin(), leaves.end(),
              [](const Leaf& a, const Leaf& b) { return a.page < b.page; });
    return read_leaves(leaves, readers);
  }

  const Damage& damage() const { return damage_; }

 private:
  struct PageHead {
    std::uint8_t type = 0;
    std::size_t cells = 0;
    std::size_t last_child_at = 0;
    std::size_t cells_at = 0;  // where their offsets are
  };

  // Type 0 where there are not even the offsets of its cells.
  PageHead head_of(std::string_view page, std::uint32_t number) const {
    const std::size_t at = number == 1 ? kHeaderBytes : 0;
    PageHead head;
    head.type = static_cast<std::uint8_t>(page[at]);
    head.cells = big_endian(page, at + 3, 2);
    head.last_child_at = at + 8;
    head.cells_at = at + (head.type == kInnerPage ? 12 : 8);
    if (head.cells_at + 2 * head.cells > header_.usable_size) head.type = 0;
    return head;
  }

  void lose_page(std::uint32_t number) {
    if (damage_.pages == 0) damage_.first_page = number;
    ++damage_.pages;
  }

  // Whether a page is there and is met for the first time.
  bool take_page(std::uint64_t number) {
    if (number == 0 || number > pages_ || seen_[static_cast<std::size_t>(number)]) {
      lose_page(static_cast<std::uint32_t>(number));
      return false;
    }
    seen_[static_cast<std::size_t>(number)] = true;
    return true;
  }

  Result<std::string_view> read_page(std::uint32_t number) {
    page_.resize(header_.page_size);
    ASSIGN_OR_RETURN(const std::size_t got,
                     input_.read_at(offset_of(number), page_.data(), page_.size()));
    if (got < page_.size())
      std::fill(page_.begin() + static_cast<std::ptrdiff_t>(got), page_.end(), '\0');
    return std::string_view(page_).substr(0, header_.usable_size);
  }

  std::uint64_t offset_of(std::uint32_t page) const {
    return std::uint64_t{page - 1} * header_.page_size;
  }

  // Goes down level by level. All leaves of a tree are equally deep, so how deep the first is tells
  // it of all, and none has to be read for that.
  Result<void> find_leaves(const SqliteScan& scan, std::uint32_t index, std::vector<Leaf>& leaves) {
    std::vector<std::uint32_t> level;
    if (take_page(scan.table->root_page)) level.push_back(scan.table->root_page);
    for (std::size_t depth = 0; depth < kMaxDepth && !level.empty(); ++depth) {
      ASSIGN_OR_RETURN(const bool are_leaves, first_is_leaf(level));
      if (are_leaves) {
        for (const std::uint32_t page : level) leaves.push_back({page, index});
        return {};
      }
      std::vector<std::uint32_t> below;
      for (const std::uint32_t page : level) RETURN_IF_ERROR(add_children(page, below));
      level = std::move(below);
    }
    for (const std::uint32_t page : level) lose_page(page);
    return {};
  }

  // By the first page of a level that is of a table at all.
  Result<bool> first_is_leaf(const std::vector<std::uint32_t>& level) {
    for (const std::uint32_t number : level) {
      ASSIGN_OR_RETURN(const std::string_view page, read_page(number));
      const PageHead head = head_of(page, number);
      if (head.type == kLeafPage) return true;
      if (head.type == kInnerPage) return false;
    }
    return true;
  }

  Result<void> add_children(std::uint32_t number, std::vector<std::uint32_t>& below) {
    ASSIGN_OR_RETURN(const std::string_view page, read_page(number));
    const PageHead head = head_of(page, number);
    if (head.type != kInnerPage) {
      lose_page(number);
      return {};
    }
    for (std::size_t i = 0; i <= head.cells; ++i) {
      PageCursor cell(
          page, i < head.cells ? big_endian(page, head.cells_at + 2 * i, 2) : head.last_child_at);
      const std::uint64_t child = cell.number(4);
      if (take_page(child)) below.push_back(static_cast<std::uint32_t>(child));
    }
    return {};
  }

  // Rows are about equally long, so the first leaf tells how many there are; a row of an event
  // takes 16 bytes at least, whatever a damaged page says.
  Result<void> announce(const SqliteScan& scan, std::uint32_t first_leaf, std::size_t leaves) {
    ASSIGN_OR_RETURN(const std::string_view page, read_page(first_leaf));
    const PageHead head = head_of(page, first_leaf);
    if (head.type == kLeafPage)
      scan.expect(std::min<std::uint64_t>(head.cells, page.size() / 16) * leaves);
    return {};
  }

  Result<void> read_leaves(const std::vector<Leaf>& leaves, std::vector<RowReader>& readers) {
    const std::size_t page_size = header_.page_size;
    std::string piece;
    for (std::size_t first = 0; first < leaves.size();) {
      std::size_t last = first;
      while (last + 1 < leaves.size() &&
             leaves[last + 1].page - leaves[last].page <= kMaxHolePages &&
             (leaves[last + 1].page - leaves[first].page + 1) * page_size <= kPagesPieceBytes) {
        ++last;
      }
      piece.resize((leaves[last].page - leaves[first].page + 1) * page_size);
      ASSIGN_OR_RETURN(const std::size_t got,
                       input_.read_at(offset_of(leaves[first].page), piece.data(), piece.size()));
      for (std::size_t i = first; i <= last; ++i) {
        const std::size_t at = (leaves[i].page - leaves[first].page) * page_size;
        if (at + page_size > got) {
          lose_page(leaves[i].page);
          continue;
        }
        RETURN_IF_ERROR(read_leaf(std::string_view(piece).substr(at, header_.usable_size),
                                  leaves[i].page, readers[leaves[i].scan]));
      }
      first = last + 1;
    }
    return {};
  }

  Result<void> read_leaf(std::string_view page, std::uint32_t number, RowReader& reader) {
    const PageHead head = head_of(page, number);
    if (head.type != kLeafPage) {
      lose_page(number);
      return {};
    }
    for (std::size_t i = 0; i < head.cells; ++i) {
      PageCursor cell(page, big_endian(page, head.cells_at + 2 * i, 2));
      const std::uint64_t total = cell.varint();
      const auto row_number = static_cast<std::int64_t>(cell.varint());
      const std::size_t here = local_size(total);
      if (!cell.ok() || here > page.size() - cell.offset()) {
        ++damage_.rows;
        continue;
      }
      const std::string_view bytes = page.substr(cell.offset());
      auto outcome = reader.read(bytes, here, total, row_number);
      if (outcome == RowReader::Outcome::kNeedsAll) {
        PageCursor next(page, cell.offset() + here);
        RETURN_IF_ERROR(read_overflow(bytes.substr(0, here), total, next.number(4)));
        outcome = row_.size() == total ? reader.read(row_, row_.size(), total, row_number)
                                       : RowReader::Outcome::kDamaged;
      }
      if (outcome != RowReader::Outcome::kRead) ++damage_.rows;
    }
    return {};
  }

  // How much of a row its cell holds.
  std::size_t local_size(std::uint64_t total) const {
    const std::uint64_t usable = header_.usable_size;
    if (total <= usable - 35) return static_cast<std::size_t>(total);
    const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
    const std::uint64_t most = least + (total - least) % (usable - 4);
    return static_cast<std::size_t>(most <= usable - 35 ? most : least);
  }

  // The whole row into row_, or what there is of it.
  Result<void> read_overflow(std::string_view payload, std::uint64_t total, std::uint64_t next) {
    row_.assign(payload);
    while (row_.size() < total && take_page(next)) {
      ASSIGN_OR_RETURN(const std::string_view page, read_page(static_cast<std::uint32_t>(next)));
      next = big_endian(page, 0, 4);
      row_.append(page.substr(4, static_cast<std::size_t>(std::min<std::uint64_t>(
                                     total - row_.size(), page.size() - 4))));
    }
    return {};
  }

  Input& input_;
  const SqliteHeader& header_;
  std::uint32_t pages_;
  std::vector<bool> seen_;
  std::string page_;
  std::string row_;
  Damage damage_;
};

class SqlitePages : public SqliteDatabase {
 public:
  SqlitePages(Input& input, const SqliteHeader& header, std::uint64_t size)
      : input_(input),
        header_(header),
        pages_(static_cast<std::uint32_t>(std::min<std::uint64_t>(
            size / header.page_size, std::numeric_limits<std::uint32_t>::max() - 1))) {}

  Result<void> read_schema() {
    SqliteTable schema;
    schema.root_page = 1;
    SqliteScan scan;
    scan.table = &schema;
    scan.columns = {0, 1, 3, 4};
    scan.row = [this](SqliteRow row) {
      auto table = parse_sqlite_schema(row[0].as_text(), row[1].as_text(), row[2].as_integer(),
                                       row[3].as_text());
      if (table) tables_.push_back(std::move(*table));
    };
    return scan_group({std::move(scan)});
  }

  Result<void> scan(std::span<const SqliteScans> groups) override {
    std::vector<PageWalk> walks(groups.size(), PageWalk(input_, header_, pages_));
    std::vector<Result<void>> results(groups.size());
    const auto read = [&](std::size_t i) { results[i] = walks[i].read(groups[i]); };
    if (pages_ >= kPagesForThreads) {
      for_each_index(groups.size(), read);
    } else {
      for (std::size_t i = 0; i < groups.size(); ++i) read(i);
    }
    for (const PageWalk& walk : walks) damage_.add(walk.damage());
    for (Result<void>& result : results) RETURN_IF_ERROR(std::move(result));
    return {};
  }

  std::vector<Note> notes() const override {
    std::vector<Note> notes;
    if (header_.pages > pages_) {
      notes.push_back({NoteKind::kLoss, fmt::format("page {}", pages_ + 1),
                       fmt::format("the file is cut: it has {} of {} pages", pages_, header_.pages),
                       header_.pages - pages_});
    }
    if (damage_.pages > 0) {
      notes.push_back({NoteKind::kLoss, fmt::format("page {}", damage_.first_page),
                       "pages are damaged, missing or in two places at once", damage_.pages});
    }
    if (damage_.rows > 0) {
      notes.push_back({NoteKind::kLoss, "", "rows are damaged", damage_.rows});
    }
    return notes;
  }

 private:
  Input& input_;
  SqliteHeader header_;
  std::uint32_t pages_;  // that are there whole
  Damage damage_;
};

}  // namespace

Result<SqliteHeader> read_sqlite_header(Input& input) {
  std::array<char, kHeaderBytes> bytes{};
  ASSIGN_OR_RETURN(const std::size_t got, input.read_at(0, bytes.data(), bytes.size()));
  const std::string_view text(bytes.data(), got);
  if (got < bytes.size() || !text.starts_with(kSqliteMagic)) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: not a whole SQLite database: its first 100 bytes are missing or "
                            "damaged",
                            quote(input.name())));
  }
  SqliteHeader header;
  header.page_size = static_cast<std::uint32_t>(big_endian(text, 16, 2));
  if (header.page_size == 1) header.page_size = 1U << 16U;
  const auto reserved = static_cast<std::uint8_t>(text[20]);
  if (!std::has_single_bit(header.page_size) || header.page_size < 512 ||
      header.page_size < reserved + 480U) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: SQLite database with a damaged header: pages of {} bytes, {} of "
                            "them reserved",
                            quote(input.name()), header.page_size, reserved));
  }
  header.usable_size = header.page_size - reserved;
  // The number of pages counts only where the same writer set it who wrote last.
  if (big_endian(text, 24, 4) == big_endian(text, 92, 4)) {
    header.pages = static_cast<std::uint32_t>(big_endian(text, 28, 4));
  }
  constexpr std::uint64_t kUtf8 = 1;
  const std::uint64_t encoding = big_endian(text, 56, 4);
  header.can_be_walked = text[18] == 1 && text[19] == 1 && (encoding == kUtf8 || encoding == 0);
  return header;
}

Result<std::unique_ptr<SqliteDatabase>> open_sqlite_pages(Input& input, const SqliteHeader& header,
                                                          std::uint64_t size) {
  auto pages = std::make_unique<SqlitePages>(input, header, size);
  RETURN_IF_ERROR(pages->read_schema());
  return pages;
}

}  // namespace proofline
