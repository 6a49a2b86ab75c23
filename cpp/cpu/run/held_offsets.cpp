#include "cpu/run/held_offsets.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/walker.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex::cpu {

OffsetRange::OffsetRange(const Plan& plan) noexcept {
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const std::int64_t stride = plan.coordinates[k].table_stride;
        unit = std::gcd(unit, stride);
        lowest += std::min<std::int64_t>(0, (plan.coordinates[k].limit - 1) * stride);
    }
    if (unit == 0) unit = 1;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        const std::int64_t stride = plan.coordinates[k].table_stride;
        steps += (plan.coordinates[k].limit - 1) * (std::abs(stride) / unit);
    }
}

int OffsetRange::width_class() const noexcept {
    int width_class = 0;
    while (width_class < 3 && (steps >> (8 << width_class)) != 0) ++width_class;
    return width_class;
}

bool HeldOffsets::resolve(const Plan& plan, const std::byte* indices, int threads) {
    const OffsetRange range(plan);
    width_class_ = range.width_class();
    const std::int64_t width = std::int64_t{1} << width_class_;
    lowest_ = range.lowest;
    unit_.table_stride = range.unit;
    unit_.limit = range.steps + 1;

    // Only dims that move in the indices hold offsets of their own.
    Dim held_dims[kMaxDims];
    int held_rank = 0;
    std::int64_t held_count = 1;
    for (int d = plan.rank - 1; d >= 0; --d) {
        const bool held = plan.dims[d].index_stride != 0;
        strides_[d] = held ? held_count * width : 0;
        if (held) held_count *= plan.dims[d].size;
    }
    for (int d = 0; d < plan.rank; ++d) {
        const Dim& dim = plan.dims[d];
        if (strides_[d] == 0) continue;
        Dim* const before = held_rank > 0 ? held_dims + held_rank - 1 : nullptr;
        if (before != nullptr && before->index_stride == dim.size * dim.index_stride) {
            before->size *= dim.size;  // one long run
            before->index_stride = dim.index_stride;
        } else {
            held_dims[held_rank++] = {dim.size, 0, 0, dim.index_stride};
        }
    }
    packed_.reset(new std::byte[static_cast<std::size_t>(held_count * width)]);

    Coordinate in_units[kMaxDims];
    for (int k = 0; k < plan.coordinate_count; ++k) {
        in_units[k] = plan.coordinates[k];
        in_units[k].table_stride /= range.unit;
    }
    const std::int64_t lowest_in_units = range.lowest / range.unit;

    const Kernels& table = kernels();
    const ResolveKernel resolve_run =
        table.resolve[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    const PackKernel pack = table.pack[width_class_];
    const bool plain =
        plan.mode == Mode::kRaise && plan.coordinate_count == 1 && in_units[0].table_stride == 1;
    const HoldKernel hold =
        plain ? table.hold[static_cast<int>(plan.index_type)][width_class_] : nullptr;
    const FlattenKernel flatten = range.unit == plan.slice_bytes ? flatten_for(plan) : nullptr;
    const Coordinate all{range.steps + 1, 1, 0, 0};
    const auto hold_tuples = [&](const IndexRun& run, std::byte* packed) {
        alignas(kCacheLineBytes) std::uint32_t places[kBlockPositions];
        const HoldKernel hold_places =
            table.hold[static_cast<int>(IndexType::kUint32)][width_class_];
        return flatten(run, places) == run.count &&
               hold_places({reinterpret_cast<const std::byte*>(places), sizeof places[0], run.count,
                            0, 0, &all, 1},
                           packed);
    };
    const std::int64_t chunk_size = (held_count + threads - 1) / threads;
    std::atomic<bool> all_good{true};
    parallel_for(threads, [&](std::int64_t chunk) {
        alignas(kCacheLineBytes) std::int64_t offsets[kBlockPositions];
        std::int64_t position = chunk * chunk_size;
        const std::int64_t last = std::min(position + chunk_size, held_count);
        if (position >= last) return;
        PositionWalker walker(held_dims, held_rank, position);
        while (position < last) {
            const std::int64_t count =
                std::min({walker.left_in_run(), last - position, kBlockPositions});
            const IndexRun run = walker.index_run(indices, count, in_units, plan.coordinate_count);
            std::byte* const packed = packed_.get() + position * width;
            const bool direct = hold != nullptr && run.index_stride == index_bytes(plan.index_type);
            // Tuples that are not all held so may still be resolved.
            const bool is_held =
                direct ? hold(run, packed) : flatten != nullptr && hold_tuples(run, packed);
            if (!is_held && (direct || !resolve_run(run, offsets))) {
                all_good.store(false, std::memory_order_relaxed);
                return;
            }
            if (!is_held) pack(offsets, count, lowest_in_units, packed);
            position += count;
            walker.advance(count);
        }
    });
    return all_good.load();
}

namespace {

// What is held has been checked: as unsigned indices below any limit.
constexpr IndexType kWidths[] = {IndexType::kUint8, IndexType::kUint16, IndexType::kUint32,
                                 IndexType::kUint64};

}  // namespace

// What tuples name is held as places.
void HeldOffsets::apply_to_tuples(Job& job) const noexcept {
    const IndexType type = kWidths[width_class_];
    const UpdateKernel* const updates = std::exchange(job.tuples, {}).updates;
    if (unit_.table_stride != job.slice_bytes) return;
    if (updates != nullptr) {
        job.update = updates[static_cast<int>(type)];
        return;
    }
    const LookUpRun run{slice_class(job.slice_bytes), unit_.limit, job.dims[job.rank - 1].size};
    const LookUps look_ups = look_ups_for(kernels(), type, Mode::kClamp, run, job.reached);
    job.look_up = look_ups.usual;
    job.look_up_singly = look_ups.singly;
}

void HeldOffsets::apply(Job& job) const noexcept {
    job.resolve = kernels().unpack[width_class_];
    job.hold = kernels().hold[static_cast<int>(kWidths[width_class_])][1];
    if (job.look_up != nullptr) {
        const LookUps look_ups = look_ups_for(kernels(), kWidths[width_class_], Mode::kClamp,
                                              look_up_run(job), job.reached);
        job.look_up = look_ups.usual;
        job.look_up_singly = look_ups.singly;
    }
    if (job.tuples.flatten != nullptr) apply_to_tuples(job);
    if (job.look_up_placed != nullptr) {
        // Offsets are unpacked so quickly that bytes and pairs, which a move puts together 16 bytes
        // at a time, go in two passes.
        job.look_up_placed = job.slice_bytes > 2
                                 ? look_up_placed_for(kernels(), kWidths[width_class_],
                                                      Mode::kRaise, job.slice_bytes)
                                 : nullptr;
    }
    if (job.updates != nullptr) {
        job.update = job.updates[static_cast<int>(kWidths[width_class_])];
    }
    job.index_bytes = std::int64_t{1} << width_class_;
    job.coordinates = &unit_;
    job.coordinate_count = 1;
    job.buffers.indices = packed_.get();
    job.buffers.table += lowest_;
    for (int d = 0; d < job.rank; ++d) job.dims[d].index_stride = strides_[d];
}

}  // namespace dmlindex::cpu
