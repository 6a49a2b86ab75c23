#include "dmlindex/descs.hpp"

#include <array>

namespace dmlindex {
namespace {

struct DataTypeFacts {
    std::string_view name;
    std::int64_t element_bytes;
};

constexpr std::array<DataTypeFacts, 14> kDataTypes{{{"UNKNOWN", 0},
                                                    {"FLOAT32", 4},
                                                    {"FLOAT16", 2},
                                                    {"UINT32", 4},
                                                    {"UINT16", 2},
                                                    {"UINT8", 1},
                                                    {"INT32", 4},
                                                    {"INT16", 2},
                                                    {"INT8", 1},
                                                    {"FLOAT64", 8},
                                                    {"UINT64", 8},
                                                    {"INT64", 8},
                                                    {"UINT4", 0},
                                                    {"INT4", 0}}};

// Null for a number that is no data type: a C++ user can cast one.
const DataTypeFacts* facts(DataType data_type) noexcept {
    const auto value = static_cast<std::size_t>(data_type);
    return value < kDataTypes.size() ? &kDataTypes[value] : nullptr;
}

}  // namespace

OperatorType operator_type(const OperatorDesc& desc) noexcept {
    return std::visit([](const auto& d) { return d.kType; }, desc);
}

std::string name(DataType data_type) {
    const DataTypeFacts* known = facts(data_type);
    return known ? std::string(known->name) : std::to_string(static_cast<std::int32_t>(data_type));
}

std::string_view name(OperatorType type) noexcept {
    switch (type) {
        case OperatorType::kGather:
            return "GATHER";
        case OperatorType::kScatterElements:
            return "SCATTER_ELEMENTS";
        case OperatorType::kGatherElements:
            return "GATHER_ELEMENTS";
        case OperatorType::kGatherNd:
            return "GATHER_ND";
        case OperatorType::kScatterNd:
            return "SCATTER_ND";
        case OperatorType::kGatherNd1:
            return "GATHER_ND1";
    }
    return "UNKNOWN";
}

std::string name(FeatureLevel level) {
    const auto value = static_cast<std::uint32_t>(level);
    return std::to_string(value >> 12) + "_" + std::to_string((value >> 8) & 0xF);
}

std::int64_t element_bytes(DataType data_type) noexcept {
    const DataTypeFacts* known = facts(data_type);
    return known ? known->element_bytes : 0;
}

std::vector<std::uint32_t> strides_of(const TensorDesc& desc) {
    if (desc.strides) return *desc.strides;
    std::vector<std::uint32_t> strides(desc.sizes.size());
    std::uint32_t step = 1;
    for (std::size_t d = desc.sizes.size(); d-- > 0;) {
        strides[d] = step;
        step *= desc.sizes[d];
    }
    return strides;
}

std::int64_t total_bytes(const TensorDesc& desc) {
    if (desc.total_tensor_size_in_bytes) {
        return static_cast<std::int64_t>(*desc.total_tensor_size_in_bytes);
    }
    const std::vector<std::uint32_t> strides = strides_of(desc);
    std::int64_t extent = 1;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        extent += std::int64_t{desc.sizes[d] - 1} * strides[d];
    }
    return (extent * element_bytes(desc.data_type) + 3) / 4 * 4;
}

std::int64_t buffer_elements(const TensorDesc& desc) {
    return total_bytes(desc) / element_bytes(desc.data_type);
}

}  // namespace dmlindex
