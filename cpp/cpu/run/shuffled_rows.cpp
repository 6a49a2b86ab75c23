#include "cpu/run/shuffled_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

// Controls that L1 holds beside what is moved.
constexpr std::int64_t kMostControlBytes = 16 << 10;

// What to shuffle takes beside elements moved one by one, as many as take so long: to find a piece
// and each word of its controls, and to move a piece, for each load that it takes.
constexpr std::int64_t kElementsFound = 24;
constexpr std::int64_t kElementsAWord = 8;
constexpr double kElementsAPiece = 1.5;
constexpr double kElementsALongPiece = 2.5;
constexpr std::int64_t kElementsACall = 32;  // of the kernel, for rows that follow each other

// A slice's words: of the control bytes of each, the first tells the others.
std::int64_t word_bytes(std::int64_t slice_bytes) noexcept {
    return std::min<std::int64_t>(slice_bytes & -slice_bytes, sizeof(std::uint64_t));
}

// No piece that is full of rows takes fewer loads, each of which holds words of so many rows at
// most.
int least_loads(std::int64_t row_bytes, std::int64_t word, std::int64_t table_stride) noexcept {
    const std::int64_t piece_bytes = kernels().shuffle_bytes;
    const std::int64_t rows = std::max<std::int64_t>(piece_bytes / row_bytes, 1);
    const std::int64_t step = std::abs(table_stride);
    if (step == 0) return 1;
    const std::int64_t rows_of_a_load = (piece_bytes - word) / step + 1;
    return static_cast<int>((rows + rows_of_a_load - 1) / rows_of_a_load);
}

// A group reads a piece or more, as no load may read outside of what it spans. So many rows do, of
// which each spans so much; 0 if none do.
std::int64_t rows_of_a_piece(std::int64_t row_span, std::int64_t table_stride) noexcept {
    const std::int64_t left = kernels().shuffle_bytes - row_span;
    const std::int64_t step = std::abs(table_stride);
    if (left <= 0) return 1;
    return step > 0 ? (left + step - 1) / step + 1 : 0;
}

// How many rows to take together, and how long it then takes to shuffle all for each load that a
// piece takes, in elements. Many rows have few pieces that cover some of the one before; few are
// found soon.
struct Grouping {
    std::int64_t rows = 0;  // none, where there are too few to fill a piece
    double load_cost = std::numeric_limits<double>::infinity();
};

// least: so many rows at least.
Grouping best_grouping(std::int64_t row_bytes, std::int64_t word, std::int64_t least,
                       std::int64_t rows, std::int64_t times) noexcept {
    constexpr std::int64_t kMostPieces = 8;
    const std::int64_t piece_bytes = kernels().shuffle_bytes;
    const double to_move = piece_bytes < kCacheLineBytes ? kElementsAPiece : kElementsALongPiece;
    const auto to_find = static_cast<double>(kElementsFound + piece_bytes / word * kElementsAWord);
    least = std::max(least, (piece_bytes + row_bytes - 1) / row_bytes);
    if (rows < least) return {};
    Grouping best;
    for (std::int64_t pieces = 1; pieces <= kMostPieces; pieces *= 2) {
        const std::int64_t group = std::clamp(pieces * piece_bytes / row_bytes, least, rows);
        const std::int64_t group_pieces = (group * row_bytes + piece_bytes - 1) / piece_bytes;
        const std::int64_t groups = (rows + group - 1) / group * times;
        const double cost =
            static_cast<double>(group_pieces) * (to_find + static_cast<double>(groups) * to_move);
        if (cost < best.load_cost) best = {group, cost};
    }
    return best;
}

// The shuffle of a group of rows, for kernels with pieces of so many bytes.
class GroupShuffle {
  public:
    GroupShuffle(const Block& row, std::int64_t table_stride) noexcept
        : row_(row), row_bytes_(row.count * row.slice_bytes), table_stride_(table_stride) {
        for (std::int64_t i = 0; i < row.count; ++i) {
            first_ = std::min(first_, row.offsets[i]);
            last_ = std::max(last_, row.offsets[i]);
        }
    }

    // 0 if a position is skipped.
    std::int64_t least_rows() const noexcept {
        if (first_ == kSkipped) return 0;
        return rows_of_a_piece(last_ - first_ + row_.slice_bytes, table_stride_);
    }

    // False if the rows span too much.
    bool take_rows(std::int64_t rows) noexcept {
        rows_ = rows;
        const std::int64_t reach = (rows_ - 1) * table_stride_;
        lowest_ = first_ + std::min<std::int64_t>(0, reach);
        highest_ = last_ + row_.slice_bytes + std::max<std::int64_t>(0, reach);
        return highest_ - lowest_ <= INT32_MAX;
    }

