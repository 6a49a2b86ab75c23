// From a descriptor that is wrong, to one that is right, to its result: rows of a table in another
// order, with DirectML's GATHER and no Python.
#include <array>
#include <cstdint>
#include <dmlindex.hpp>
#include <iostream>

int main() {
    using namespace dmlindex;

    const TensorDesc table{DataType::kFloat32, {1, 1, 3, 2}};
    const TensorDesc places{DataType::kInt64, {1, 1, 1, 4}};
    GatherOperatorDesc desc{table, places, table, /*axis=*/2, /*index_dimensions=*/1};

    std::cout << "An output of the wrong size:\n";
    for (const Violation& violation : validate(desc)) std::cout << describe(violation) << '\n';

    desc.output_tensor = TensorDesc{DataType::kFloat32, {1, 1, 4, 2}};
    const CompiledOperator op(desc, {.mode = Mode::kRaise});

    const std::array<float, 6> input{0, 1, 10, 11, 20, 21};
    std::array<std::int64_t, 4> indices{2, 0, -1, 1};
    std::array<float, 8> output{};
    if (run(op, {.input = input.data(), .indices = indices.data(), .output = output.data()})) {
        return 1;
    }
    std::cout << "Threads: " << thread_library() << "\nRows 2, 0, -1, 1:";
    for (float number : output) std::cout << ' ' << number;

    indices[3] = 7;
    const auto bad =
        run(op, {.input = input.data(), .indices = indices.data(), .output = output.data()});
    if (!bad) return 1;
    std::cout << "\nIndex number " << bad->position
              << " is out of range: " << static_cast<std::int64_t>(bad->bits) << '\n';

    const std::array<float, 8> expected{20, 21, 0, 1, 20, 21, 10, 11};
    return output == expected ? 0 : 1;
}
