#include "cpu/run/bad_index.hpp"

#include <cstring>

namespace dmlindex::cpu {
namespace {

template <class Index>
std::uint64_t load_extended(const std::byte* from) noexcept {
    Index index;
    std::memcpy(&index, from, sizeof index);
    return static_cast<std::uint64_t>(index);  // sign-extends the signed types
}

std::uint64_t load_index(IndexType type, const std::byte* from) noexcept {
    switch (type) {
        case IndexType::kInt8:
            return load_extended<std::int8_t>(from);
        case IndexType::kUint8:
            return load_extended<std::uint8_t>(from);
        case IndexType::kInt16:
            return load_extended<std::int16_t>(from);
        case IndexType::kUint16:
            return load_extended<std::uint16_t>(from);
        case IndexType::kInt32:
            return load_extended<std::int32_t>(from);
        case IndexType::kUint32:
            return load_extended<std::uint32_t>(from);
        case IndexType::kInt64:
            return load_extended<std::int64_t>(from);
        case IndexType::kUint64:
            return load_extended<std::uint64_t>(from);
    }
    return 0;
}

bool has_place(Mode mode, IndexType type, std::uint64_t bits, std::int64_t limit) noexcept {
    if (mode == Mode::kClamp || mode == Mode::kWrap) return limit > 0;
    if (is_signed(type)) {
        const auto value = static_cast<std::int64_t>(bits);
        return value >= -limit && value < limit;
    }
    return bits < static_cast<std::uint64_t>(limit);
}

}  // namespace

std::optional<BadIndex> first_bad_index(const Plan& plan, const std::byte* indices) noexcept {
    std::int64_t counter[kMaxDims] = {};
    std::int64_t steps[kMaxDims];  // in positions
    std::int64_t step = 1;
    for (int d = plan.index_rank - 1; d >= 0; --d) {
        steps[d] = step;
        step *= plan.index_dims[d].size;
    }
    std::int64_t offset = 0;
    for (std::int64_t position = 0;;) {
        for (int k = 0; k < plan.coordinate_count; ++k) {
            const Coordinate& coordinate = plan.coordinates[k];
            const std::uint64_t bits =
                load_index(plan.index_type, indices + offset + coordinate.index_offset);
            if (!has_place(plan.mode, plan.index_type, bits, coordinate.limit)) {
                return BadIndex{position, k, bits};
            }
        }
        int d = plan.index_rank - 1;
        for (; d >= 0; --d) {
            const auto& dim = plan.index_dims[d];
            if (dim.index_stride == 0) continue;  // the same indices over again
            offset += dim.index_stride;
            position += steps[d];
            if (++counter[d] < dim.size) break;
            offset -= dim.size * dim.index_stride;
            position -= dim.size * steps[d];
            counter[d] = 0;
        }
        if (d < 0) return std::nullopt;
    }
}

}  // namespace dmlindex::cpu
