#include "cpu/backend.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>

#include "cpu/bad_index.hpp"
#include "cpu/caches.hpp"
#include "cpu/job.hpp"
#include "parallel/parallel.hpp"

namespace dmlindex::cpu {
namespace {

std::int64_t position_count(const Plan& plan) noexcept {
    std::int64_t count = 1;
    for (int d = 0; d < plan.rank; ++d) count *= plan.dims[d].size;
    return count;
}

bool has_indices(const Plan& plan) noexcept {
    return std::all_of(plan.index_dims, plan.index_dims + plan.index_rank,
                       [](const IndexDim& dim) { return dim.size > 0; });
}

// An axis of size 0 has no place that clamp or wrap could give an index.
bool has_no_place(const Plan& plan) noexcept {
    return plan.mode != Mode::kSkip &&
           std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [](const Coordinate& coordinate) { return coordinate.limit == 0; });
}

int threads_for(std::int64_t traffic_bytes) noexcept {
    return traffic_bytes < kParallelBytes ? 1 : get_num_threads();
}

MoveKernel choose_move(const Kernels& table, const Plan& plan, int slice, bool may_skip) noexcept {
    if (plan.reduction != Reduction::kNone) {
        return table.reduce[static_cast<int>(plan.value_type)][static_cast<int>(plan.reduction)];
    }
    if (plan.direction == Direction::kGather) {
        return may_skip ? table.gather_or_fill[slice] : table.gather[slice];
    }
    return may_skip ? table.scatter_or_drop[slice] : table.scatter[slice];
}

// Whether random places of the table are rather not in cache. Fetching ahead hurts where they are.
bool table_is_far(const Plan& plan) noexcept {
    std::int64_t reach = plan.slice_bytes;
    for (int k = 0; k < plan.coordinate_count; ++k) {
        reach += (plan.coordinates[k].limit - 1) * std::abs(plan.coordinates[k].table_stride);
    }
    return reach > caches().far_bytes;
}

// Whether a gather's result is so large that it is written past the caches.
bool is_streamed(const Plan& plan) noexcept {
    return plan.direction == Direction::kGather &&
           position_count(plan) * plan.slice_bytes >= caches().far_bytes;
}

LookUpKernel choose_look_up(const Kernels& table, const Plan& plan) noexcept {
    const bool plain_gather = plan.direction == Direction::kGather && plan.coordinate_count == 1 &&
                              plan.coordinates[0].table_stride == plan.slice_bytes;
    if (!plain_gather) return nullptr;
    return look_up_for(table, plan.index_type, plan.mode, slice_class(plan.slice_bytes),
                       plan.coordinates[0].limit);
}

Job make_job(const Plan& plan, const Buffers& buffers) noexcept {
    const Kernels& table = kernels();
    const bool may_skip = plan.mode == Mode::kSkip;
    Job job;
    job.direction = plan.direction;
    job.rank = plan.rank;
    job.coordinate_count = plan.coordinate_count;
    job.coordinates = plan.coordinates;
    job.resolve = table.resolve[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    job.move = choose_move(table, plan, slice_class(plan.slice_bytes), may_skip);
    job.move_any_size = choose_move(table, plan, kSliceClasses - 1, may_skip);
    job.compress = table.compress[slice_class(plan.slice_bytes)];
    job.far = table_is_far(plan);
    job.stream = is_streamed(plan) ? table.stream : nullptr;
    job.look_up = job.far ? nullptr : choose_look_up(table, plan);
    job.copy = may_skip || plan.reduction != Reduction::kNone
                   ? nullptr
                   : table.copy[slice_class(plan.slice_bytes)];
    job.buffers = buffers;
    job.index_bytes = index_bytes(plan.index_type);
    job.slice_bytes = plan.slice_bytes;
    job.element_bytes = plan.element_bytes;
    job.fill = plan.fill;
    job.byte_table = plan.byte_table;
    job.first_offset = kSkipped;
    job.last_offset = kSkipped;
    std::copy_n(plan.dims, plan.rank, job.dims);
    return job;
}

// Every offset the coordinates can give lies in [lowest, lowest + steps·unit].
struct OffsetRange {
    std::int64_t lowest = 0;
    std::int64_t unit = 0;
    std::int64_t steps = 0;

    explicit OffsetRange(const Plan& plan) noexcept {
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
};

// All indices of a call, resolved before anything is written, in as few bytes as hold them. They
// keep what was checked even if the indices change under the call.
class HeldOffsets {
  public:
    // False if an index is out of range.
    bool resolve(const Plan& plan, const std::byte* indices, int threads);

    // Makes the job read these offsets in place of its indices.
    void apply(Job& job) const noexcept;

  private:
    int width_class_ = 0;
    std::int64_t lowest_ = 0;
    Coordinate unit_{};               // the stride of a step
    std::int64_t strides_[kMaxDims];  // of the plan's dims, in packed_
    std::unique_ptr<std::byte[]> packed_;
};

bool HeldOffsets::resolve(const Plan& plan, const std::byte* indices, int threads) {
    const OffsetRange range(plan);
    while (width_class_ < 3 && (range.steps >> (8 << width_class_)) != 0) ++width_class_;
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
        if (strides_[d] != 0)
            held_dims[held_rank++] = {plan.dims[d].size, 0, 0, plan.dims[d].index_stride};
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
    const std::int64_t chunk_size = (held_count + threads - 1) / threads;
    std::atomic<bool> all_good{true};
    parallel_for(threads, [&](std::int64_t chunk) {
        constexpr std::int64_t kPositions = 1024;
        std::int64_t offsets[kPositions];
        std::int64_t position = chunk * chunk_size;
        const std::int64_t last = std::min(position + chunk_size, held_count);
        if (position >= last) return;
        PositionWalker walker(held_dims, held_rank, position);
        while (position < last) {
            const std::int64_t count =
                std::min({walker.left_in_run(), last - position, kPositions});
            const IndexRun run{indices + walker.index_offset(),
                               walker.run().index_stride,
                               count,
                               0,
                               0,
                               in_units,
                               plan.coordinate_count};
            std::byte* const packed = packed_.get() + position * width;
            const bool direct = hold != nullptr && run.index_stride == index_bytes(plan.index_type);
            const bool good = direct ? hold(run, packed) : resolve_run(run, offsets);
            if (!good) {
                all_good.store(false, std::memory_order_relaxed);
                return;
            }
            if (!direct) pack(offsets, count, lowest_in_units, packed);
            position += count;
            walker.advance(count);
        }
    });
    return all_good.load();
}

void HeldOffsets::apply(Job& job) const noexcept {
    job.resolve = kernels().unpack[width_class_];
    if (job.look_up != nullptr) {
        // Checked already: as unsigned indices below any limit.
        constexpr IndexType kWidths[] = {IndexType::kUint8, IndexType::kUint16, IndexType::kUint32,
                                         IndexType::kUint64};
        job.look_up = look_up_for(kernels(), kWidths[width_class_], Mode::kClamp,
                                  slice_class(job.slice_bytes), unit_.limit);
    }
    job.index_bytes = std::int64_t{1} << width_class_;
    job.coordinates = &unit_;
    job.coordinate_count = 1;
    job.buffers.indices = packed_.get();
    job.buffers.table += lowest_;
    for (int d = 0; d < job.rank; ++d) job.dims[d].index_stride = strides_[d];
}

// How threads share a job: along a dim whose order does not matter, or along the slice.
struct Split {
    int dim = -1;  // job.rank: the slice
    std::int64_t size = 1;
};

Split choose_split(const Job& job, int threads) noexcept {
    Split best;
    for (int d = 0; d < job.rank; ++d) {
        if (!independent(job, job.dims[d])) continue;
        if (job.dims[d].size > best.size) best = {d, job.dims[d].size};
        if (best.size >= 4 * threads) return best;
    }
    const std::int64_t lines = job.slice_bytes / kCacheLineBytes;
    if (best.size < threads && lines > best.size) best = {job.rank, lines};
    return best;
}

Job part_of(const Job& whole, const Split& split, std::int64_t first, std::int64_t last) noexcept {
    Job part = whole;
    if (split.dim < whole.rank) {
        Dim& dim = part.dims[split.dim];
        dim.size = last - first;
        part.buffers.table += first * dim.table_stride;
        part.buffers.items += first * dim.item_stride;
        part.buffers.indices += first * dim.index_stride;
    } else {
        // Parts of the slice end at whole elements; the last one takes the rest.
        const std::int64_t elements = whole.slice_bytes / whole.element_bytes;
        const auto byte_at = [&](std::int64_t line) {
            return line * elements / split.size * whole.element_bytes;
        };
        part.slice_bytes = byte_at(last) - byte_at(first);
        part.buffers.table += byte_at(first);
        part.buffers.items += byte_at(first);
    }
    return part;
}

bool execute_parts(const Job& job, const Split& split, int threads) {
    const std::int64_t parts = std::min<std::int64_t>(threads, split.size);
    std::atomic<bool> all_good{true};
    parallel_for(parts, [&](std::int64_t p) {
        const Job part = part_of(job, split, p * split.size / parts, (p + 1) * split.size / parts);
        if (!execute(part)) all_good.store(false, std::memory_order_relaxed);
    });
    return all_good.load();
}

// Threads share a scatter whose updates may meet by destination: each walks all of them, in order,
// and moves those that fall into its own part of the table.
void execute_by_destination(Job job, const Plan& plan, bool held, int threads) {
    if (plan.reduction == Reduction::kNone) {  // reductions always pass over what is skipped
        job.move = choose_move(kernels(), plan, slice_class(plan.slice_bytes), true);
        job.move_any_size = choose_move(kernels(), plan, kSliceClasses - 1, true);
    }
    job.copy = nullptr;
    const OffsetRange range(plan);
    std::int64_t first = held ? 0 : range.lowest;  // held offsets count up from the lowest
    std::int64_t last = first + range.steps * range.unit + 1;
    const auto widen = [&](std::int64_t reach) { (reach < 0 ? first : last) += reach; };
    for (int d = 0; d < job.rank; ++d) widen((job.dims[d].size - 1) * job.dims[d].table_stride);
    parallel_for(threads, [&](std::int64_t t) {
        Job part = job;
        const std::int64_t step = (last - first) / threads;
        part.first_offset = first + t * step;
        part.last_offset = t + 1 == threads ? last : first + (t + 1) * step;
        execute(part);
    });
}

void copy_dims(const CopyDim* dims, int rank, std::int64_t piece_bytes, std::byte* table,
               const std::byte* source) noexcept {
    const CopyKernel copy = kernels().copy[slice_class(piece_bytes)];
    if (rank == 0) {
        copy(table, 0, source, 0, 1, piece_bytes);
        return;
    }
    const CopyDim& inner = dims[rank - 1];
    Dim rows[kMaxDims];
    for (int d = 0; d + 1 < rank; ++d)
        rows[d] = {dims[d].size, dims[d].table_stride, dims[d].source_stride, 0};
    for (PositionWalker walker(rows, rank - 1, 0); !walker.at_end(); walker.advance(1)) {
        copy(table + walker.table_offset(), inner.table_stride, source + walker.item_offset(),
             inner.source_stride, inner.size, piece_bytes);
    }
}

void copy_source(const Plan& plan, const Buffers& buffers) {
    std::int64_t bytes = plan.copy_bytes;
    for (int d = 0; d < plan.copy_rank; ++d) bytes *= plan.copy_dims[d].size;
    if (bytes == 0) return;
    const int threads = threads_for(2 * bytes);
    // Rows that come next are few, and better written to memory than kept; single elements come
    // back to the cache.
    const bool streamed = bytes >= caches().far_bytes && plan.slice_bytes >= kCacheLineBytes;
    const bool by_bytes = plan.copy_rank == 0;
    const std::int64_t size = by_bytes ? plan.copy_bytes : plan.copy_dims[0].size;
    const std::int64_t parts = std::min<std::int64_t>(threads, size);
    parallel_for(parts, [&](std::int64_t p) {
        const std::int64_t first = p * size / parts;
        const std::int64_t count = (p + 1) * size / parts - first;
        if (by_bytes && streamed) {
            kernels().stream(buffers.table + first, buffers.source + first, count);
            return;
        }
        if (by_bytes) {
            copy_dims(nullptr, 0, count, buffers.table + first, buffers.source + first);
            return;
        }
        CopyDim dims[kMaxDims];
        std::copy_n(plan.copy_dims, plan.copy_rank, dims);
        dims[0].size = count;
        copy_dims(dims, plan.copy_rank, plan.copy_bytes,
                  buffers.table + first * dims[0].table_stride,
                  buffers.source + first * dims[0].source_stride);
    });
}

BadIndex bad_index(const Plan& plan, const Buffers& buffers) noexcept {
    return first_bad_index(plan, buffers.indices).value_or(BadIndex{-1, 0, 0});
}

}  // namespace

std::optional<BadIndex> run(const Plan& plan, const Buffers& buffers, OnFailure on_failure) {
    const std::int64_t positions = position_count(plan);
    const std::int64_t bytes = positions * plan.slice_bytes;
    if (has_indices(plan)) {
        if (has_no_place(plan)) return bad_index(plan, buffers);
        if (bytes == 0 && plan.mode == Mode::kRaise) {
            if (const auto bad = first_bad_index(plan, buffers.indices)) return bad;
        }
    }
    if (bytes == 0) {
        if (plan.copies_source) copy_source(plan, buffers);
        return std::nullopt;
    }

    const int threads = threads_for(2 * bytes + 8 * positions);
    Job job = make_job(plan, buffers);
    const Split split = threads > 1 ? choose_split(job, threads) : Split{};
    const bool by_destination =
        threads > 1 && plan.direction == Direction::kScatter && split.size < threads;

    HeldOffsets held;
    const bool hold = (plan.mode == Mode::kRaise && on_failure == OnFailure::kUntouched) ||
                      (plan.mode != Mode::kSkip && by_destination);
    if (hold) {
        if (!held.resolve(plan, buffers.indices, threads)) return bad_index(plan, buffers);
        held.apply(job);
    }
    if (plan.copies_source) copy_source(plan, buffers);
    if (by_destination) {
        execute_by_destination(job, plan, hold, threads);
        return std::nullopt;
    }
    const bool good = threads > 1 ? execute_parts(job, split, threads) : execute(job);
    if (!good) return bad_index(plan, buffers);
    return std::nullopt;
}

}  // namespace dmlindex::cpu
