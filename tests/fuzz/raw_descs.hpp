// Descriptors as a program for DirectML hands them over: structs of counts and pointers, drawn by a
// fuzzer. Most are valid, or one step from it, as few random ones would come past the first rule.
#pragma once

#include <array>
#include <vector>

#include "directml/DirectML.h"
#include "dmlindex/directml.hpp"
#include "fenced.hpp"
#include "support.hpp"

namespace dmlindex::fuzz {

using test::Random;
using RawSizes = std::vector<UINT>;

struct RawTensor {
    DML_BUFFER_TENSOR_DESC buffer{};
    DML_TENSOR_DESC tensor{};
    bool is_null = false;
    // What buffer points to: as many as it counts, and not one more. Of too many none is read.
    Fenced<UINT> sizes{0};
    Fenced<UINT> strides{0};

    const DML_TENSOR_DESC* pointer() const { return is_null ? nullptr : &tensor; }
};

struct RawDesc {
    OperatorType type{};
    RawTensor input;
    RawTensor indices;
    RawTensor updates;
    RawTensor output;
    std::array<UINT, 3> numbers{};  // behind the tensors, in DirectML's order
};

void draw(Random& random, RawDesc& desc);

// Through the real struct and from_dml.
OperatorDesc from_raw(const RawDesc& desc);

}  // namespace dmlindex::fuzz
