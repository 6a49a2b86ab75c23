// DirectML's operator descriptors, in its own terms and field order, as plain C++ values. What
// makes one valid stands in validate.hpp; compile.hpp turns a valid one into a plan.
//
// Source: https://learn.microsoft.com/windows/win32/api/directml/ (DML_GATHER_OPERATOR_DESC and so
// on)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dmlindex {

// Values as in DML_TENSOR_DATA_TYPE.
enum class DataType : std::int32_t {
    kUnknown = 0,
    kFloat32 = 1,
    kFloat16 = 2,
    kUint32 = 3,
    kUint16 = 4,
    kUint8 = 5,
    kInt32 = 6,
    kInt16 = 7,
    kInt8 = 8,
    kFloat64 = 9,
    kUint64 = 10,
    kInt64 = 11,
    kUint4 = 12,
    kInt4 = 13
};

// Values as in DML_TENSOR_FLAGS.
enum class TensorFlags : std::uint32_t { kNone = 0, kOwnedByDml = 1 };

// Values as in DML_FEATURE_LEVEL.
enum class FeatureLevel : std::uint32_t {
    k1_0 = 0x1000,
    k2_0 = 0x2000,
    k2_1 = 0x2100,
    k3_0 = 0x3000,
    k3_1 = 0x3100,
    k4_0 = 0x4000,
    k4_1 = 0x4100,
    k5_0 = 0x5000,
    k5_1 = 0x5100,
    k5_2 = 0x5200,
    k6_0 = 0x6000,
    k6_1 = 0x6100,
    k6_2 = 0x6200,
    k6_3 = 0x6300,
    k6_4 = 0x6400
};

// Values as in DML_OPERATOR_TYPE.
enum class OperatorType : std::int32_t {
    kGather = 67,
    kScatterElements = 94,
    kGatherElements = 107,
    kGatherNd = 108,
    kScatterNd = 109,
    kGatherNd1 = 140
};

struct TensorDesc {
    DataType data_type = DataType::kUnknown;
    std::vector<std::uint32_t> sizes;
    std::optional<std::vector<std::uint32_t>> strides{};  // in elements; without them, packed
    // Without it, the smallest it may be: what the elements span, rounded up to 4 bytes.
    std::optional<std::uint64_t> total_tensor_size_in_bytes{};
    std::uint32_t guaranteed_base_offset_alignment = 0;
    TensorFlags flags = TensorFlags::kNone;

    bool operator==(const TensorDesc&) const = default;
};

// A tensor that an operator desc points to, which may be missing: that is a violation.
using TensorDescPointer = std::optional<TensorDesc>;

struct GatherOperatorDesc {
    static constexpr OperatorType kType = OperatorType::kGather;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t axis = 0;
    std::uint32_t index_dimensions = 0;

    bool operator==(const GatherOperatorDesc&) const = default;
};

struct GatherElementsOperatorDesc {
    static constexpr OperatorType kType = OperatorType::kGatherElements;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t axis = 0;

    bool operator==(const GatherElementsOperatorDesc&) const = default;
};

struct GatherNDOperatorDesc {
    static constexpr OperatorType kType = OperatorType::kGatherNd;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t input_dimension_count = 0;
    std::uint32_t indices_dimension_count = 0;

    bool operator==(const GatherNDOperatorDesc&) const = default;
};

struct GatherND1OperatorDesc {
    static constexpr OperatorType kType = OperatorType::kGatherNd1;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t input_dimension_count = 0;
    std::uint32_t indices_dimension_count = 0;
    std::uint32_t batch_dimension_count = 0;

    bool operator==(const GatherND1OperatorDesc&) const = default;
};

struct ScatterElementsOperatorDesc {
    static constexpr OperatorType kType = OperatorType::kScatterElements;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer updates_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t axis = 0;

    bool operator==(const ScatterElementsOperatorDesc&) const = default;
};

struct ScatterNDOperatorDesc {
    static constexpr OperatorType kType = OperatorType::kScatterNd;
    TensorDescPointer input_tensor;
    TensorDescPointer indices_tensor;
    TensorDescPointer updates_tensor;
    TensorDescPointer output_tensor;
    std::uint32_t input_dimension_count = 0;
    std::uint32_t indices_dimension_count = 0;

    bool operator==(const ScatterNDOperatorDesc&) const = default;
};

using OperatorDesc =
    std::variant<GatherOperatorDesc, GatherElementsOperatorDesc, GatherNDOperatorDesc,
                 GatherND1OperatorDesc, ScatterElementsOperatorDesc, ScatterNDOperatorDesc>;

OperatorType operator_type(const OperatorDesc& desc) noexcept;

// "FLOAT32", "GATHER_ND1", "3_0": DirectML's names without their prefix.
std::string name(DataType data_type);
std::string_view name(OperatorType type) noexcept;
std::string name(FeatureLevel level);

// Bytes of one element; 0 for the types that no operator here takes (UNKNOWN, UINT4, INT4).
std::int64_t element_bytes(DataType data_type) noexcept;

// The strides in elements, packed ones where the desc has none. The desc is valid.
std::vector<std::uint32_t> strides_of(const TensorDesc& desc);

// The total size, given or implied: the smallest it may be. The desc is valid.
std::int64_t total_bytes(const TensorDesc& desc);

// How many elements a buffer must hold: the total size rounded down to elements.
// The desc is valid.
std::int64_t buffer_elements(const TensorDesc& desc);

}  // namespace dmlindex
