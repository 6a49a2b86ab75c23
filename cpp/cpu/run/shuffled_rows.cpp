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

    // Works it out with as few loads a piece as do, or tells that it takes more. Of most rows that
    // do, the first piece does.
    bool find(int most_loads) noexcept {
        loads_ = most_loads;
        if (!find_piece(0, from_, controls_) || !find_span()) return false;
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
        std::int64_t sources[kMostPieceBytes];
        bool is_found[kMostPieceBytes] = {};
        write_sources(at, sources);
        std::int64_t left = piece_bytes_;
        std::memset(control, static_cast<int>(Shuffle::kNoByte),
                    static_cast<std::size_t>(loads_ * piece_bytes_));
        for (int load = 0; load < loads_; ++load, control += piece_bytes_) {
            std::int64_t first = highest_;
            for (std::int64_t b = 0; b < piece_bytes_; ++b)
                first = is_found[b] ? first : std::min(first, sources[b]);
            first = std::min(first, highest_ - piece_bytes_);
            from[load] = static_cast<std::int32_t>(first - lowest_);
            for (std::int64_t b = 0; b < piece_bytes_; ++b) {
                if (is_found[b] || sources[b] >= first + piece_bytes_) continue;
                control[b] = static_cast<std::byte>(sources[b] - first);
                is_found[b] = true;
                --left;
            }
        }
        return left == 0;
    }

    // Where in the table each of the piece's bytes is.
    void write_sources(std::int64_t at, std::int64_t* sources) const noexcept {
        std::int64_t table = at / row_bytes_ * table_stride_;
        std::int64_t position = at % row_bytes_ / row_.slice_bytes;
        std::int64_t byte = at % row_.slice_bytes;
        for (std::int64_t b = 0; b < piece_bytes_; ++b) {
            sources[b] = table + row_.offsets[position] + byte;
            if (++byte < row_.slice_bytes) continue;
            byte = 0;
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
    std::int64_t highest_ = INT64_MAX;
    int loads_ = 0;
    std::int32_t from_[kMostControlBytes / 16];
    alignas(kCacheLineBytes) std::byte controls_[kMostControlBytes];
};

// Loads a piece for which it takes less time than element by element.
int most_loads(std::int64_t slice_bytes) noexcept {
    const std::int64_t elements = kernels().shuffle_bytes / slice_bytes;
    const std::int64_t as_long = kernels().shuffle_bytes >= kCacheLineBytes ? 4 : 2;
    return static_cast<int>(std::min<std::int64_t>(elements / as_long, Shuffle::kMostLoads));
}

// Groups from which on it pays to find their shuffle: to find a byte of it takes as long as to move
// so many elements.
std::int64_t many_times(std::int64_t slice_bytes) noexcept {
    constexpr std::int64_t kElementsAByte = 16;
    return kElementsAByte * slice_bytes;
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
    const auto are_many = [&] {
        return parts.free_count >= group.rows() * many_times(row.slice_bytes);
    };
    if (!are_many() || !group.find(most_loads(row.slice_bytes)) || group.rows() > rows.size ||
        !are_many()) {
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
           parts.free_count >= many_times(job.slice_bytes) * rows;
}

}  // namespace dmlindex::cpu
