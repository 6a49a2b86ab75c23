#include "dmlindex/directml.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "directml/DirectML.h"

namespace dmlindex {
namespace {

static_assert(directml::is_laid_out_as<DML_BUFFER_TENSOR_DESC>);
static_assert(!directml::HasTensors<DML_OPERATOR_DESC>);

// A tensor as a program for DirectML has it, and the desc that it is to become.
struct Both {
    Both(DML_TENSOR_DATA_TYPE type, std::vector<UINT> tensor_sizes, std::uint64_t total,
         std::vector<UINT> tensor_strides = {})
        : sizes(std::move(tensor_sizes)), strides(std::move(tensor_strides)) {
        buffer.DataType = type;
        buffer.DimensionCount = static_cast<UINT>(sizes.size());
        buffer.Sizes = sizes.data();
        buffer.Strides = strides.empty() ? nullptr : strides.data();
        buffer.TotalTensorSizeInBytes = total;
    }
    Both(const Both&) = delete;
    Both& operator=(const Both&) = delete;

    TensorDesc expected() const {
        TensorDesc desc{static_cast<DataType>(buffer.DataType), sizes};
        if (buffer.Strides != nullptr) desc.strides = strides;
        desc.total_tensor_size_in_bytes = buffer.TotalTensorSizeInBytes;
        desc.guaranteed_base_offset_alignment = buffer.GuaranteedBaseOffsetAlignment;
        desc.flags = static_cast<TensorFlags>(buffer.Flags);
        return desc;
    }

    std::vector<UINT> sizes;
    std::vector<UINT> strides;
    DML_BUFFER_TENSOR_DESC buffer = {};
    DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
};

std::vector<std::string> rules(const std::vector<Violation>& violations) {
    std::vector<std::string> names;
    for (const Violation& violation : violations) names.push_back(violation.rule);
    return names;
}

TEST(FromDml, TakesAllSix) {
    Both x(DML_TENSOR_DATA_TYPE_INT32, {2, 3}, 32, {4, 1});
    x.buffer.GuaranteedBaseOffsetAlignment = 64;
    x.buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    const Both i(DML_TENSOR_DATA_TYPE_INT64, {2, 2}, 32);
    const Both u(DML_TENSOR_DATA_TYPE_INT32, {2, 2}, 16);
    const Both y(DML_TENSOR_DATA_TYPE_INT32, {2, 3}, 24);
    const TensorDesc xs = x.expected(), is = i.expected(), us = u.expected(), ys = y.expected();

    const DML_GATHER_OPERATOR_DESC gather{&x.tensor, &i.tensor, &u.tensor, 1, 2};
    EXPECT_EQ(from_dml(gather), (GatherOperatorDesc{xs, is, us, 1, 2}));
    const DML_GATHER_ELEMENTS_OPERATOR_DESC elements{&x.tensor, &i.tensor, &u.tensor, 1};
    EXPECT_EQ(from_dml(elements), (GatherElementsOperatorDesc{xs, is, us, 1}));
    const DML_GATHER_ND_OPERATOR_DESC nd{&x.tensor, &i.tensor, &u.tensor, 2, 1};
    EXPECT_EQ(from_dml(nd), (GatherNDOperatorDesc{xs, is, us, 2, 1}));
    const DML_GATHER_ND1_OPERATOR_DESC nd1{&x.tensor, &i.tensor, &u.tensor, 2, 1, 3};
    EXPECT_EQ(from_dml(nd1), (GatherND1OperatorDesc{xs, is, us, 2, 1, 3}));
    const DML_SCATTER_OPERATOR_DESC scatter{&x.tensor, &i.tensor, &u.tensor, &y.tensor, 1};
    EXPECT_EQ(from_dml(scatter), (ScatterElementsOperatorDesc{xs, is, us, ys, 1}));
    const DML_SCATTER_ND_OPERATOR_DESC scatter_nd{&x.tensor, &i.tensor, &u.tensor, &y.tensor, 2, 1};
    EXPECT_EQ(from_dml(scatter_nd), (ScatterNDOperatorDesc{xs, is, us, ys, 2, 1}));
}

TEST(FromDml, SaysWhatIsWrong) {
    const Both x(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, 24);
    const Both i(DML_TENSOR_DATA_TYPE_INT64, {2, 2}, 32);
    const Both y(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 2}, 8);
    const DML_GATHER_ELEMENTS_OPERATOR_DESC real{&x.tensor, &i.tensor, &y.tensor, 1};
    const auto desc = from_dml(real);
    EXPECT_EQ(rules(desc.violations()), std::vector<std::string>{"total-size-minimum"});
    const std::vector<std::string> at_2_1 = rules(desc.violations(DML_FEATURE_LEVEL_2_1));
    EXPECT_EQ(std::count(at_2_1.begin(), at_2_1.end(), "feature-level-dimension-count"), 3);
    EXPECT_EQ(at_2_1, rules(desc.violations(FeatureLevel::k2_1)));
    EXPECT_THROW((void)compile(desc), Error);
}

TEST(FromDml, ReadsNothingThatIsNotThere) {
    Both x(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 3}, 24);
    const DML_TENSOR_DESC no_buffer{DML_TENSOR_TYPE_BUFFER, nullptr};
    const DML_TENSOR_DESC no_type{DML_TENSOR_TYPE_INVALID, &x.buffer};
    const DML_GATHER_ELEMENTS_OPERATOR_DESC real{&no_buffer, nullptr, &no_type, 0};
    EXPECT_EQ(rules(from_dml(real).violations()), std::vector<std::string>(3, "tensor-required"));

