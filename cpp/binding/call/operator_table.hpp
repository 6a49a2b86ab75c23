// The operators that are functions. Only functions.cpp includes this, which compiles a call for
// each: a tiny one would spend its time on asking the table.
#pragma once

#include "binding/call/docs.hpp"
#include "binding/call/operators.hpp"
#include "operators/operators.hpp"

namespace dmlindex::binding {
namespace table {

inline int axis(const char* op, std::int64_t given, const Layout& input, const Layout&) {
    return normalize_axis(op, "axis", given, input.rank);
}

inline int no_position(const char*, std::int64_t, const Layout&, const Layout&) { return 0; }

inline Layout scatter_nd_shape(const char* op, const Layout& input, const Layout& indices, int) {
    return scatter_nd_updates_shape(op, input, indices);
}

inline void lower_scatter_nd_at(const Layout& output, const Layout& indices, const Layout& updates,
                                int, Plan& plan) {
    lower_scatter_nd(output, indices, updates, plan);
}

}  // namespace table

inline constexpr int kOperatorCount = 5;
inline constexpr Operator kOperators[kOperatorCount] = {
    {.signature = Signature("gather(input, indices, axis=0, *, mode='raise', fill_value=0, "
                            "out=None, device=None)"),
     .direction = Direction::kGather,
     .has_tuples = false,
     .position = table::axis,
     .shape = gather_shape,
     .lower = lower_gather,
     .documentation = kGatherDoc},
    {.signature = Signature("gather_elements(input, indices, axis=0, *, mode='raise', "
                            "fill_value=0, out=None, device=None)"),
     .direction = Direction::kGather,
     .has_tuples = false,
     .position = table::axis,
     .shape = gather_elements_shape,
     .lower = lower_gather_elements,
     .documentation = kGatherElementsDoc},
    {.signature = Signature("gather_nd(input, indices, batch_dims=0, *, mode='raise', "
                            "fill_value=0, out=None, device=None)"),
     .direction = Direction::kGather,
     .has_tuples = true,
     .position = check_batch_dims,
     .shape = gather_nd_shape,
     .lower = lower_gather_nd,
     .documentation = kGatherNdDoc},
    {.signature = Signature("scatter_elements(input, indices, updates, axis=0, *, "
                            "reduction='none', mode='raise', unique_indices=False, ordered=True, "
                            "out=None, device=None)"),
     .direction = Direction::kScatter,
     .has_tuples = false,
     .position = table::axis,
     .shape = scatter_elements_updates_shape,
     .lower = lower_scatter_elements,
     .documentation = kScatterElementsDoc},
    {.signature = Signature("scatter_nd(input, indices, updates, *, reduction='none', "
                            "mode='raise', unique_indices=False, ordered=True, out=None, "
                            "device=None)"),
     .direction = Direction::kScatter,
     .has_tuples = true,
     .position = table::no_position,
     .shape = table::scatter_nd_shape,
     .lower = table::lower_scatter_nd_at,
     .documentation = kScatterNdDoc},
};

}  // namespace dmlindex::binding
