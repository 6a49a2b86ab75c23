// SCATTER_ND: output = input; output[indices[q…, :], s…] = updates[q…, s…].
#include "operators/shape_rules.hpp"

namespace dmlindex {

Layout scatter_nd_updates_shape(const char* op, const Layout& input, const Layout& indices) {
    return nd_items_shape(op, input, indices, 0);
}

void lower_scatter_nd(const Layout& output, const Layout& indices, const Layout& updates,
                      Plan& plan) {
    lower_nd(output, indices, updates, 0, plan);
}

}  // namespace dmlindex
