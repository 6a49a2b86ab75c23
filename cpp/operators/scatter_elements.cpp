// SCATTER_ELEMENTS: output = input; output[p with p[axis] := indices[p]] = updates[p].
#include "operators/shape_rules.hpp"

namespace dmlindex {

Layout scatter_elements_updates_shape(const char* op, const Layout& input, const Layout& indices,
                                      int axis) {
    check_elements_indices(op, input, indices, axis);
    Layout shape;
    append_sizes(op, indices, 0, indices.rank, shape);
    return shape;
}

void lower_scatter_elements(const Layout& output, const Layout& indices, const Layout& updates,
                            int axis, Plan& plan) {
    lower_elements(output, indices, updates, axis, plan);
}

}  // namespace dmlindex
