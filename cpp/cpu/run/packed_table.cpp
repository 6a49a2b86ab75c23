#include "cpu/run/packed_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/copy_source.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

// Fewer positions take less time than it takes to see how to copy the table.
constexpr std::int64_t kFewPositions = 512;

// A slice of the table that is read so often pays for its copy.
[[maybe_unused]] constexpr std::int64_t kReads = 2;

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

// Gives the table packed strides, and copy_dims that lead there. Returns the slices it has, or 0 if
// they are its strides already.
std::int64_t pack(Plan& plan) noexcept {
    const std::int64_t slice_bytes = plan.slice_bytes;
    std::int64_t slices = 1;
    bool was_packed = true;
    plan.copy_bytes = slice_bytes;
    plan.copy_rank = 0;
    plan.copies_source = true;
    const auto place = [&](std::int64_t size, std::int64_t& stride) {
        const std::int64_t packed = slices * slice_bytes;
        was_packed = was_packed && stride == packed;
        plan.copy_dims[plan.copy_rank++] = {size, packed, stride};
        stride = packed;
        slices *= size;
    };
    const int first = first_of_indices(plan);
    int d = plan.rank;
    const auto place_dims = [&](int end) {
        while (d > end) {
            if (plan.dims[--d].table_stride != 0)
                place(plan.dims[d].size, plan.dims[d].table_stride);
        }
    };
    place_dims(first);
    for (int k = plan.coordinate_count - 1; k >= 0; --k)
        place(plan.coordinates[k].limit, plan.coordinates[k].table_stride);
    place_dims(0);
    std::reverse(plan.copy_dims, plan.copy_dims + plan.copy_rank);
    return was_packed ? 0 : slices;
}

// Without an overflow: as many as that, or more than most.
std::int64_t slices_up_to(const Plan& plan, std::int64_t most) noexcept {
    std::int64_t slices = 1;
    const auto take = [&](std::int64_t size) {
        slices = size == 0 || size > most / slices ? most + 1 : slices * size;
    };
    for (int k = 0; k < plan.coordinate_count && slices <= most; ++k)
        take(plan.coordinates[k].limit);
    for (int d = 0; d < plan.rank && slices <= most; ++d) {
        if (plan.dims[d].table_stride != 0) take(plan.dims[d].size);
    }
    return slices;
}

}  // namespace

std::optional<PackedTable> pack_table(const Plan& plan, const Buffers& buffers) {
    const std::int64_t positions = position_count(plan);
    if (plan.direction != Direction::kGather || positions < kFewPositions ||
        plan.slice_bytes > kCacheLineBytes || has_no_place(plan)) {
        return std::nullopt;
    }
    static const double reads = getenv("DMLK") != nullptr ? atof(getenv("DMLK")) : 2.0;
    const auto most = static_cast<std::int64_t>(static_cast<double>(positions) / reads);
    if (most<1||slices_up_to(plan, most) > most) return std::nullopt;
    PackedTable packed{plan, buffers, nullptr};
    const std::int64_t slices = pack(packed.plan);
    if (slices == 0) return std::nullopt;
    canonicalize(packed.plan);
    static const long grow = getenv("DMLG") != nullptr ? atol(getenv("DMLG")) : 0;
    if (packed.plan.slice_bytes < grow * plan.slice_bytes) return std::nullopt;
    packed.own.reset(new (std::nothrow)
                         std::byte[static_cast<std::size_t>(slices * plan.slice_bytes)]);
    if (packed.own == nullptr) return std::nullopt;
    packed.buffers.source = buffers.table;
    packed.buffers.table = packed.own.get();
    copy_source(packed.plan, packed.buffers);
    packed.plan.copies_source = false;
    packed.buffers.source = nullptr;
    return packed;
}

}  // namespace dmlindex::cpu
