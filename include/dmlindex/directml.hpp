// From DirectML's own structs to descs: for programs that include DirectML.h, which this does not.
//
//     DML_GATHER_OPERATOR_DESC gather = …;                    // as for IDMLDevice::CreateOperator
//     auto desc = dmlindex::from_dml(gather);
//     for (auto& broken : desc.violations(DML_FEATURE_LEVEL_4_1)) puts(describe(broken).c_str());
//     (void)dmlindex::compile(desc).run({.input = x, .indices = i, .output = y});
//
// A struct is known by the names of its fields. Where the version of DirectML.h does not matter for
// these, it does not matter here.
//
// Source: https://learn.microsoft.com/windows/win32/api/directml/ (DML_BUFFER_TENSOR_DESC and the
// six operator descs)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "dmlindex/compile.hpp"
#include "dmlindex/validate.hpp"

namespace dmlindex {

// A desc that came from DirectML's struct, and converts to it.
template <typename Desc>
struct FromDml : Desc {
    std::vector<Violation> violations(FeatureLevel level = FeatureLevel::k6_4) const {
        return validate(OperatorDesc(static_cast<const Desc&>(*this)), level);
    }
    // Of a DML_FEATURE_LEVEL.
    template <typename Level>
        requires(std::is_enum_v<Level> && !std::is_same_v<Level, FeatureLevel>)
    std::vector<Violation> violations(Level level) const {
        return violations(static_cast<FeatureLevel>(level));
    }
};

template <typename Desc>
CompiledOperator compile(const FromDml<Desc>& desc, CompileOptions options = {}) {
    return CompiledOperator(OperatorDesc(static_cast<const Desc&>(desc)), std::move(options));
}

namespace directml {

// What a DML_TENSOR_DESC points to, as a pointer without a type: this is DML_BUFFER_TENSOR_DESC.
struct BufferTensorDesc {
    std::int32_t DataType;
    std::uint32_t Flags;
    std::uint32_t DimensionCount;
    const std::uint32_t* Sizes;
    const std::uint32_t* Strides;
    std::uint64_t TotalTensorSizeInBytes;
    std::uint32_t GuaranteedBaseOffsetAlignment;
};
inline constexpr int kBufferType = 1;  // DML_TENSOR_TYPE_BUFFER

// Whether the real struct lies as this one: static_assert(is_laid_out_as<DML_BUFFER_TENSOR_DESC>).
template <typename Real>
inline constexpr bool is_laid_out_as =
    sizeof(Real) == sizeof(BufferTensorDesc) &&
    offsetof(Real, DataType) == offsetof(BufferTensorDesc, DataType) &&
    offsetof(Real, Flags) == offsetof(BufferTensorDesc, Flags) &&
    offsetof(Real, DimensionCount) == offsetof(BufferTensorDesc, DimensionCount) &&
    offsetof(Real, Sizes) == offsetof(BufferTensorDesc, Sizes) &&
    offsetof(Real, Strides) == offsetof(BufferTensorDesc, Strides) &&
    offsetof(Real, TotalTensorSizeInBytes) == offsetof(BufferTensorDesc, TotalTensorSizeInBytes) &&
    offsetof(Real, GuaranteedBaseOffsetAlignment) ==
        offsetof(BufferTensorDesc, GuaranteedBaseOffsetAlignment);

// No operator takes more dims: of such a tensor the sizes are not read, and count as 1.
inline constexpr std::uint32_t kMostDims = 8;

inline std::vector<std::uint32_t> numbers(const std::uint32_t* from, std::uint32_t count) {
    if (from == nullptr) return {};
    if (count > kMostDims) return std::vector<std::uint32_t>(kMostDims + 1, 1);
    return {from, from + count};
}

// A null pointer is a tensor that is missing, which is a violation. So is one to no buffer, of
// which there is no other kind.
template <typename RealTensorDesc>
TensorDescPointer tensor(const RealTensorDesc* from) {
    if (from == nullptr || from->Desc == nullptr) return {};
    std::int32_t type;  // as a number: there may be one that the enum has not
    static_assert(sizeof from->Type == sizeof type);
    std::memcpy(&type, &from->Type, sizeof type);
    if (type != kBufferType) return {};
    BufferTensorDesc buffer;
    std::memcpy(&buffer, from->Desc, sizeof buffer);
    TensorDesc desc;
    desc.data_type = static_cast<DataType>(buffer.DataType);
    desc.sizes = numbers(buffer.Sizes, buffer.DimensionCount);
    if (buffer.Strides != nullptr) desc.strides = numbers(buffer.Strides, buffer.DimensionCount);
    desc.total_tensor_size_in_bytes = buffer.TotalTensorSizeInBytes;
    desc.guaranteed_base_offset_alignment = buffer.GuaranteedBaseOffsetAlignment;
    desc.flags = static_cast<TensorFlags>(buffer.Flags);
    return desc;
}

template <typename Desc, typename Real>
FromDml<Desc> with_tensors(const Real& real) {
    FromDml<Desc> desc;
    desc.input_tensor = tensor(real.InputTensor);
    desc.indices_tensor = tensor(real.IndicesTensor);
    if constexpr (requires { desc.updates_tensor; }) {
        desc.updates_tensor = tensor(real.UpdatesTensor);
    }
    desc.output_tensor = tensor(real.OutputTensor);
    if constexpr (requires { desc.axis; }) desc.axis = real.Axis;
    if constexpr (requires { desc.index_dimensions; }) desc.index_dimensions = real.IndexDimensions;
    if constexpr (requires { desc.input_dimension_count; }) {
        desc.input_dimension_count = real.InputDimensionCount;
        desc.indices_dimension_count = real.IndicesDimensionCount;
    }
    if constexpr (requires { desc.batch_dimension_count; }) {
        desc.batch_dimension_count = real.BatchDimensionCount;
    }
    return desc;
}

template <typename Real>
concept HasTensors = requires(const Real& real) {
    real.InputTensor->Desc;
    real.IndicesTensor->Desc;
    real.OutputTensor->Desc;
};
template <typename Real>
concept HasUpdates = requires(const Real& real) { real.UpdatesTensor->Desc; };
template <typename Real>
concept HasAxis = requires(const Real& real) { real.Axis; };
template <typename Real>
concept HasCounts = requires(const Real& real) {
    real.InputDimensionCount;
    real.IndicesDimensionCount;
};

}  // namespace directml

// The desc of any of the six DML_*_OPERATOR_DESC; FromDml<GatherOperatorDesc> and so on. Whatever
// the struct holds makes a desc, as violations() can only say of one what is wrong.
template <directml::HasTensors Real>
    requires(directml::HasAxis<Real> || directml::HasCounts<Real>)
auto from_dml(const Real& real) {
    using directml::with_tensors;
    if constexpr (directml::HasUpdates<Real>) {
        if constexpr (directml::HasAxis<Real>) {
            return with_tensors<ScatterElementsOperatorDesc>(real);
        } else {
            return with_tensors<ScatterNDOperatorDesc>(real);
        }
    } else if constexpr (requires { real.IndexDimensions; }) {
        return with_tensors<GatherOperatorDesc>(real);
    } else if constexpr (directml::HasAxis<Real>) {
        return with_tensors<GatherElementsOperatorDesc>(real);
    } else if constexpr (requires { real.BatchDimensionCount; }) {
        return with_tensors<GatherND1OperatorDesc>(real);
    } else {
        return with_tensors<GatherNDOperatorDesc>(real);
    }
}

}  // namespace dmlindex
