// A program that has a struct for IDMLDevice::CreateOperator asks what is wrong with it, and runs
// it without a GPU. DirectML.h comes from Windows' SDK or the DirectML package.
#include <DirectML.h>

#include <array>
#include <cstdint>
#include <dmlindex.hpp>
#include <dmlindex/directml.hpp>
#include <iostream>

static_assert(dmlindex::directml::is_laid_out_as<DML_BUFFER_TENSOR_DESC>);

namespace {

DML_BUFFER_TENSOR_DESC packed(DML_TENSOR_DATA_TYPE type, const std::array<UINT, 4>& sizes,
                              UINT64 total_bytes) {
    DML_BUFFER_TENSOR_DESC desc = {};
    desc.DataType = type;
    desc.DimensionCount = static_cast<UINT>(sizes.size());
    desc.Sizes = sizes.data();
    desc.TotalTensorSizeInBytes = total_bytes;
    return desc;
}

}  // namespace

int main() {
    const std::array<UINT, 4> table_sizes{1, 1, 3, 2}, place_sizes{1, 1, 1, 4};
    std::array<UINT, 4> row_sizes{1, 1, 3, 2};  // a mistake: there are four places
    const auto table_buffer = packed(DML_TENSOR_DATA_TYPE_FLOAT32, table_sizes, 24);
    const auto place_buffer = packed(DML_TENSOR_DATA_TYPE_INT64, place_sizes, 32);
    const auto row_buffer = packed(DML_TENSOR_DATA_TYPE_FLOAT32, row_sizes, 32);
    const DML_TENSOR_DESC table{DML_TENSOR_TYPE_BUFFER, &table_buffer};
    const DML_TENSOR_DESC places{DML_TENSOR_TYPE_BUFFER, &place_buffer};
    const DML_TENSOR_DESC rows{DML_TENSOR_TYPE_BUFFER, &row_buffer};
    const DML_GATHER_OPERATOR_DESC gather{&table, &places, &rows, /*Axis=*/2,
                                          /*IndexDimensions=*/1};

    std::cout << "DirectML would say E_INVALIDARG, because:\n";
    for (const auto& broken : dmlindex::from_dml(gather).violations(DML_FEATURE_LEVEL_4_1)) {
        std::cout << describe(broken) << '\n';
    }

    row_sizes[2] = 4;
    const auto desc = dmlindex::from_dml(gather);
    if (!desc.violations(DML_FEATURE_LEVEL_4_1).empty()) return 1;
    const std::array<float, 6> input{0, 1, 10, 11, 20, 21};
    const std::array<std::int64_t, 4> indices{2, 0, -1, 3};  // 3 is out of range
    std::array<float, 8> output{};
    const auto op = dmlindex::compile(desc);
    if (op.run({.input = input.data(), .indices = indices.data(), .output = output.data()})) {
        return 1;
    }
    std::cout << "Rows 2, 0, -1 and 3, as DirectML computes them:";
    for (const float number : output) std::cout << ' ' << number;
    std::cout << '\n';
    const std::array<float, 8> expected{20, 21, 0, 1, 20, 21, 21, 21};
    return output == expected ? 0 : 1;
}
