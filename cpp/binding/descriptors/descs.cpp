#include "binding/descriptors/descs.hpp"

#include <pybind11/stl.h>

#include <string>

#include "dmlindex/error.hpp"
#include "dmlindex/validate.hpp"

namespace dmlindex::binding {
namespace {

TensorDescPointer pointer_from_python(py::handle desc, const char* field) {
    const py::object tensor = desc.attr(field);
    if (tensor.is_none()) return std::nullopt;
    return tensor_desc_from_python(tensor);
}

// Fills the desc's fields from the Python object's, which have the same names.
template <typename Desc>
OperatorDesc read_desc(py::handle from) {
    Desc desc;
    const auto number = [&](const char* field, std::uint32_t& to) {
        to = from.attr(field).cast<std::uint32_t>();
    };
    desc.input_tensor = pointer_from_python(from, "input_tensor");
    desc.indices_tensor = pointer_from_python(from, "indices_tensor");
    desc.output_tensor = pointer_from_python(from, "output_tensor");
    if constexpr (requires { desc.updates_tensor; }) {
        desc.updates_tensor = pointer_from_python(from, "updates_tensor");
    }
    if constexpr (requires { desc.axis; }) number("axis", desc.axis);
    if constexpr (requires { desc.index_dimensions; }) {
        number("index_dimensions", desc.index_dimensions);
    }
    if constexpr (requires { desc.input_dimension_count; }) {
        number("input_dimension_count", desc.input_dimension_count);
        number("indices_dimension_count", desc.indices_dimension_count);
    }
    if constexpr (requires { desc.batch_dimension_count; }) {
        number("batch_dimension_count", desc.batch_dimension_count);
    }
    return desc;
}

py::list to_python(const std::vector<Violation>& violations) {
    py::list result;
    for (const Violation& v : violations) {
        result.append(py::make_tuple(v.rule, v.operator_name, v.tensor, v.field, v.found,
                                     v.expected, v.advice));
    }
    return result;
}

}  // namespace

TensorDesc tensor_desc_from_python(py::handle from) {
    TensorDesc desc;
    desc.data_type = static_cast<DataType>(from.attr("data_type").cast<std::int32_t>());
    desc.sizes = from.attr("sizes").cast<std::vector<std::uint32_t>>();
    desc.strides = from.attr("strides").cast<std::optional<std::vector<std::uint32_t>>>();
    desc.total_tensor_size_in_bytes =
        from.attr("total_tensor_size_in_bytes").cast<std::optional<std::uint64_t>>();
    desc.guaranteed_base_offset_alignment =
        from.attr("guaranteed_base_offset_alignment").cast<std::uint32_t>();
    desc.flags = static_cast<TensorFlags>(from.attr("flags").cast<std::uint32_t>());
    return desc;
}

OperatorDesc operator_desc_from_python(py::handle desc) {
    const auto type = desc.attr("operator").cast<std::string>();
    if (type == "GATHER") return read_desc<GatherOperatorDesc>(desc);
    if (type == "GATHER_ELEMENTS") return read_desc<GatherElementsOperatorDesc>(desc);
    if (type == "GATHER_ND") return read_desc<GatherNDOperatorDesc>(desc);
    if (type == "GATHER_ND1") return read_desc<GatherND1OperatorDesc>(desc);
    if (type == "SCATTER_ELEMENTS") return read_desc<ScatterElementsOperatorDesc>(desc);
    if (type == "SCATTER_ND") return read_desc<ScatterNDOperatorDesc>(desc);
    throw Error(ErrorKind::kType, "desc is for an operator \"" + type + "\", which there is not");
}

FeatureLevel feature_level_from_python(py::handle level) {
    return static_cast<FeatureLevel>(level.cast<std::uint32_t>());
}

void add_descs(py::module_& module) {
    module.def(
        "violations",
        [](py::handle desc, py::handle feature_level) {
            return to_python(validate(operator_desc_from_python(desc),
                                      feature_level_from_python(feature_level)));
        },
        py::arg("desc"), py::arg("feature_level"),
        "The broken rules, each as (rule, operator, tensor, field, found, expected, advice).");
    module.def(
        "tensor_violations",
        [](py::handle desc) { return to_python(validate(tensor_desc_from_python(desc))); },
        py::arg("desc"), "The rules that a tensor desc breaks by itself.");
    module.def(
        "needed_feature_level",
        [](py::handle desc) {
            return static_cast<std::uint32_t>(
                needed_feature_level(operator_desc_from_python(desc)));
        },
        py::arg("desc"), "The lowest feature level that a valid desc can be compiled at.");
    module.def(
        "buffer_elements",
        [](py::handle desc) { return buffer_elements(tensor_desc_from_python(desc)); },
        py::arg("desc"), "How many elements a valid tensor's buffer holds at least.");
}

}  // namespace dmlindex::binding
