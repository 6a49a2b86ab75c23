// What NumPy's side of the core runs: any strides, eight index types, four modes, reductions. Calls
// as the unit tests draw them, between fences, held to the formula of plan.hpp.
#include <cstdint>

#include "fenced.hpp"
#include "support.hpp"

namespace dmlindex::fuzz {
namespace {

using test::Random;
using test::RandomCall;
using test::Tensor;

// The tensor's bytes from its lowest to its highest element, and no more.
class FencedTensor {
  public:
    explicit FencedTensor(const Tensor& tensor) : memory_(0) {
        std::int64_t lowest = 0;
        std::int64_t highest = tensor.element_bytes;
        for (int d = 0; d < tensor.layout.rank; ++d) {
            if (tensor.layout.sizes[d] == 0) highest = lowest = 0;
            if (highest == 0) break;
            const std::int64_t reach = (tensor.layout.sizes[d] - 1) * tensor.layout.strides[d];
            (reach < 0 ? lowest : highest) += reach;
        }
        if (highest == 0) lowest = 0;
        const std::byte* const first = tensor.data() + lowest;
        memory_ = Memory(std::span(first, static_cast<std::size_t>(highest - lowest)));
        origin_ = -lowest;
    }

    std::byte* data() const { return memory_.data() + origin_; }
    bool operator==(const FencedTensor& other) const { return memory_ == other.memory_; }

  private:
    Memory memory_;
    std::int64_t origin_ = 0;
};

struct FencedCall {
    explicit FencedCall(const RandomCall& call)
        : table(call.table),
          items(call.items),
          indices(call.indices),
          source(call.source ? *call.source : call.table) {}

    cpu::Buffers buffers() const {
        return {table.data(), items.data(), indices.data(), source.data()};
    }
    bool operator==(const FencedCall&) const = default;

    FencedTensor table, items, indices, source;
};

// A reduction on one of the types that have the elements' size.
void make_reduction(Random& random, Plan& plan) {
    constexpr struct {
        ValueType type;
        std::int64_t bytes;
    } kTypes[] = {
        {ValueType::kBool, 1},       {ValueType::kInt8, 1},     {ValueType::kUint8, 1},
        {ValueType::kByteTable, 1},  {ValueType::kInt16, 2},    {ValueType::kUint16, 2},
        {ValueType::kFloat16, 2},    {ValueType::kBfloat16, 2}, {ValueType::kInt32, 4},
        {ValueType::kUint32, 4},     {ValueType::kFloat32, 4},  {ValueType::kInt64, 8},
        {ValueType::kUint64, 8},     {ValueType::kFloat64, 8},  {ValueType::kComplex64, 8},
        {ValueType::kComplex128, 16}};
    static const std::vector<std::byte> byte_table = [] {
        std::vector<std::byte> table(256 * 256);
        Random(std::uint64_t{1}).fill(table);
        return table;
    }();
    const auto& chosen = random.one_of(kTypes);
    if (chosen.bytes != plan.element_bytes) return;
    const bool is_complex =
        chosen.type == ValueType::kComplex64 || chosen.type == ValueType::kComplex128;
    plan.value_type = chosen.type;
    plan.reduction = static_cast<Reduction>(random.between(1, is_complex ? 2 : 4));
    plan.byte_table = byte_table.data();
}

void run_one(std::span<const std::byte> data) {
    Random random(data);
    const bool hostile = random.one_in(2);
    const auto on_failure =
        random.one_in(2) ? cpu::OnFailure::kAnything : cpu::OnFailure::kUntouched;
    const bool reduces = random.one_in(2);
    RandomCall call = random_call(random, hostile);
    if (reduces && call.plan.direction == Direction::kScatter) make_reduction(random, call.plan);

    const FencedCall before(call), formula(call), ours(call);
    const auto expected = test::run_by_formula(call.plan, formula.buffers());
    canonicalize(call.plan);
    const auto bad = cpu::run(call.plan, ours.buffers(), on_failure);
    require(bad.has_value() == expected.has_value(), "whether an index is bad");
    if (!bad) {
        require(ours == formula, "the result is the formula's");
        return;
    }
    require(bad->position == expected->position && bad->coordinate == expected->coordinate &&
                bad->bits == expected->bits,
            "which index is bad");
    if (on_failure == cpu::OnFailure::kUntouched) {
        require(ours == before, "a failed run writes nothing");
    }
}

}  // namespace
}  // namespace dmlindex::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    dmlindex::fuzz::run_one(std::as_bytes(std::span(data, size)));
    return 0;
}
