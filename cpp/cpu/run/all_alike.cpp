#include "cpu/run/all_alike.hpp"

#include <algorithm>

#include "cpu/kernels/caches.hpp"
#include "cpu/run/fill.hpp"
#include "cpu/run/held_offsets.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/repeated.hpp"
#include "cpu/run/split.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {
namespace {

bool has_one_place(const Plan& plan) noexcept {
    return std::all_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                       [](const Coordinate& coordinate) { return coordinate.limit == 1; });
}

}  // namespace

std::optional<bool> run_all_alike(const Plan& plan, const Buffers& buffers, int threads) {
    constexpr std::int64_t kManyTimes = 4;
    const bool is_gather = plan.direction == Direction::kGather && plan.mode != Mode::kSkip;
    if (!is_gather || plan.slice_bytes > kCacheLineBytes || !has_one_place(plan))
        return std::nullopt;
    const bool is_checked = plan.mode == Mode::kRaise;
    if (is_checked && position_count(plan) < kManyTimes * index_count(plan)) return std::nullopt;

    Plan alike = plan;
    alike.mode = Mode::kClamp;
    for (int d = 0; d < plan.rank; ++d) alike.dims[d].index_stride = 0;
    canonicalize(alike);
    const std::optional<Repeated> repeated = find_repeated(alike);
    const std::int64_t times = alike.rank > 0 ? alike.dims[alike.rank - 1].size : 1;
    const bool in_cache = position_count(plan) * plan.slice_bytes <= 2 * caches().l2_bytes;
    if (!repeated && alike.slice_bytes <= kCacheLineBytes &&
        times * alike.slice_bytes < least_filled_bytes(alike.slice_bytes, in_cache)) {
        return std::nullopt;
    }
    if (is_checked && !HeldOffsets().resolve(plan, buffers.indices, threads)) return false;
    const Job job = make_job(repeated ? repeated->once : alike, buffers, threads);
    const Split split = threads > 1 ? choose_split(job, threads) : Split{};
    const bool good = split.parts > 1 ? execute_parts(job, split, threads) : execute(job);
    if (good && repeated) repeat(*repeated, buffers);
    return good;
}

}  // namespace dmlindex::cpu
