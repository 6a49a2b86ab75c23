#include <algorithm>
#include <limits>
#include <new>

#include "cpu/backend.hpp"
#include "cpu/run/bad_index.hpp"
#include "cpu/run/job.hpp"
#include "cpu/run/walker.hpp"
#include "plan/facts.hpp"

namespace dmlindex::cpu {

std::optional<BadIndex> find_overwritten(const Plan& plan, const std::byte* indices,
                                         std::vector<std::int64_t>& positions) {
    const std::int64_t count = position_count(plan);
    positions.clear();
    if (count == 0) return std::nullopt;

    // A target and a position for each, and stable_sort's own copy.
    constexpr std::int64_t kKept = 3;
    if (count > std::numeric_limits<std::int64_t>::max() / kKept / std::int64_t{sizeof count}) {
        throw std::bad_alloc();
    }
    std::vector<std::int64_t> targets(static_cast<std::size_t>(count));
    // Kernels are for axes that have places.
    const bool has_no_place =
        std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                    [](const Coordinate& coordinate) { return coordinate.limit == 0; });
    if (has_no_place) {
        if (plan.mode == Mode::kSkip) return std::nullopt;
        return first_bad_index(plan, indices).value_or(BadIndex{-1, 0, 0});
    }
    const ResolveKernel resolve =
        kernels().resolve[static_cast<int>(plan.index_type)][static_cast<int>(plan.mode)];
    std::int64_t done = 0;
    for (PositionWalker walker(plan.dims, plan.rank, 0); !walker.at_end();) {
        const std::int64_t run = walker.left_in_run();
        if (!resolve(walker.index_run(indices, run, plan.coordinates, plan.coordinate_count),
                     targets.data() + done)) {
            return first_bad_index(plan, indices).value_or(BadIndex{-1, 0, 0});
        }
        done += run;
        walker.advance(run);
    }

    // Sorted by target, and by position where targets agree: all but the last of equal ones are
    // overwritten. What goes nowhere is not.
    std::vector<std::int64_t> order;
    order.reserve(targets.size());
    for (std::int64_t position = 0; position < count; ++position) {
        if (targets[static_cast<std::size_t>(position)] != kSkipped) order.push_back(position);
    }
    const auto target = [&](std::int64_t position) {
        return targets[static_cast<std::size_t>(position)];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return target(a) < target(b); });
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (target(order[i - 1]) == target(order[i])) positions.push_back(order[i - 1]);
    }
    std::sort(positions.begin(), positions.end());
    return std::nullopt;
}

}  // namespace dmlindex::cpu
