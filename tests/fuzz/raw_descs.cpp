#include "raw_descs.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

namespace dmlindex::fuzz {
namespace {

constexpr OperatorType kOperators[] = {
    OperatorType::kGather,    OperatorType::kGatherElements,  OperatorType::kGatherNd,
    OperatorType::kGatherNd1, OperatorType::kScatterElements, OperatorType::kScatterNd};

UINT small(Random& random, UINT least, UINT most) {
    return static_cast<UINT>(random.between(least, std::max(least, most)));
}

std::size_t draw_rank(Random& random) { return small(random, 1, random.one_in(6) ? 8 : 4); }

// Any number, but mostly one at which something changes.
UINT wild(Random& random) {
    constexpr UINT kEdges[] = {0,          1,          2,          8,          9,
                               0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x10000};
    return random.one_in(3) ? small(random, 0, 0xFFFFFFFF) : random.one_of(kEdges);
}

RawSizes draw_sizes(Random& random, UINT rank) {
    RawSizes sizes(rank);
    for (UINT& size : sizes) size = random.one_in(12) ? small(random, 1, 70) : small(random, 1, 4);
    if (rank > 0 && random.one_in(12)) sizes[small(random, 0, rank - 1)] = wild(random);
    return sizes;
}

// The last of the sizes, with ones in front to make it rank many.
RawSizes with_rank(RawSizes sizes, std::size_t rank) {
    if (sizes.size() > rank) sizes.erase(sizes.begin(), sizes.end() - static_cast<long>(rank));
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    return sizes;
}

RawSizes joined(std::span<const UINT> front, std::span<const UINT> middle,
                std::span<const UINT> back) {
    RawSizes all(front.begin(), front.end());
    all.insert(all.end(), middle.begin(), middle.end());
    all.insert(all.end(), back.begin(), back.end());
    return all;
}

struct Shapes {
    RawSizes input, indices, updates, output;
};

void draw_gather(Random& random, RawDesc& desc, Shapes& shapes) {
    const std::size_t n = shapes.input.size();
    const std::size_t axis = small(random, 0, static_cast<UINT>(n - 1));
    const std::size_t q = small(random, 0, static_cast<UINT>(n));
    RawSizes own = draw_sizes(random, static_cast<UINT>(q));
    for (std::size_t i = 0; i + 1 < q; ++i) {  // the result has n dims: the first of them are ones
        if (i < axis) {
            shapes.input[i] = 1;
        } else {
            own[i - axis] = 1;
        }
    }
    const std::span<const UINT> input(shapes.input);
    shapes.output = with_rank(joined(input.first(axis), own, input.subspan(axis + 1)), n);
    shapes.indices = with_rank(own, n);
    desc.numbers = {static_cast<UINT>(axis), static_cast<UINT>(q), 0};
}

void draw_elements(Random& random, RawDesc& desc, Shapes& shapes) {
    const std::size_t axis = small(random, 0, static_cast<UINT>(shapes.input.size() - 1));
    const bool scatters = desc.type == OperatorType::kScatterElements;
    shapes.indices = shapes.input;
    shapes.indices[axis] = small(random, 1, scatters ? shapes.input[axis] : 5);
    shapes.updates = shapes.indices;
    shapes.output = scatters ? shapes.input : shapes.indices;
    desc.numbers = {static_cast<UINT>(axis), 0, 0};
}

void draw_nd(Random& random, RawDesc& desc, Shapes& shapes) {
    const bool scatters = desc.type == OperatorType::kScatterNd;
    const std::size_t n = shapes.input.size();
    const std::size_t m = scatters ? draw_rank(random) : n;
    const std::size_t r = small(random, 1, static_cast<UINT>(n));
    const std::size_t q = small(random, 1, static_cast<UINT>(m));
    const std::size_t most_batch = std::min(r, q) - 1;
    const std::size_t batch =
        desc.type == OperatorType::kGatherNd1 ? small(random, 0, static_cast<UINT>(most_batch)) : 0;
    const std::size_t k = small(random, 1, static_cast<UINT>(r - batch));
    std::fill_n(shapes.input.begin(), n - r, 1);
    const auto input = std::span<const UINT>(shapes.input).last(r);
    RawSizes own = draw_sizes(random, static_cast<UINT>(q));
    std::copy_n(input.begin(), batch, own.begin());
    own.back() = static_cast<UINT>(k);
    const RawSizes items = joined(std::span(own).first(q - 1), {}, input.subspan(batch + k));
    shapes.indices = with_rank(own, m);
    shapes.updates = with_rank(items, std::max(items.size(), draw_rank(random)));
    shapes.output = scatters ? shapes.input : with_rank(items, n);
    desc.numbers = {static_cast<UINT>(r), static_cast<UINT>(q), static_cast<UINT>(batch)};
}

RawSizes draw_strides(Random& random, const RawSizes& sizes, bool may_repeat) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random.one_in(2)) std::ranges::reverse(order);
    RawSizes strides(sizes.size());
    UINT step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::size_t d = order[i];
        if (may_repeat && random.one_in(5)) continue;
        strides[d] = step + (random.one_in(4) ? small(random, 0, 3) : 0);
        step = strides[d] * sizes[d];
    }
    return strides;
}

