#include "operators/shape_rules.hpp"

namespace dmlindex {

std::string to_string(const Layout& layout) {
    std::string text = "(";
    for (int d = 0; d < layout.rank; ++d) {
        if (d > 0) text += ", ";
        text += std::to_string(layout.sizes[d]);
    }
    return text + (layout.rank == 1 ? ",)" : ")");
}

void refuse_rank(const char* op) {
    fail_value(op, "the result would have more than " + std::to_string(kMaxDims) +
                       " dimensions; reshape input or indices to fewer");
}

void refuse_axis(const char* op, const char* argument, std::int64_t axis, int rank) {
    if (rank == 0) {
        fail_value(op, "input has no dimensions, expected at least 1; reshape it to (1,) first");
    }
    fail_value(op, std::string(argument) + " is " + std::to_string(axis) + ", expected " +
                       std::to_string(-rank) + " <= " + argument + " < " + std::to_string(rank) +
                       " for input of rank " + std::to_string(rank));
}

void lower_copy(const Layout& input, const Layout& output, Plan& plan) {
    plan.copies_source = true;
    plan.copy_rank = input.rank;
    for (int d = 0; d < input.rank; ++d) {
        plan.copy_dims[d] = {input.sizes[d], output.strides[d], input.strides[d]};
    }
}

void lower_elements(const Layout& table, const Layout& indices, const Layout& items, int axis,
                    Plan& plan) {
    for (int d = 0; d < items.rank; ++d) {
        append_dim(plan, {items.sizes[d], d == axis ? 0 : table.strides[d], items.strides[d],
                          indices.strides[d]});
    }
    append_coordinate(plan, table, axis, 0);
    append_index_dims(plan, indices, indices.rank);
}

void lower_nd(const Layout& table, const Layout& indices, const Layout& items, int batch_dims,
              Plan& plan) {
    const int tuple_dim = indices.rank - 1;
    const int tuple_size = static_cast<int>(indices.sizes[tuple_dim]);
    int item = 0;
    for (int d = 0; d < tuple_dim; ++d, ++item) {
        append_dim(plan, {items.sizes[item], d < batch_dims ? table.strides[d] : 0,
                          items.strides[item], indices.strides[d]});
    }
    for (int d = batch_dims + tuple_size; d < table.rank; ++d, ++item) {
        append_dim(plan, {items.sizes[item], table.strides[d], items.strides[item], 0});
    }
    for (int k = 0; k < tuple_size; ++k) {
        append_coordinate(plan, table, batch_dims + k, k * indices.strides[tuple_dim]);
    }
    append_index_dims(plan, indices, tuple_dim);
}

Layout elements_items_shape(const char* op, const Layout& input, const Layout& indices, int axis) {
    if (indices.rank != input.rank) {
        fail_value(op, "indices has rank " + std::to_string(indices.rank) + " and shape " +
                           to_string(indices) + ", expected input's rank " +
                           std::to_string(input.rank) + " (input has shape " + to_string(input) +
                           ")");
    }
    for (int d = 0; d < input.rank; ++d) {
        if (d != axis && indices.sizes[d] > input.sizes[d]) {
            fail_value(op, "indices has size " + std::to_string(indices.sizes[d]) + " in dim " +
                               std::to_string(d) + ", expected at most input's " +
                               std::to_string(input.sizes[d]) +
                               " (only along the axis may it be larger)");
        }
    }
    Layout shape;
    append_sizes(op, indices, 0, indices.rank, shape);
    return shape;
}

Layout nd_items_shape(const char* op, const Layout& input, const Layout& indices, int batch_dims) {
    if (indices.rank == 0) {
        fail_value(op, "indices has no dimensions, expected at least 1: its last dim is the tuple");
    }
    if (input.rank == 0) {
        fail_value(op, "input has no dimensions, expected at least 1; reshape it to (1,) first");
    }
    const std::int64_t tuple_size = indices.sizes[indices.rank - 1];
    if (tuple_size < 1 || tuple_size > input.rank - batch_dims) {
        const bool looks_transposed =
            batch_dims == 0 && indices.rank == 2 && indices.sizes[0] == input.rank;
        fail_value(op, "indices has a last dim (the tuple) of size " + std::to_string(tuple_size) +
                           ", expected 1 to " + std::to_string(input.rank - batch_dims) +
                           ": one coordinate for each indexed axis of input, which has shape " +
                           to_string(input) +
                           (batch_dims > 0 ? " and batch_dims=" + std::to_string(batch_dims)
                                           : std::string()) +
                           (looks_transposed ? "; of a mask, pass numpy.argwhere(mask): "
                                               "numpy.nonzero(mask) has the tuples in columns"
                                             : ""));
    }
    Layout shape;
    append_sizes(op, indices, 0, indices.rank - 1, shape);
    append_sizes(op, input, batch_dims + static_cast<int>(tuple_size), input.rank, shape);
    return shape;
}

}  // namespace dmlindex
