#include "operators/descriptors/lowered.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "dmlindex/error.hpp"
#include "dmlindex/validate.hpp"
#include "operators/operators.hpp"

namespace dmlindex {
namespace {

// The functions' natural shapes have no dims in front that only fill up: the last rank dims, or all
// of them behind dims of size 1.
Layout with_rank(const Layout& layout, int rank) {
    Layout result;
    result.rank = rank;
    const int padding = std::max(rank - layout.rank, 0);
    const int skipped = std::max(layout.rank - rank, 0);
    std::fill_n(result.sizes, padding, 1);
    std::fill_n(result.strides, padding, 0);
    std::copy(layout.sizes + skipped, layout.sizes + layout.rank, result.sizes + padding);
    std::copy(layout.strides + skipped, layout.strides + layout.rank, result.strides + padding);
    return result;
}

Layout layout_of(const TensorDesc& desc) {
    const std::vector<std::uint32_t> strides = strides_of(desc);
    Layout layout;
    layout.rank = static_cast<int>(desc.sizes.size());
    for (std::size_t d = 0; d < strides.size(); ++d) {
        layout.sizes[d] = desc.sizes[d];
        layout.strides[d] = strides[d] * element_bytes(desc.data_type);
    }
    return layout;
}

IndexType index_type(DataType type) noexcept {
    switch (type) {
        case DataType::kInt32:
            return IndexType::kInt32;
        case DataType::kUint64:
            return IndexType::kUint64;
        case DataType::kInt64:
            return IndexType::kInt64;
        default:
            return IndexType::kUint32;  // there is no other in a valid desc
    }
}

// Messages name indices by their place in the tensors as the descs have them, with the dims in
// front.
void count_dims_in_front(int input_dims, int indices_dims, Plan& plan) {
    for (int k = 0; k < plan.coordinate_count; ++k) plan.coordinates[k].axis += input_dims;
    std::copy_backward(plan.index_dims, plan.index_dims + plan.index_rank,
                       plan.index_dims + plan.index_rank + indices_dims);
    std::fill_n(plan.index_dims, indices_dims, IndexDim{1, 0});
    plan.index_rank += indices_dims;
}

void lower_desc(const GatherOperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    const int q = static_cast<int>(desc.index_dimensions);
    lower_gather(all.input, with_rank(all.indices, q),
                 with_rank(all.output, all.input.rank - 1 + q), static_cast<int>(desc.axis), plan);
    count_dims_in_front(0, all.indices.rank - q, plan);
}

void lower_desc(const GatherElementsOperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    lower_gather_elements(all.input, all.indices, all.output, static_cast<int>(desc.axis), plan);
}

void lower_desc(const ScatterElementsOperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    lower_scatter_elements(all.output, all.indices, all.updates, static_cast<int>(desc.axis), plan);
}

// The operators of tuples. items: what the tuples index, as large as the two counts and the tuple
// say.
struct TupleLayouts {
    Layout table;
    Layout indices;
    Layout items;
};

template <typename Desc>
TupleLayouts tuple_layouts(const Desc& desc, const Layout& table, const Layout& indices,
                           const Layout& items, int batch_dims) {
    const int r = static_cast<int>(desc.input_dimension_count);
    const int q = static_cast<int>(desc.indices_dimension_count);
    const int tuple_size = static_cast<int>(indices.sizes[indices.rank - 1]);
    return {with_rank(table, r), with_rank(indices, q),
            with_rank(items, q - 1 + r - batch_dims - tuple_size)};
}

template <typename Desc>
void lower_gather_nd_desc(const Desc& desc, int batch_dims, const OperatorLayouts& all,
                          Plan& plan) {
    const auto [table, indices, items] =
        tuple_layouts(desc, all.input, all.indices, all.output, batch_dims);
    lower_gather_nd(table, indices, items, batch_dims, plan);
    count_dims_in_front(all.input.rank - table.rank, all.indices.rank - indices.rank, plan);
}

void lower_desc(const GatherNDOperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    lower_gather_nd_desc(desc, 0, all, plan);
}

void lower_desc(const GatherND1OperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    lower_gather_nd_desc(desc, static_cast<int>(desc.batch_dimension_count), all, plan);
}

void lower_desc(const ScatterNDOperatorDesc& desc, const OperatorLayouts& all, Plan& plan) {
    const auto [table, indices, items] =
        tuple_layouts(desc, all.output, all.indices, all.updates, 0);
    lower_scatter_nd(table, indices, items, plan);
    count_dims_in_front(all.output.rank - table.rank, all.indices.rank - indices.rank, plan);
}

// The line of the input in a gather, of the output in a scatter. A packed tensor is an array of its
// sizes, though its total size may say more.
template <typename Desc>
void make_linear(const Desc& desc, Plan& plan) {
    constexpr bool kScatters = requires { desc.updates_tensor; };
    const TensorDesc& table = kScatters ? *desc.output_tensor : *desc.input_tensor;
    const std::int64_t width = element_bytes(table.data_type);
    plan.is_linear = true;
    plan.line.last = (total_bytes(table) + width - 1) / width - 1;
    plan.line.size = buffer_elements(table);
    if (!table.strides) plan.line.size = std::min(plan.line.size, element_count(layout_of(table)));
    // DirectML's *_ELEMENTS give an axis of size 1 no stride.
    if constexpr (
        !requires { desc.index_dimensions; } && !requires { desc.input_dimension_count; }) {
        if (plan.coordinates[0].limit == 1) plan.coordinates[0].table_stride = 0;
    }
    const bool indices_matter =
        std::any_of(plan.coordinates, plan.coordinates + plan.coordinate_count,
                    [](const Coordinate& coordinate) { return coordinate.table_stride != 0; });
    if (!indices_matter) {
        plan.is_linear = false;
        plan.mode = Mode::kClamp;
        for (int d = 0; d < plan.rank; ++d) plan.dims[d].index_stride = 0;  // any of them will do
    }
}

const TensorDesc* updates_of(const OperatorDesc& desc) {
    return std::visit(
        [](const auto& d) -> const TensorDesc* {
            if constexpr (requires { d.updates_tensor; }) return &*d.updates_tensor;
            return nullptr;
        },
        desc);
}

void throw_violations(const std::vector<Violation>& violations) {
    if (violations.empty()) return;
    std::string message;
    for (const Violation& violation : violations) {
        if (!message.empty()) message += '\n';
        message += describe(violation);
    }
    throw Error(ErrorKind::kDescriptor, message);
}

void check_fill(std::string_view op, bool scatters, Mode mode, std::size_t size,
                std::int64_t bytes) {
    if (scatters || mode != Mode::kSkip) {
        throw Error(ErrorKind::kValue, std::string(op) +
                                           ": a fill is given, expected none: only a gather with "
                                           "Mode::kSkip fills");
    }
    if (size != static_cast<std::size_t>(bytes)) {
        throw Error(ErrorKind::kValue, std::string(op) + ": fill has " + std::to_string(size) +
                                           " bytes, expected " + std::to_string(bytes) +
                                           ": one element");
    }
}

}  // namespace

LoweredOperator::LoweredOperator(OperatorDesc desc, CompileOptions options)
    : desc_(std::move(desc)), fill_(std::move(options.fill)) {
    throw_violations(validate(desc_, options.feature_level));
    const TensorDesc* updates = updates_of(desc_);
    std::int64_t bytes = 0;
    mode_ = options.mode;
    std::visit(
        [&](const auto& d) {
            layouts_.input = layout_of(*d.input_tensor);
            layouts_.indices = layout_of(*d.indices_tensor);
            layouts_.output = layout_of(*d.output_tensor);
            bytes = element_bytes(d.input_tensor->data_type);
        },
        desc_);
    if (updates) layouts_.updates = layout_of(*updates);
    if (!fill_.empty()) check_fill(name(type()), updates != nullptr, mode_, fill_.size(), bytes);
    lower(layouts_, false, plan_);
    if (updates) lower(layouts_, true, plan_in_place_);
}

void LoweredOperator::lower(const OperatorLayouts& layouts, bool in_place, Plan& plan) const {
    std::visit(
        [&](const auto& d) {
            constexpr bool kScatters = requires { d.updates_tensor; };
            begin_plan(kScatters ? Direction::kScatter : Direction::kGather,
                       index_type(d.indices_tensor->data_type),
                       element_bytes(d.input_tensor->data_type), plan);
            lower_desc(d, layouts, plan);
            if (kScatters && !in_place) lower_copy(layouts.input, layouts.output, plan);
        },
        desc_);
    if (mode_ == Mode::kDirectml) {
        std::visit([&](const auto& d) { make_linear(d, plan); }, desc_);
    } else {
        plan.mode = mode_;
    }
    plan.fill = fill_.empty() ? nullptr : fill_.data();
    canonicalize(plan);
}

}  // namespace dmlindex
