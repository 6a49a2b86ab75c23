#include "cpu/run/tuples.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/moves.hpp"
#include "cpu/run/copy_source.hpp"
#include "cpu/run/job.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Their places fit L1, and those that are looked up before they are asked for are few.
constexpr std::int64_t kPiecePositions = 2048;

// What flatten writes has been checked, but nothing holds an index to it if somebody else writes
// there meanwhile: so it is clamped, or checked, once more where it is read, which costs nothing.
constexpr int kPlace = static_cast<int>(IndexType::kUint32);

// Whether tuples name places of a packed table, in any order of its axes, that are not too many.
// Look-ups read what lies between an axis's places, too.
bool name_places(const Plan& plan) noexcept {
    constexpr std::int64_t kMostPlaces = std::int64_t{1} << 30;
    const Coordinate* const first = plan.coordinates;
    const Coordinate* const last = first + plan.coordinate_count;
    std::int64_t places = 1;
    int left = plan.coordinate_count;
    for (const Coordinate* axis = first; axis != last; ++axis) {
        if (axis->limit < 1 || axis->index_offset != (axis - first) * index_bytes(plan.index_type))
            return false;
        if (axis->limit == 1) --left;
    }
    while (left > 0) {
        const Coordinate* const next = std::find_if(first, last, [&](const Coordinate& axis) {
            return axis.limit > 1 && axis.table_stride == places * plan.slice_bytes;
        });
        if (next == last || next->limit >= kMostPlaces) return false;
        places *= next->limit;
        if (places >= kMostPlaces) return false;
        --left;
    }
    return true;
}

// Whether a plan moves packed rows of elements by packed tuples.
bool are_packed(const Plan& plan) noexcept {
    if (plan.rank == 0 || slice_class(plan.slice_bytes) >= kElementClasses) return false;
    const Dim& row = plan.dims[plan.rank - 1];
    return row.index_stride == plan.coordinate_count * index_bytes(plan.index_type) &&
           row.table_stride == 0 && row.item_stride == plan.slice_bytes;
}

}  // namespace

FlattenKernel flatten_for(const Plan& plan) noexcept {
    const FlattenKernel kernel =
        kernels().flatten[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    const bool pays = kernel != nullptr && plan.coordinate_count > 1 &&
                      plan.coordinate_count <= kMostFlattened && are_packed(plan) &&
                      name_places(plan);
    return pays ? kernel : nullptr;
}

TupleKernels tuple_kernels_for(const Plan& plan, std::int64_t reached) noexcept {
    const FlattenKernel flatten = flatten_for(plan);
    if (flatten == nullptr) return {};
    const std::int64_t places = reached / plan.slice_bytes;
    if (plan.direction == Direction::kScatter) {
        const UpdateKernel* const updates = updates_for(kernels(), plan, places);
        if (updates == nullptr || updates[kPlace] == nullptr) return {};
        return {flatten, nullptr, updates};
    }
    const LookUpRun run{slice_class(plan.slice_bytes), places, plan.dims[plan.rank - 1].size};
    return {flatten, look_ups_for(kernels(), IndexType::kUint32, Mode::kClamp, run, reached).usual,
            nullptr};
}

Tuples::Tuples(const TupleKernels& kernels, const Coordinate* coordinates, int count,
               std::int64_t element_bytes) noexcept
    : kernels_(kernels), element_bytes_(element_bytes), axes_{}, all_{1, element_bytes, 0, 0} {
    std::copy_n(coordinates, count, axes_.begin());
    for (Coordinate& axis : axes_) axis.table_stride /= element_bytes;
    for (int k = 0; k < count; ++k) all_.limit *= coordinates[k].limit;
}

void Tuples::move(const std::uint32_t* places, std::int64_t count, std::byte* table,
                  std::byte* items, bool far) const noexcept {
    IndexRun flat{
        reinterpret_cast<const std::byte*>(places), sizeof places[0], count, 0, 0, &all_, 1};
    if (kernels_.look_up != nullptr) {
        flat.fetches_table = far;
        kernels_.look_up(flat, table, items);
    } else {
        kernels_.updates[kPlace](flat, table, items, far);
    }
}

std::int64_t Tuples::move_run(const IndexRun& run, std::byte* table, std::byte* items,
                              bool far) const noexcept {
    alignas(kCacheLineBytes) std::uint32_t places[kPiecePositions];
    for (std::int64_t moved = 0; moved < run.count;) {
        IndexRun piece = behind(run, moved);
        piece.count = std::min(piece.count, kPiecePositions);
        piece.coordinates = axes();
        const std::int64_t found = kernels_.flatten(piece, places);
        if (found > 0) move(places, found, table, items + moved * element_bytes_, far);
        moved += found;
        if (found < piece.count) return moved;
    }
    return run.count;
}

std::int64_t run_few_tuples(const Plan& plan, const Buffers& buffers, bool copies, bool far) {
    const std::int64_t reached = reached_bytes(plan);
    const TupleKernels kernels = tuple_kernels_for(plan, reached);
    if (kernels.flatten == nullptr) return 0;
    const Tuples tuples(kernels, plan.coordinates, plan.coordinate_count, plan.slice_bytes);
    const std::int64_t count = plan.dims[0].size;
    alignas(kCacheLineBytes) std::uint32_t places[kBlockPositions];
    const IndexRun run{buffers.indices, plan.dims[0].index_stride, count, 0, 0,
                       tuples.axes(),   plan.coordinate_count};
    const std::int64_t found = kernels.flatten(run, places);
    if (found == 0 || (found < count && plan.mode == Mode::kRaise)) return 0;
    if (copies) copy_source(plan, buffers);
    const bool asks = kernels.look_up != nullptr ? reached > caches().far_bytes : far;
    tuples.move(places, found, buffers.table, buffers.items, asks);
    return found;
}

}  // namespace dmlindex::cpu
