#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "dmlindex.hpp"

namespace dmlindex {
namespace {

using Sizes = std::vector<std::uint32_t>;

TensorDesc data(Sizes sizes) { return {DataType::kInt32, std::move(sizes)}; }
TensorDesc index(Sizes sizes) { return {DataType::kInt64, std::move(sizes)}; }

TEST(Validate, ListsEveryBrokenRule) {
    const GatherOperatorDesc desc{std::nullopt, index({1, 2}), data({2, 0}), 5, 1};
    std::vector<std::string> rules;
    for (const Violation& violation : validate(desc)) rules.push_back(violation.rule);
    EXPECT_EQ(rules, (std::vector<std::string>{"tensor-required", "sizes-positive"}));
}

TEST(Validate, DescribesAViolation) {
    const GatherOperatorDesc desc{data({2, 3}), index({1, 4}), data({2, 5}), 1, 1};
    const std::vector<Violation> violations = validate(desc);
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(describe(violations[0]),
              "GATHER: output.sizes is {2, 5}, expected {2, 4} [output-sizes]");
}

TEST(Validate, HoldsToAFeatureLevel) {
    const GatherOperatorDesc desc{data({1, 1, 2, 3}), index({1, 1, 1, 3}), data({1, 1, 2, 3}), 3,
                                  1};
    EXPECT_TRUE(validate(desc).empty());
    EXPECT_EQ(needed_feature_level(desc), FeatureLevel::k3_0);
    EXPECT_FALSE(validate(desc, FeatureLevel::k2_1).empty());
}

TEST(Compile, ThrowsForABrokenRule) {
    const ScatterElementsOperatorDesc desc{data({2, 3}), index({2, 4}), data({2, 4}), data({2, 3}),
                                           1};
    try {
        const CompiledOperator op(desc);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kDescriptor);
        EXPECT_NE(std::string(error.what()).find("[indices-axis-size]"), std::string::npos);
    }
}

TEST(Compile, RefusesAFillThatDoesNotFit) {
    const GatherOperatorDesc desc{data({3}), index({2}), data({2}), 0, 1};
    const std::vector<std::byte> two_bytes(2);
    EXPECT_THROW(CompiledOperator(desc, {.fill = two_bytes}), Error);
    EXPECT_THROW(CompiledOperator(desc, {.mode = Mode::kSkip, .fill = two_bytes}), Error);
}

TEST(Run, GathersWithEveryMode) {
    const GatherOperatorDesc desc{data({3}), index({4}), data({4}), 0, 1};
    const std::array<std::int32_t, 3> input{10, 11, 12};
    const std::array<std::int64_t, 4> indices{2, -1, 99, -99};
    std::array<std::int32_t, 4> output{};
    const TensorData tensors{
        .input = input.data(), .indices = indices.data(), .output = output.data()};

    EXPECT_EQ(run(CompiledOperator(desc, {.mode = Mode::kClamp}), tensors), std::nullopt);
    EXPECT_EQ(output, (std::array<std::int32_t, 4>{12, 12, 12, 10}));

    const CompiledOperator as_directml(desc);
    EXPECT_EQ(as_directml.mode(), Mode::kDirectml);
    EXPECT_EQ(run(as_directml, tensors), std::nullopt);
    EXPECT_EQ(output, (std::array<std::int32_t, 4>{12, 12, 12, 12}));  // −96 is past the end, too

    const CompiledOperator raising(desc, {.mode = Mode::kRaise});
    output.fill(7);
    const auto bad = run(raising, tensors);
    ASSERT_TRUE(bad.has_value());
    EXPECT_EQ(bad->position, 2);
    EXPECT_EQ(output, (std::array<std::int32_t, 4>{7, 7, 7, 7}));

    std::vector<std::byte> fill(4);
    const std::int32_t minus_one = -1;
    std::memcpy(fill.data(), &minus_one, sizeof minus_one);
    EXPECT_EQ(run(CompiledOperator(desc, {.mode = Mode::kSkip, .fill = fill}), tensors),
              std::nullopt);
    EXPECT_EQ(output, (std::array<std::int32_t, 4>{12, 12, -1, -1}));
}

TEST(Run, ScattersIntoANewTensorOrInPlace) {
    const ScatterNDOperatorDesc desc{data({1, 5}), index({3, 1}), data({3}), data({1, 5}), 1, 2};
    const CompiledOperator op(desc);
    std::array<std::int32_t, 5> input{0, 1, 2, 3, 4};
    const std::array<std::int64_t, 3> indices{1, 9, -1};
    const std::array<std::int32_t, 3> updates{21, 22, 23};
    std::array<std::int32_t, 5> output{};
    const std::array<std::int32_t, 5> expected{0, 21, 2, 3, 23};

    EXPECT_EQ(run(op, {input.data(), indices.data(), updates.data(), output.data()}), std::nullopt);
    EXPECT_EQ(output, expected);
    EXPECT_EQ(run(op, {input.data(), indices.data(), updates.data(), input.data()}), std::nullopt);
    EXPECT_EQ(input, expected);
}

TEST(Run, RefusesANullPointer) {
    const ScatterNDOperatorDesc desc{data({1, 5}), index({3, 1}), data({3}), data({1, 5}), 1, 2};
    const CompiledOperator op(desc);
    std::array<std::int32_t, 5> memory{};
    const std::array<std::int64_t, 3> indices{};
    const TensorData whole{memory.data(), indices.data(), memory.data(), memory.data()};
    const auto message = [&](auto member) {
        TensorData tensors = whole;
        tensors.*member = nullptr;
        try {
            static_cast<void>(run(op, tensors));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kValue);
            return std::string(error.what());
        }
        return std::string("nothing was thrown");
    };
    EXPECT_EQ(message(&TensorData::input),
              "SCATTER_ND: input is a null pointer, expected the first byte of the tensor");
    EXPECT_NE(message(&TensorData::indices).find("indices is a null"), std::string::npos);
    EXPECT_NE(message(&TensorData::updates).find("updates is a null"), std::string::npos);
    EXPECT_NE(message(&TensorData::output).find("output is a null"), std::string::npos);

    const GatherOperatorDesc gather{data({5}), index({3}), data({3}), 0, 1};
    const CompiledOperator gathers(gather);
    std::array<std::int32_t, 3> output;
    EXPECT_EQ(
        run(gathers, {.input = memory.data(), .indices = indices.data(), .output = output.data()}),
        std::nullopt);  // it has no updates
    EXPECT_THROW(static_cast<void>(run(gathers, {})), Error);
}

TEST(Run, LeavesPaddingAsItWas) {
    TensorDesc output_desc = data({2, 2});
    output_desc.strides = Sizes{3, 1};
    EXPECT_EQ(buffer_elements(output_desc), 5);
    const GatherElementsOperatorDesc desc{data({2, 3}), index({2, 2}), output_desc, 1};
    std::array<std::int32_t, 6> input;
    std::iota(input.begin(), input.end(), 0);
    const std::array<std::int64_t, 4> indices{2, 0, 1, -1};
    std::array<std::int32_t, 5> output;
    output.fill(-7);
    EXPECT_EQ(run(CompiledOperator(desc),
                  {.input = input.data(), .indices = indices.data(), .output = output.data()}),
              std::nullopt);
    EXPECT_EQ(output, (std::array<std::int32_t, 5>{2, 0, -7, 4, 5}));
}

}  // namespace
}  // namespace dmlindex
