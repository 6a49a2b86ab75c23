// GATHER_ELEMENTS: output[p] = input[p with p[axis] := indices[p]].
#include "operators/shape_rules.hpp"

namespace dmlindex {

Layout gather_elements_shape(const char* op, const Layout& input, const Layout& indices, int axis) {
    return elements_items_shape(op, input, indices, axis);
}

void lower_gather_elements(const Layout& input, const Layout& indices, const Layout& output,
                           int axis, Plan& plan) {
    lower_elements(input, indices, output, axis, plan);
}

}  // namespace dmlindex