void draw_tensor(Random& random, RawTensor& tensor, const RawSizes& sizes,
                 DML_TENSOR_DATA_TYPE type, bool may_repeat) {
    RawSizes strides;
    if (random.one_in(2)) strides = draw_strides(random, sizes, may_repeat);
    const RawSizes& steps = strides.empty() ? strides_of({DataType::kInt8, sizes}) : strides;
    UINT64 extent = 1;
    for (std::size_t d = 0; d < sizes.size(); ++d) extent += UINT64{sizes[d] - 1} * steps[d];
    tensor.sizes = Fenced<UINT>(std::span<const UINT>(sizes));
    tensor.strides = Fenced<UINT>(std::span<const UINT>(strides));
    DML_BUFFER_TENSOR_DESC& buffer = tensor.buffer;
    buffer.DataType = type;
    buffer.DimensionCount = static_cast<UINT>(sizes.size());
    buffer.Sizes = tensor.sizes.data();
    buffer.Strides = strides.empty() ? nullptr : tensor.strides.data();
    const auto width = static_cast<UINT64>(element_bytes(static_cast<DataType>(type)));
    buffer.TotalTensorSizeInBytes = (extent * width + 3) / 4 * 4;
    if (random.one_in(4)) buffer.TotalTensorSizeInBytes += small(random, 0, 40);
    buffer.GuaranteedBaseOffsetAlignment = random.one_in(8) ? 1u << small(random, 0, 31) : 0;
    tensor.tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
}

// Any number in the place of an enum, as a program in C can have it.
template <typename Enum>
void put(std::int64_t number, Enum& place) {
    const auto value = static_cast<std::int32_t>(number);
    static_assert(sizeof place == sizeof value);
    std::memcpy(&place, &value, sizeof value);
}

// Of ten fields, one as it should not be.
void spoil(Random& random, RawTensor& tensor) {
    DML_BUFFER_TENSOR_DESC& buffer = tensor.buffer;
    const std::size_t count = tensor.sizes.all().size();
    switch (random.between(0, 9)) {
        case 0:
            tensor.is_null = true;
            break;
        case 1:
            tensor.tensor.Desc = nullptr;
            break;
        case 2:
            put(random.between(0, 2), tensor.tensor.Type);
            break;
        case 3:
            put(random.between(-1, 15), buffer.DataType);
            break;
        case 4:
            put(random.between(0, 3), buffer.Flags);
            break;
        case 5:  // fewer than there are; or so many that none may be read
            buffer.DimensionCount = random.one_in(2) ? small(random, 0, static_cast<UINT>(count))
                                                     : std::max(wild(random), 9u);
            break;
        case 6:
            buffer.Sizes = nullptr;
            break;
        case 7:
            if (count > 0) tensor.sizes.all()[small(random, 0, UINT(count - 1))] = wild(random);
            break;
        case 8:
            if (buffer.Strides != nullptr) {
                tensor.strides.all()[small(random, 0, UINT(count - 1))] = wild(random);
            }
            break;
        default:
            buffer.TotalTensorSizeInBytes = UINT64{wild(random)} << small(random, 0, 32);
            break;
    }
}

}  // namespace

void draw(Random& random, RawDesc& desc) {
    desc.type = random.one_of(kOperators);
    Shapes shapes;
    shapes.input = draw_sizes(random, static_cast<UINT>(draw_rank(random)));
    if (desc.type == OperatorType::kGather) {
        draw_gather(random, desc, shapes);
    } else if (desc.type == OperatorType::kGatherElements ||
               desc.type == OperatorType::kScatterElements) {
        draw_elements(random, desc, shapes);
    } else {
        draw_nd(random, desc, shapes);
    }
    const auto type = static_cast<DML_TENSOR_DATA_TYPE>(random.between(1, 11));
    const auto index_type =
        random.one_of({DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32,
                       DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64});
    const bool nd = desc.type == OperatorType::kScatterNd;
    draw_tensor(random, desc.input, shapes.input, type, true);
    draw_tensor(random, desc.indices, shapes.indices, index_type, !nd);
    draw_tensor(random, desc.updates, shapes.updates, type, true);
    draw_tensor(random, desc.output, shapes.output, type, false);
    RawTensor* const tensors[] = {&desc.input, &desc.indices, &desc.updates, &desc.output};
    for (int most = 3; most > 0 && random.one_in(5); --most) {
        spoil(random, *random.one_of(tensors));
    }
    if (random.one_in(12)) desc.numbers[small(random, 0, 2)] = wild(random);
}

OperatorDesc from_raw(const RawDesc& desc) {
    const DML_TENSOR_DESC* const input = desc.input.pointer();
    const DML_TENSOR_DESC* const indices = desc.indices.pointer();
    const DML_TENSOR_DESC* const updates = desc.updates.pointer();
    const DML_TENSOR_DESC* const output = desc.output.pointer();
    const auto [a, b, c] = desc.numbers;
    switch (desc.type) {
        case OperatorType::kGather:
            return from_dml(DML_GATHER_OPERATOR_DESC{input, indices, output, a, b});
        case OperatorType::kGatherElements:
            return from_dml(DML_GATHER_ELEMENTS_OPERATOR_DESC{input, indices, output, a});
        case OperatorType::kGatherNd:
            return from_dml(DML_GATHER_ND_OPERATOR_DESC{input, indices, output, a, b});
        case OperatorType::kGatherNd1:
            return from_dml(DML_GATHER_ND1_OPERATOR_DESC{input, indices, output, a, b, c});
        case OperatorType::kScatterElements:
            return from_dml(DML_SCATTER_OPERATOR_DESC{input, indices, updates, output, a});
        default:
            return from_dml(DML_SCATTER_ND_OPERATOR_DESC{input, indices, updates, output, a, b});
    }
}

}  // namespace dmlindex::fuzz
