#include "cpu/run/shuffled_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/walker.hpp"

namespace dmlindex::cpu {
namespace {

constexpr std::int64_t kMostPieceBytes = kCacheLineBytes;

// Controls that L1 holds beside what is moved.
constexpr std::int64_t kMostControlBytes = 16 << 10;

// Rows that are taken together, so that few pieces cover some of the one before.
std::int64_t group_rows(std::int64_t row_bytes) noexcept {
    constexpr std::int64_t kPieces = 8;
    return (kPieces * kernels().shuffle_bytes + row_bytes - 1) / row_bytes;
}

// The shuffle of a group of rows, for kernels with pieces of so many bytes.
class GroupShuffle {
  public:
    // rows: as many as there are.
    GroupShuffle(const Block& row, std::int64_t table_stride, std::int64_t rows) noexcept
        : row_(row),
          row_bytes_(row.count * row.slice_bytes),
          table_stride_(table_stride),
          rows_(std::min(group_rows(row_bytes_), rows)) {}

    // What the group's rows span, outside of which no load may read: it takes as many rows as span
    // a piece. False if they cannot, or a position is skipped.
    bool find_span() noexcept {
        std::int64_t first = row_.offsets[0];
        std::int64_t last = first;
        for (std::int64_t i = 1; i < row_.count; ++i) {
            first = std::min(first, row_.offsets[i]);
            last = std::max(last, row_.offsets[i]);
        }
        if (first == kSkipped) return false;
        const std::int64_t row_span = last - first + row_.slice_bytes;
        const std::int64_t step = std::abs(table_stride_);
        if (step > 0 && row_span + (rows_ - 1) * step < piece_bytes_)
            rows_ = (piece_bytes_ - row_span + step - 1) / step + 1;
        const std::int64_t reach = (rows_ - 1) * table_stride_;
        lowest_ = first + std::min<std::int64_t>(0, reach);
        highest_ = last + row_.slice_bytes + std::max<std::int64_t>(0, reach);
        return rows_ * row_bytes_ >= piece_bytes_ && highest_ - lowest_ >= piece_bytes_ &&
               highest_ - lowest_ <= INT32_MAX;
    }

    // Works it out with as few loads a piece as do, or tells that it takes more. Of most rows that
    // do, the first piece does.
    bool find(int most_loads) noexcept {
        loads_ = most_loads;
        if (!find_piece(0, from_, controls_)) return false;
        for (int loads = 1; loads <= most_loads; ++loads) {
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
        switch (row_.slice_bytes) {
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

    // The same word by word: slices, or else bytes. In loops that become vectors, if GCC does not
    // unroll them before.
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
    std::int64_t rows_;  // of a group
    // The lowest byte that a group reads, and the first behind the last one.
    std::int64_t lowest_ = 0;
    std::int64_t highest_ = 0;
    int loads_ = 0;
    std::int32_t from_[kMostControlBytes / 16];
    alignas(kCacheLineBytes) std::byte controls_[kMostControlBytes];
};

// To find a byte of a shuffle, with all its loads, takes as long as to move so many elements.
constexpr std::int64_t kElementsAByte = 16;

// Loads a piece for which so many groups take less time than element by element.
int most_loads(const Block& row, std::int64_t groups) noexcept {
    const std::int64_t elements = kernels().shuffle_bytes / row.slice_bytes;
    if (kernels().shuffle_bytes >= kCacheLineBytes) {
        const bool are_many = groups >= kElementsAByte * row.slice_bytes;
        return are_many
                   ? static_cast<int>(std::min<std::int64_t>(elements / 4, Shuffle::kMostLoads))
                   : 0;
    }
    // For short pieces each load counts; half as many groups do for short rows.
    constexpr std::int64_t kFewPositions = 256;
    const std::int64_t elements_a_byte =
        row.count <= kFewPositions ? kElementsAByte / 2 : kElementsAByte;
    return static_cast<int>(std::min({elements / 2, groups / (elements_a_byte * row.slice_bytes),
                                      std::int64_t{Shuffle::kMostLoads}}));
}

}  // namespace

bool move_shuffled_rows(const Job& job, const Partition& parts, const Block& row) noexcept {
    const Dim& rows = job.dims[parts.before - 1];
    const std::int64_t row_bytes = row.count * row.slice_bytes;
    if (kernels().shuffle == nullptr || job.direction != Direction::kGather ||
        row.slice_bytes > kElementBytes || row.item_stride != row.slice_bytes ||
        rows.item_stride != row_bytes || row_bytes > kMostControlBytes) {
        return false;
    }
    GroupShuffle group(row, rows.table_stride, rows.size);
    const auto pays_with = [&] { return most_loads(row, parts.free_count / group.rows()); };
    if (pays_with() == 0 || !group.find_span() || group.rows() > rows.size ||
        !group.find(pays_with())) {
        return false;
    }
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
    const std::int64_t rows = group_rows(row_bytes);
    return kernels().shuffle_bytes == kCacheLineBytes && row_bytes <= kMostRowBytes &&
           job.coordinates[0].limit * job.slice_bytes <= kMostTableBytes &&
           job.dims[parts.before - 1].item_stride == row_bytes &&
           job.dims[parts.before - 1].size >= rows &&
           parts.free_count >= kElementsAByte * job.slice_bytes * rows;
}

}  // namespace dmlindex::cpu