    const std::int32_t unknown_type = 2;
    DML_TENSOR_DESC of_unknown_type{DML_TENSOR_TYPE_BUFFER, &x.buffer};
    std::memcpy(&of_unknown_type.Type, &unknown_type, sizeof unknown_type);
    const DML_GATHER_ELEMENTS_OPERATOR_DESC unknown{&of_unknown_type, nullptr, nullptr, 0};
    EXPECT_FALSE(from_dml(unknown).input_tensor);

    x.buffer.DimensionCount = 0xFFFFFFFF;
    x.buffer.Strides = x.sizes.data();
    const DML_GATHER_ELEMENTS_OPERATOR_DESC many{&x.tensor, &x.tensor, &x.tensor, 0};
    EXPECT_EQ(from_dml(many).input_tensor->sizes.size(), 9u);
    EXPECT_EQ(rules(from_dml(many).violations()).front(), "dimension-count");
    x.buffer.DimensionCount = 2;
    x.buffer.Sizes = nullptr;
    EXPECT_EQ(rules(from_dml(many).violations()).front(), "dimension-count");
}

TEST(FromDml, Runs) {
    const Both x(DML_TENSOR_DATA_TYPE_INT32, {2, 3}, 24);
    const Both i(DML_TENSOR_DATA_TYPE_INT64, {2, 1}, 16);
    const Both y(DML_TENSOR_DATA_TYPE_INT32, {2, 1}, 8);
    const DML_GATHER_ELEMENTS_OPERATOR_DESC real{&x.tensor, &i.tensor, &y.tensor, 1};
    const std::array<std::int32_t, 6> input{0, 1, 2, 10, 11, 12};
    const std::array<std::int64_t, 2> indices{3, -1};
    std::array<std::int32_t, 2> output{};
    const TensorData tensors{input.data(), indices.data(), nullptr, output.data()};
    EXPECT_FALSE(compile(from_dml(real)).run(tensors));
    EXPECT_EQ(output, (std::array<std::int32_t, 2>{10, 12}));  // index 3 is the next row's first
    const auto bad = compile(from_dml(real), {.mode = Mode::kRaise}).run(tensors);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->position, 0);
}

}  // namespace
}  // namespace dmlindex
