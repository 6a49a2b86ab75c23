// The meaning of a plan, spelled out.
#include <cstring>

#include "cpu/kernels/kernels.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

template <class DimType>
Sizes sizes_of(const DimType* dims, int rank) {
    Sizes sizes;
    for (int d = 0; d < rank; ++d) sizes.push_back(dims[d].size);
    return sizes;
}

// The first index that the mode gives no place, in C order of the indices.
std::optional<BadIndex> first_without_place(const Plan& plan, const std::byte* indices) {
    std::optional<BadIndex> bad;
    std::int64_t flat = 0;
    for_each_position(sizes_of(plan.index_dims, plan.index_rank), [&](const Sizes& q) {
        std::int64_t offset = 0;
        for (int d = 0; d < plan.index_rank; ++d) {
            offset += q[static_cast<std::size_t>(d)] * plan.index_dims[d].index_stride;
        }
        for (int k = 0; k < plan.coordinate_count && !bad; ++k) {
            const Coordinate& coordinate = plan.coordinates[k];
            const std::uint64_t bits =
                index_bits(indices + offset + coordinate.index_offset, plan.index_type);
            if (!place_of(bits, plan.index_type, plan.mode, coordinate.limit)) {
                bad = BadIndex{flat, k, bits};
            }
        }
        ++flat;
    });
    return bad;
}

void copy_source(const Plan& plan, const cpu::Buffers& buffers) {
    for_each_position(sizes_of(plan.copy_dims, plan.copy_rank), [&](const Sizes& p) {
        std::int64_t to = 0;
        std::int64_t from = 0;
        for (int d = 0; d < plan.copy_rank; ++d) {
            to += p[static_cast<std::size_t>(d)] * plan.copy_dims[d].table_stride;
            from += p[static_cast<std::size_t>(d)] * plan.copy_dims[d].source_stride;
        }
        std::memcpy(buffers.table + to, buffers.source + from,
                    static_cast<std::size_t>(plan.copy_bytes));
    });
}

// Where the position's slice is in the table; nothing if an index has no place.
std::optional<std::int64_t> table_offset(const Plan& plan, const std::byte* indices,
                                         const Sizes& p) {
    std::int64_t table = 0;
    std::int64_t tuple = 0;
    for (int d = 0; d < plan.rank; ++d) {
        table += p[static_cast<std::size_t>(d)] * plan.dims[d].table_stride;
        tuple += p[static_cast<std::size_t>(d)] * plan.dims[d].index_stride;
    }
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const Coordinate& coordinate = plan.coordinates[k];
        const std::uint64_t bits =
            index_bits(indices + tuple + coordinate.index_offset, plan.index_type);
        const auto place = place_of(bits, plan.index_type, plan.mode, coordinate.limit);
        if (!place) return std::nullopt;
        table += *place * coordinate.table_stride;
    }
    return table;
}

void fill_slice(const Plan& plan, std::byte* item) {
    for (std::int64_t s = 0; s < plan.slice_bytes; ++s) {
        item[s] = plan.fill == nullptr ? std::byte{0} : plan.fill[s % plan.element_bytes];
    }
}

void reduce_slice(const Plan& plan, std::byte* target, std::byte* item) {
    static const cpu::Kernels scalar = cpu::kernels_of("scalar");
    const auto reduce =
        scalar.reduce[static_cast<int>(plan.value_type)][static_cast<int>(plan.reduction)];
    const std::int64_t bytes = plan.element_bytes;
    const std::int64_t here = 0;
    for (std::int64_t s = 0; s < plan.slice_bytes; s += bytes) {
        reduce({target + s, &here, 1, item + s, 0, bytes, bytes, false, nullptr, plan.byte_table});
    }
}

}  // namespace

std::optional<std::int64_t> place_of(std::uint64_t bits, IndexType type, Mode mode,
                                     std::int64_t limit) {
    __extension__ using Wide = __int128;  // so that nothing here can overflow
    const Wide value = is_signed(type) ? Wide{static_cast<std::int64_t>(bits)} : Wide{bits};
    const Wide least = is_signed(type) ? -Wide{limit} : 0;
    if (value >= least && value < limit) {
        return static_cast<std::int64_t>(value < 0 ? value + limit : value);
    }
    if (limit == 0) return std::nullopt;
    if (mode == Mode::kClamp) return value < 0 ? 0 : limit - 1;
    if (mode == Mode::kWrap) return static_cast<std::int64_t>((value % limit + limit) % limit);
    return std::nullopt;
}

std::optional<BadIndex> run_by_formula(const Plan& plan, const cpu::Buffers& buffers) {
    if (plan.mode != Mode::kSkip) {
        if (const auto bad = first_without_place(plan, buffers.indices)) return bad;
    }
    if (plan.copies_source) copy_source(plan, buffers);
    for_each_position(sizes_of(plan.dims, plan.rank), [&](const Sizes& p) {
        std::byte* item = buffers.items;
        for (int d = 0; d < plan.rank; ++d) {
            item += p[static_cast<std::size_t>(d)] * plan.dims[d].item_stride;
        }
        const auto bytes = static_cast<std::size_t>(plan.slice_bytes);
        const auto offset = table_offset(plan, buffers.indices, p);
        if (plan.direction == Direction::kScatter) {
            if (!offset) return;
            std::byte* const target = buffers.table + *offset;
            if (plan.reduction != Reduction::kNone) return reduce_slice(plan, target, item);
            std::memcpy(target, item, bytes);
        } else if (offset) {
            std::memcpy(item, buffers.table + *offset, bytes);
        } else {
            fill_slice(plan, item);
        }
    });
    return std::nullopt;
}

}  // namespace dmlindex::test