    // Works it out with as few loads a piece as do, or tells that it takes more. Of most rows that
    // do, the first piece does.
    bool find(int fewest, int most_loads) noexcept {
        loads_ = most_loads;
        if (!find_piece(0, from_, controls_)) return false;
        for (int loads = fewest; loads <= most_loads; ++loads) {
            if ((rows_ * row_bytes_ + piece_bytes_) * loads > kMostControlBytes) return false;
            if (find_with(loads)) return true;
        }
        return false;
    }

    std::int64_t rows() const noexcept { return rows_; }
    Shuffle shuffle() const noexcept { return {from_, controls_, loads_, rows_ * row_bytes_}; }
    std::int64_t lowest() const noexcept { return lowest_; }

  private:
    bool find_with(int loads) noexcept {
        loads_ = loads;
        const std::int64_t last = rows_ * row_bytes_ - piece_bytes_;
        std::int32_t* from = from_;
        std::byte* control = controls_;
        for (std::int64_t at = 0;; at += piece_bytes_) {
            if (!find_piece(std::min(at, last), from, control)) return false;
            if (at >= last) return true;
            from += loads;
            control += loads * piece_bytes_;
        }
    }

    // The loads of the piece that begins at a byte of the group's items.
    bool find_piece(std::int64_t at, std::int32_t* from, std::byte* control) const noexcept {
        switch (word_bytes(row_.slice_bytes)) {
            case 2:
                return find_piece_of<std::uint16_t>(at, from, control);
            case 4:
                return find_piece_of<std::uint32_t>(at, from, control);
            case 8:
                return find_piece_of<std::uint64_t>(at, from, control);
            default:
                return find_piece_of<std::uint8_t>(at, from, control);
        }
    }

    template <class Word>
    bool find_piece_of(std::int64_t at, std::int32_t* from, std::byte* control) const noexcept {
        return piece_bytes_ == kCacheLineBytes
                   ? find_words<kCacheLineBytes, Word>(at, from, control)
                   : find_words<16, Word>(at, from, control);
    }

