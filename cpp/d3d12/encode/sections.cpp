#include "d3d12/encode/sections.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kViewAlignment = kPieceBytes;

Span cut(const Span& span, std::int64_t begin, std::int64_t bytes) noexcept {
    Span part = span;
    part.offset += static_cast<std::uint64_t>(begin);
    part.bytes = std::min(span.bytes - static_cast<std::uint64_t>(begin),
                          static_cast<std::uint64_t>(round_up(bytes, kViewAlignment)));
    return part;
}

// `size` places of the outermost dim, from `first` on.
Section cut(const Section& whole, std::int64_t first, std::int64_t size) noexcept {
    Section part = whole;
    Plan& plan = part.plan;
    const Dim outer = plan.dims[0];
    plan.copies_source = false;
    plan.dims[0].size = size;
    std::int64_t table = reached_bytes(plan);
    std::int64_t items = plan.slice_bytes;
    std::int64_t indices = index_bytes(plan.index_type);
    for (int k = 0; k < plan.coordinate_count; ++k) {
        indices =
            std::max(indices, plan.coordinates[k].index_offset + index_bytes(plan.index_type));
    }
    for (const Dim& dim : std::span(plan.dims, static_cast<std::size_t>(plan.rank))) {
        table += (dim.size - 1) * dim.table_stride;
        items += (dim.size - 1) * dim.item_stride;
        indices += (dim.size - 1) * dim.index_stride;
    }
    part.tensors.table = cut(whole.tensors.table, first * outer.table_stride, table);
    part.tensors.items = cut(whole.tensors.items, first * outer.item_stride, items);
    part.tensors.indices = cut(whole.tensors.indices, first * outer.index_stride, indices);
    if (size == 1) std::copy(plan.dims + 1, plan.dims + plan.rank--, plan.dims);
    return part;
}

}  // namespace

std::optional<std::array<Section, 2>> halves(const Section& section) noexcept {
    const Plan& plan = section.plan;
    if (plan.rank == 0 && plan.coordinate_count == 0 && plan.slice_bytes % kViewAlignment == 0 &&
        plan.slice_bytes > kViewAlignment) {  // a copy
        Section pieces = section;
        pieces.plan.rank = 1;
        pieces.plan.dims[0] = {plan.slice_bytes / kViewAlignment, kViewAlignment, kViewAlignment,
                               0};
        pieces.plan.slice_bytes = kViewAlignment;
        return halves(pieces);
    }
    if (plan.rank == 0 || plan.is_linear) return std::nullopt;  // a line has no parts
    const Dim& outer = plan.dims[0];
    std::int64_t step = 1;  // places from one where all parts are aligned to the next
    for (const std::int64_t stride : {outer.table_stride, outer.item_stride, outer.index_stride}) {
        step = std::lcm(step, kViewAlignment / std::gcd(kViewAlignment, stride));
    }
    const std::int64_t first = quotient_up(outer.size / 2, step) * step;
    if (first == 0 || first >= outer.size) return std::nullopt;
    return std::array{cut(section, 0, first), cut(section, first, outer.size - first)};
}

}  // namespace dmlindex::d3d12
