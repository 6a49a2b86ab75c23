// What the operators mean: each has a rule for its result's shape and a lowering to a Plan.
// Functions and descriptors both come through here. One small file an operator.
#pragma once

#include "plan/layout.hpp"
#include "plan/plan.hpp"

namespace dmlindex {

// The shape rules. Each throws Error(kValue) that names op and argument; the result has sizes only.
Layout gather_shape(const char* op, const Layout& input, const Layout& indices, int axis);
Layout gather_elements_shape(const char* op, const Layout& input, const Layout& indices, int axis);
Layout gather_nd_shape(const char* op, const Layout& input, const Layout& indices, int batch_dims);
// What updates must be; the result of a scatter has the shape of its input.
Layout scatter_elements_updates_shape(const char* op, const Layout& input, const Layout& indices,
                                      int axis);
Layout scatter_nd_updates_shape(const char* op, const Layout& input, const Layout& indices);

// The lowerings. The shapes obey the rules above; axis is not negative. Each sets the plan's dims,
// coordinates and index_dims; the caller sets the rest (see begin_plan).
void lower_gather(const Layout& input, const Layout& indices, const Layout& output, int axis,
                  Plan& plan);
void lower_gather_elements(const Layout& input, const Layout& indices, const Layout& output,
                           int axis, Plan& plan);
void lower_gather_nd(const Layout& input, const Layout& indices, const Layout& output,
                     int batch_dims, Plan& plan);
void lower_scatter_elements(const Layout& output, const Layout& indices, const Layout& updates,
                            int axis, Plan& plan);
void lower_scatter_nd(const Layout& output, const Layout& indices, const Layout& updates,
                      Plan& plan);

// Makes a scatter's plan start with the copy input → output.
void lower_copy(const Layout& input, const Layout& output, Plan& plan);

// The number of batch dims that gather_nd_shape takes; Error(kValue) for one that does not go with
// the ranks.
int check_some_batch_dims(const char* op, std::int64_t batch_dims, const Layout& input,
                          const Layout& indices);
inline int check_batch_dims(const char* op, std::int64_t batch_dims, const Layout& input,
                            const Layout& indices) {
    return batch_dims == 0 ? 0 : check_some_batch_dims(op, batch_dims, input, indices);
}

// axis in [-rank, rank) as one in [0, rank); Error(kValue) otherwise.
[[noreturn]] void refuse_axis(const char* op, const char* argument, std::int64_t axis, int rank);
inline int normalize_axis(const char* op, const char* argument, std::int64_t axis, int rank) {
    if (axis < -rank || axis >= rank) refuse_axis(op, argument, axis, rank);
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace dmlindex