    // The same word by word. In loops that become vectors, if GCC does not unroll them before.
    template <std::int32_t kBytes, class Word>
    bool find_words(std::int64_t at, std::int32_t* from, std::byte* control) const noexcept {
        constexpr std::int32_t kWords = kBytes / sizeof(Word);
        constexpr std::int32_t kFound = INT32_MAX;  // further than any from the first
        constexpr Word kEach = static_cast<Word>(0x0101'0101'0101'0101U);
        constexpr Word kBytesInOrder = static_cast<Word>(0x0706'0504'0302'0100U);
        constexpr Word kNone = static_cast<Word>(kEach * static_cast<Word>(Shuffle::kNoByte));
        std::int32_t sources[kWords + kElementBytes];
        write_sources<kWords>(at, sources);
        const auto lowest_left = [&](std::int32_t lowest) {
#pragma GCC unroll 1
            for (std::int32_t w = 0; w < kWords; ++w) lowest = std::min(lowest, sources[w]);
            return lowest;
        };
        const auto last = static_cast<std::int32_t>(highest_ - lowest_) - kBytes;
        for (int load = 0; load < loads_; ++load, control += kBytes) {
            const std::int32_t first = lowest_left(last);
            from[load] = first;
            Word picks[kWords];
#pragma GCC unroll 1
            for (std::int32_t w = 0; w < kWords; ++w) {
                const std::int32_t byte = sources[w] - first;
                const bool is_here = byte <= kBytes - static_cast<std::int32_t>(sizeof(Word));
                const auto pick =
                    static_cast<Word>(static_cast<Word>(byte) * kEach + kBytesInOrder);
                picks[w] = is_here ? pick : kNone;
                sources[w] = is_here ? kFound : sources[w];
            }
            std::memcpy(control, picks, kBytes);
        }
        return lowest_left(kFound) == kFound;
    }

    // Where behind the lowest byte each word of a piece is, and perhaps some behind them.
    template <std::int32_t kWords>
    void write_sources(std::int64_t at, std::int32_t* sources) const noexcept {
        const std::int64_t word_bytes = piece_bytes_ / kWords;
        std::int64_t table = at / row_bytes_ * table_stride_ - lowest_;
        std::int64_t position = at % row_bytes_ / row_.slice_bytes;
        std::int64_t byte = at % row_.slice_bytes;
        for (const std::int32_t* const end = sources + kWords; sources < end; byte = 0) {
            const auto slice = static_cast<std::int32_t>(table + row_.offsets[position]);
            for (; byte < row_.slice_bytes; byte += word_bytes)
                *sources++ = slice + static_cast<std::int32_t>(byte);
            if (++position < row_.count) continue;
            position = 0;
            table += table_stride_;
        }
    }

    const Block& row_;
    const std::int64_t piece_bytes_ = kernels().shuffle_bytes;
    const std::int64_t row_bytes_;
    const std::int64_t table_stride_;
    std::int64_t first_ = INT64_MAX;  // the row's lowest offset, and its highest
    std::int64_t last_ = INT64_MIN;
    std::int64_t rows_ = 0;  // of a group
    // The lowest byte that a group reads, and the first behind the last one.
    std::int64_t lowest_ = 0;
    std::int64_t highest_ = 0;
    int loads_ = 0;
    std::int32_t from_[kMostControlBytes / 16];
    alignas(kCacheLineBytes) std::byte controls_[kMostControlBytes];
};

}  // namespace

bool move_shuffled_rows(const Job& job, const Partition& parts, const Block& row) noexcept {
    const Dim& rows = job.dims[parts.before - 1];
    const std::int64_t row_bytes = row.count * row.slice_bytes;
    if (kernels().shuffle == nullptr || job.direction != Direction::kGather ||
        row.slice_bytes > kElementBytes || row.item_stride != row.slice_bytes ||
        rows.item_stride != row_bytes || row_bytes > kMostControlBytes) {
        return false;
    }
    // In so many elements' time a shuffle of all rows has to be found and done.
    const std::int64_t times = parts.free_count / rows.size;
    const std::int64_t elements = parts.free_count * row.count - times * kElementsACall;
    const std::int64_t word = word_bytes(row.slice_bytes);
    const int fewest = least_loads(row_bytes, word, rows.table_stride);
    if (elements < fewest * (kernels().shuffle_bytes / word) * kElementsAWord) return false;
    GroupShuffle group(row, rows.table_stride);
    const std::int64_t least = group.least_rows();
    if (least == 0) return false;
    const Grouping grouping = best_grouping(row_bytes, word, least, rows.size, times);
    const auto loads = static_cast<int>(
        std::min<double>(static_cast<double>(elements) / grouping.load_cost, Shuffle::kMostLoads));
    if (loads < fewest || !group.take_rows(grouping.rows) || !group.find(fewest, loads))
        return false;
    const Shuffle shuffle = group.shuffle();
    const std::int64_t groups = rows.size / group.rows();
    const std::int64_t group_stride = group.rows() * rows.table_stride;
    for (PositionWalker walker(job.dims, parts.before - 1, 0); !walker.at_end();
         walker.advance(1)) {
        const std::byte* table = row.table + walker.table_offset() + group.lowest();
        std::byte* items = row.items + walker.item_offset();
        kernels().shuffle(shuffle, groups, table, group_stride, items);
        // The last rows once more, with some before them.
        const std::int64_t left = rows.size - groups * group.rows();
        if (left == 0) continue;
        const std::int64_t first = rows.size - group.rows();
        kernels().shuffle(shuffle, 1, table + first * rows.table_stride, 0,
                          items + first * rows.item_stride);
    }
    return true;
}

bool shuffles_short_rows(const Job& job, const Partition& parts) noexcept {
    // Whatever the indices are, a piece's loads hold these of two rows.
    constexpr std::int64_t kMostTableBytes = 2 * kCacheLineBytes;
    constexpr std::int64_t kMostRowBytes = 4 * kCacheLineBytes;
    const std::int64_t row_bytes = parts.positions * job.slice_bytes;
    const std::int64_t table_bytes = job.coordinates[0].limit * job.slice_bytes;
    const Dim& rows = job.dims[parts.before - 1];
    if (kernels().shuffle_bytes < kCacheLineBytes || row_bytes > kMostRowBytes ||
        table_bytes > kMostTableBytes || rows.item_stride != row_bytes) {
        return false;
    }
    const std::int64_t least = rows_of_a_piece(table_bytes, rows.table_stride);
    if (least == 0) return false;
    const Grouping grouping = best_grouping(row_bytes, word_bytes(job.slice_bytes), least,
                                            rows.size, parts.free_count / rows.size);
    return static_cast<double>(parts.free_count * parts.positions) >=
           grouping.load_cost * Shuffle::kMostLoads;
}

}  // namespace dmlindex::cpu
