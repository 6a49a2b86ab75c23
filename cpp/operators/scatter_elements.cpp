// SCATTER_ELEMENTS: output = input; output[p with p[axis] := indices[p]] = updates[p].
#include "operators/shape_rules.hpp"

namespace dmlindex {

Layout scatter_elements_updates_shape(const char* op, const Layout& input, const Layout& indices,
                                      int axis) {
    return elements_items_shape(op, input, indices, axis);
}

void lower_scatter_elements(const Layout& output, const Layout& indices, const Layout& updates,
                            int axis, Plan& plan) {
    lower_elements(output, indices, updates, axis, plan);
}

}  // namespace dmlindex
