// GATHER: output[o…, q…, i…] = input[o…, indices[q…], i…], with o… the dims before axis, i… those
// behind.
#include "operators/shape_rules.hpp"

namespace dmlindex {

Layout gather_shape(const char* op, const Layout& input, const Layout& indices, int axis) {
    Layout shape;
    append_sizes(op, input, 0, axis, shape);
    append_sizes(op, indices, 0, indices.rank, shape);
    append_sizes(op, input, axis + 1, input.rank, shape);
    return shape;
}

void lower_gather(const Layout& input, const Layout& indices, const Layout& output, int axis,
                  Plan& plan) {
    int out = 0;
    for (int d = 0; d < axis; ++d, ++out) {
        append_dim(plan, {input.sizes[d], input.strides[d], output.strides[out], 0});
    }
    for (int d = 0; d < indices.rank; ++d, ++out) {
        append_dim(plan, {indices.sizes[d], 0, output.strides[out], indices.strides[d]});
    }
    for (int d = axis + 1; d < input.rank; ++d, ++out) {
        append_dim(plan, {input.sizes[d], input.strides[d], output.strides[out], 0});
    }
    append_coordinate(plan, input, axis, 0);
    append_index_dims(plan, indices, indices.rank);
}

}  // namespace dmlindex
