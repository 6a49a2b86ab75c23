#include "dmlindex/validate.hpp"

#include <algorithm>

#include "operators/descriptors/validation.hpp"

namespace dmlindex {
namespace validation {

Parts parts_of(const OperatorDesc& desc) noexcept {
    return std::visit(
        [](const auto& d) {
            Parts parts{};
            parts.type = d.kType;
            parts.input = &d.input_tensor;
            parts.indices = &d.indices_tensor;
            parts.output = &d.output_tensor;
            if constexpr (requires { d.updates_tensor; }) parts.updates = &d.updates_tensor;
            if constexpr (requires { d.axis; }) parts.axis = &d.axis;
            if constexpr (requires { d.index_dimensions; }) {
                parts.index_dimensions = &d.index_dimensions;
            }
            if constexpr (requires { d.input_dimension_count; }) {
                parts.input_dimension_count = &d.input_dimension_count;
                parts.indices_dimension_count = &d.indices_dimension_count;
            }
            if constexpr (requires { d.batch_dimension_count; }) {
                parts.batch_dimension_count = &d.batch_dimension_count;
            }
            return parts;
        },
        desc);
}

std::vector<NamedTensor> tensors_of(const Parts& parts) {
    std::vector<NamedTensor> tensors{{"input", parts.input}, {"indices", parts.indices}};
    if (parts.updates) tensors.push_back({"updates", parts.updates});
    tensors.push_back({"output", parts.output});
    return tensors;
}

std::string text(std::span<const std::uint32_t> numbers) {
    constexpr std::size_t kMost = 16;
    std::string result = "{";
    for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i) {
        if (i > 0) result += ", ";
        result += std::to_string(numbers[i]);
    }
    return result + (numbers.size() > kMost ? ", …}" : "}");
}

}  // namespace validation

std::vector<Violation> validate(const OperatorDesc& desc, FeatureLevel feature_level) {
    using namespace validation;
    const Parts parts = parts_of(desc);
    Report report(name(parts.type));
    for (const auto& [role, tensor] : tensors_of(parts)) {
        if (!*tensor) {
            report.add("tensor-required", role, "tensor", "null", "a tensor desc");
            continue;
        }
        check_tensor(report, role, **tensor);
        check_role(report, parts.type, role, **tensor);
    }
    check_data_types(report, parts);
    check_shapes(report, parts);
    check_feature_level(report, parts, feature_level);
    return report.take();
}

std::vector<Violation> validate(const TensorDesc& desc) {
    validation::Report report("TensorDesc");
    validation::check_tensor(report, "", desc);
    return report.take();
}

std::string describe(const Violation& violation) {
    std::string text = violation.operator_name + ": ";
    if (!violation.tensor.empty()) text += violation.tensor + ".";
    text += violation.field + " is " + violation.found + ", expected " + violation.expected;
    if (!violation.advice.empty()) text += "; " + violation.advice;
    return text + " [" + violation.rule + "]";
}

}  // namespace dmlindex
