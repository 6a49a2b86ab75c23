#include "cpu/run/packed_table.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/copy_source.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Fewer positions take less time than it takes to see how to copy the table.
constexpr std::int64_t kFewPositions = 512;

// What pays for the copy: that each of its slices is read so often and some of them follow each
// other then, as one; or that each is read very often, and kernels for packed tables may do it.
constexpr std::int64_t kReads = 2;
constexpr std::int64_t kSlicesAsOne = 4;
constexpr std::int64_t kManyReads = 16;

// The dim before which the coordinates' axes stand in the table: the first that moves in the
// indices alone.
int first_of_indices(const Plan& plan) noexcept {
    const Dim* const last = plan.dims + plan.rank;
    return static_cast<int>(std::find_if(plan.dims, last,
                                         [](const Dim& dim) {
                                             return dim.table_stride == 0 && dim.index_stride != 0;
                                         }) -
                            plan.dims);
}

// Calls visit(size, stride) for the table's axes, the innermost one first.
template <class AnyPlan, class Visit>
void each_axis(AnyPlan& plan, Visit visit) noexcept {
    int d = plan.rank;
    const auto dims_down_to = [&](int end) {
        while (d > end) {
            auto& dim = plan.dims[--d];
            if (dim.table_stride != 0) visit(dim.size, dim.table_stride);
        }
    };
    dims_down_to(first_of_indices(plan));
    for (int k = plan.coordinate_count - 1; k >= 0; --k)
        visit(plan.coordinates[k].limit, plan.coordinates[k].table_stride);
    dims_down_to(0);
}

// How many slices follow each other as one, in a packed table and in the items: along the dims
// behind the indices'.
std::int64_t slices_as_one(const Plan& plan) noexcept {
    std::int64_t slices = 1;
    const int first = first_of_indices(plan);
    for (int d = plan.rank - 1; d > first; --d) {
        const Dim& dim = plan.dims[d];
        if (dim.index_stride != 0 || dim.table_stride == 0 ||
            dim.item_stride != slices * plan.slice_bytes) {
            break;
        }
        slices *= dim.size;
    }
    return slices;
}

// The slices of a table that is worth a copy; 0 of any other.
std::int64_t slices_to_copy(const Plan& plan) noexcept {
    const std::int64_t positions = position_count(plan);
    if (plan.direction != Direction::kGather || positions < kFewPositions ||
        plan.slice_bytes > kCacheLineBytes) {
        return 0;
    }
    const std::int64_t most =
        positions / (slices_as_one(plan) >= kSlicesAsOne ? kReads : kManyReads);
    std::int64_t slices = 1;
    bool is_packed = true;
    each_axis(plan, [&](std::int64_t size, std::int64_t stride) {
        is_packed = is_packed && stride == slices * plan.slice_bytes;
        slices = size == 0 || size > most / slices ? most + 1 : slices * size;
    });
    return is_packed || slices > most ? 0 : slices;
}

// Gives the table packed strides, and the copy that leads there.
void pack(Plan& plan) noexcept {
    std::int64_t bytes = plan.slice_bytes;
    plan.copies_source = true;
    plan.copy_bytes = plan.slice_bytes;
    plan.copy_rank = 0;
    each_axis(plan, [&](std::int64_t size, std::int64_t& stride) {
        plan.copy_dims[plan.copy_rank++] = {size, bytes, stride};
        stride = bytes;
        bytes *= size;
    });
    std::reverse(plan.copy_dims, plan.copy_dims + plan.copy_rank);
    canonicalize(plan);
}

}  // namespace

std::optional<PackedTable> pack_table(const Plan& plan, const Buffers& buffers) {
    const std::int64_t slices = slices_to_copy(plan);
    if (slices == 0) return std::nullopt;
    std::unique_ptr<std::byte[]> own(
        new (std::nothrow) std::byte[static_cast<std::size_t>(slices * plan.slice_bytes)]);
    if (own == nullptr) return std::nullopt;
    std::optional<PackedTable> packed(
        {plan, {own.get(), buffers.items, buffers.indices, buffers.table}, std::move(own)});
    pack(packed->plan);
    copy_source(packed->plan, packed->buffers);
    packed->plan.copies_source = false;
    return packed;
}

}  // namespace dmlindex::cpu
