#include <algorithm>
#include <cstdlib>
#include <utility>

#include "plan/plan.hpp"

namespace dmlindex {
namespace {

// Whether the outer dim only continues the inner one, in a tensor with these strides.
bool continues(std::int64_t outer_stride, std::int64_t inner_stride, std::int64_t inner_size) {
    return outer_stride == inner_stride * inner_size;
}

bool mergeable(const Dim& outer, const Dim& inner) {
    return continues(outer.table_stride, inner.table_stride, inner.size) &&
           continues(outer.item_stride, inner.item_stride, inner.size) &&
           continues(outer.index_stride, inner.index_stride, inner.size);
}

void absorb(Dim& outer, const Dim& inner) {
    outer = {outer.size * inner.size, inner.table_stride, inner.item_stride, inner.index_stride};
}

bool in_slice(const Dim& dim, std::int64_t slice_bytes) {
    return dim.index_stride == 0 && dim.table_stride == slice_bytes &&
           dim.item_stride == slice_bytes;
}

bool mergeable(const CopyDim& outer, const CopyDim& inner) {
    return continues(outer.table_stride, inner.table_stride, inner.size) &&
           continues(outer.source_stride, inner.source_stride, inner.size);
}

void absorb(CopyDim& outer, const CopyDim& inner) {
    outer = {outer.size * inner.size, inner.table_stride, inner.source_stride};
}

bool in_slice(const CopyDim& dim, std::int64_t copy_bytes) {
    return dim.table_stride == copy_bytes && dim.source_stride == copy_bytes;
}

// Orders dims as what is written lies in memory, the outermost first; those without a stride there
// stay where they are.
template <class DimType, class Stride>
void sort_by(DimType* dims, int rank, Stride stride) {
    for (int d = 1; d < rank; ++d) {
        int at = d;
        for (int before = d - 1; before >= 0 && stride(dims[at]) != 0; --before) {
            if (stride(dims[before]) == 0) continue;
            if (stride(dims[before]) >= stride(dims[at])) break;
            std::swap(dims[before], dims[at]);
            at = before;
        }
    }
}

// A gather may go in any order. A scatter's updates that meet are those of positions without a
// stride in the table, which stay in theirs; on a line all may.
void sort_dims(Plan& plan) noexcept {
    if (plan.direction == Direction::kGather) {
        sort_by(plan.dims, plan.rank, [](const Dim& dim) { return std::abs(dim.item_stride); });
    } else if (!plan.is_linear) {
        sort_by(plan.dims, plan.rank, [](const Dim& dim) { return std::abs(dim.table_stride); });
    }
    sort_by(plan.copy_dims, plan.copy_rank,
            [](const CopyDim& dim) { return std::abs(dim.table_stride); });
}

// Works in place: what is kept never overtakes what is read.
template <class DimType>
int simplify(DimType* dims, int rank, std::int64_t& contiguous_bytes) {
    int kept = 0;
    for (int d = 0; d < rank; ++d) {
        if (dims[d].size == 1) continue;
        if (kept > 0 && mergeable(dims[kept - 1], dims[d])) {
            absorb(dims[kept - 1], dims[d]);
        } else {
            if (kept != d) dims[kept] = dims[d];  // else it would wait for its own writing
            ++kept;
        }
    }
    // Merging comes first, so a contiguous tail is one dim by now. A size of 0 stays a dim: it says
    // that there are no positions.
    if (kept > 0 && dims[kept - 1].size != 0 && in_slice(dims[kept - 1], contiguous_bytes)) {
        contiguous_bytes *= dims[--kept].size;
    }
    return kept;
}

// Whether the axes have a place for whatever number the indices' type can say.
bool has_place_for_all(const Plan& plan) noexcept {
    const auto bits = 8 * index_bytes(plan.index_type) - (is_signed(plan.index_type) ? 1 : 0);
    if (bits > 32) return false;
    return std::all_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [&](const Coordinate& coordinate) { return coordinate.limit >> bits > 0; });
}

}  // namespace

void canonicalize(Plan& plan) noexcept {
    // Then no mode has anything to do, and one that checks nothing is the quickest.
    if (has_place_for_all(plan)) plan.mode = Mode::kClamp;
    sort_dims(plan);
    plan.rank = simplify(plan.dims, plan.rank, plan.slice_bytes);
    plan.copy_rank = simplify(plan.copy_dims, plan.copy_rank, plan.copy_bytes);
}

}  // namespace dmlindex
