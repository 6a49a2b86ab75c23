// Gathers whose result repeats itself along a dim, as of np.broadcast_to indices: a part of it is
// gathered, and copied then.
#pragma once

#include <optional>

#include "cpu/backend.hpp"

namespace dmlindex::cpu {

struct Repeated {
    explicit Repeated(const Plan& plan) noexcept : once(plan) {}

    Plan once;    // the dim has its first position alone
    Plan copies;  // a scatter without updates, from where part lies to what lies behind it
    std::int64_t part_bytes;
};

// Nothing where it does not repeat itself, or all of it is better gathered: slices that are long,
// or follow themselves, and parts so short that a copy for each of many takes longer.
std::optional<Repeated> find_repeated(const Plan& plan) noexcept;

// Behind a run of once: the other positions.
void repeat(const Repeated& repeated, const Buffers& buffers);

}  // namespace dmlindex::cpu
