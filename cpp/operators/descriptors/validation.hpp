// What the files of validation share; validate.hpp is the public side.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dmlindex/validate.hpp"

namespace dmlindex::validation {

// One form for the six descs: the tensors by role, the numbers by name. What an operator does not
// have is null.
struct Parts {
    OperatorType type;
    const TensorDescPointer* input;
    const TensorDescPointer* indices;
    const TensorDescPointer* updates;
    const TensorDescPointer* output;
    const std::uint32_t* axis;
    const std::uint32_t* index_dimensions;
    const std::uint32_t* input_dimension_count;
    const std::uint32_t* indices_dimension_count;
    const std::uint32_t* batch_dimension_count;
};

Parts parts_of(const OperatorDesc& desc) noexcept;

struct NamedTensor {
    std::string_view name;
    const TensorDescPointer* tensor;
};

// The tensors that the operator has, in DirectML's order.
std::vector<NamedTensor> tensors_of(const Parts& parts);

using Sizes = std::vector<std::uint32_t>;

// "{2, 3, 4}", and "…" after 16 of them: a desc can have any number.
std::string text(std::span<const std::uint32_t> numbers);

// Texts and numbers, one after the other.
template <typename... Values>
std::string concat(const Values&... values) {
    std::string all;
    const auto append = [&](const auto& value) {
        if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
            all += std::to_string(value);
        } else {
            all += value;
        }
    };
    (append(values), ...);
    return all;
}

class Report {
  public:
    explicit Report(std::string_view operator_name) : operator_name_(operator_name) {}

    void add(std::string_view rule, std::string_view tensor, std::string_view field,
             std::string found, std::string expected, std::string advice = {}) {
        violations_.push_back({std::string(rule), operator_name_, std::string(tensor),
                               std::string(field), std::move(found), std::move(expected),
                               std::move(advice)});
    }

    std::vector<Violation> take() { return std::move(violations_); }

  private:
    std::string operator_name_;
    std::vector<Violation> violations_;
};

// The rules of a tensor by itself. tensor_name is its role, empty outside an operator.
void check_tensor(Report& report, std::string_view tensor_name, const TensorDesc& desc);
// Those that hang on the role: what may be broadcast, overlap, or be owned.
void check_role(Report& report, OperatorType type, std::string_view tensor_name,
                const TensorDesc& desc);
void check_data_types(Report& report, const Parts& parts);
void check_feature_level(Report& report, const Parts& parts, FeatureLevel level);
// Of the tensors that are there and have 1..8 dims.
void check_shapes(Report& report, const Parts& parts);

}  // namespace dmlindex::validation
