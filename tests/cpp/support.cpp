#include "support.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "operators/operators.hpp"

namespace dmlindex::test {
namespace {

Layout with_strides(const Sizes& sizes, const Sizes& strides) {
    Layout layout;
    layout.rank = static_cast<int>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), layout.sizes);
    std::copy(strides.begin(), strides.end(), layout.strides);
    return layout;
}

Sizes sizes_of(const Layout& layout) { return {layout.sizes, layout.sizes + layout.rank}; }

void put_random_indices(Random& random, RandomCall& call, IndexType type, bool hostile) {
    const Layout& layout = call.indices.layout;
    const Coordinate* coordinates = call.plan.coordinates;
    std::int64_t least_limit = coordinates[0].limit;
    for (int k = 1; k < call.plan.coordinate_count; ++k) {
        least_limit = std::min(least_limit, coordinates[k].limit);
    }
    // The tuple's own dim, where there is one, is the last; with stride 0 its numbers are all one.
    const bool has_tuple = call.plan.index_rank < layout.rank;
    const bool one_number = has_tuple && layout.strides[layout.rank - 1] == 0;
    for_each_position(sizes_of(layout), [&](const Sizes& p) {
        const std::int64_t limit =
            one_number ? least_limit : coordinates[has_tuple ? p.back() : 0].limit;
        std::int64_t value = 0;
        if (hostile && random.one_in(8)) {
            value = random.between(-200, 200);
        } else if (limit > 0) {
            value = random.between(is_signed(type) ? -limit : 0, limit - 1);
        }
        set_index(call.indices, p, value);
    });
}

}  // namespace

std::uint64_t Random::next_bytes(int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count && !bytes_->empty(); ++i) {
        value = value << 8 | std::to_integer<std::uint64_t>(bytes_->front());
        *bytes_ = bytes_->subspan(1);
    }
    return value;
}

std::int64_t Random::between(std::int64_t first, std::int64_t last) {
    if (bytes_) {
        const std::uint64_t most =
            static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        const std::uint64_t value = next_bytes((static_cast<int>(std::bit_width(most)) + 7) / 8);
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) +
                                         (most == UINT64_MAX ? value : value % (most + 1)));
    }
    return std::uniform_int_distribution<std::int64_t>(first, last)(engine_);
}

Sizes Random::sizes(std::int64_t rank, std::int64_t least, std::int64_t most) {
    Sizes result;
    for (std::int64_t d = 0; d < rank; ++d) result.push_back(between(least, most));
    return result;
}

void Random::fill(std::span<std::byte> bytes) {
    if (bytes_) engine_.seed(next_bytes(1));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine_());
}

std::int64_t Tensor::offset(std::span<const std::int64_t> position) const {
    return std::inner_product(position.begin(), position.end(), layout.strides, std::int64_t{0});
}

Tensor packed_tensor(const Sizes& sizes, std::int64_t element_bytes) {
    Layout layout = with_strides(sizes, Sizes(sizes.size()));
    set_packed_strides(layout, element_bytes, "test");
    const auto bytes = static_cast<std::size_t>(element_count(layout) * element_bytes);
    return {layout, element_bytes, std::vector<std::byte>(bytes), 0};
}

Tensor random_tensor(Random& random, const Sizes& sizes, std::int64_t element_bytes,
                     bool with_broadcast) {
    Sizes order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (random.one_in(2)) {
        for (std::size_t d = 1; d < order.size(); ++d) {
            std::swap(
                order[d],
                order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(d)))]);
        }
    }
    Sizes strides(sizes.size());
    std::int64_t extent = element_bytes;
    std::int64_t origin = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
        const auto d = static_cast<std::size_t>(order[i]);
        if (with_broadcast && random.one_in(6)) continue;  // stride 0
        const std::int64_t gap = random.one_in(4) ? element_bytes : 0;
        strides[d] = extent + gap;
        extent = strides[d] * std::max<std::int64_t>(sizes[d], 1);
        if (sizes[d] > 0 && random.one_in(4)) {
            origin += strides[d] * (sizes[d] - 1);
            strides[d] = -strides[d];
        }
    }
    Tensor tensor{with_strides(sizes, strides), element_bytes,
                  std::vector<std::byte>(static_cast<std::size_t>(extent)), origin};
    random.fill(tensor.buffer);
    return tensor;
}

void set_index(Tensor& indices, std::span<const std::int64_t> position, std::int64_t value) {
    std::memcpy(indices.data() + indices.offset(position), &value,
                static_cast<std::size_t>(indices.element_bytes));
}

std::int64_t get_index(const Tensor& indices, IndexType type,
                       std::span<const std::int64_t> position) {
    return static_cast<std::int64_t>(index_bits(indices.data() + indices.offset(position), type));
}

std::uint64_t index_bits(const std::byte* from, IndexType type) {
    const std::int64_t bytes = index_bytes(type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, static_cast<std::size_t>(bytes));
    const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
    if (is_signed(type) && (bits & sign) != 0) bits |= ~(sign - 1);
    return bits;
}

void for_each_position(std::span<const std::int64_t> sizes,
                       const std::function<void(const Sizes& position)>& body) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
    Sizes position(sizes.size(), 0);
    for (;;) {
        body(position);
        std::size_t d = sizes.size();
        while (d > 0 && ++position[d - 1] == sizes[d - 1]) position[--d] = 0;
        if (d == 0) return;
    }
}

cpu::Buffers RandomCall::buffers() {
    return {table.data(), items.data(), indices.data(), source ? source->data() : nullptr};
}

RandomCall random_call(Random& random, bool hostile) {
    const std::int64_t element_bytes = random.one_of<std::int64_t>({1, 2, 3, 4, 8, 16, 24});
    const IndexType type = random.one_of(kAllIndexTypes);
    const std::int64_t least = random.one_in(10) ? 0 : 1;
    const std::int64_t rank = random.between(1, 4);
    const Sizes table_sizes = random.sizes(rank, least, 4);
    const bool scatters = random.one_in(2);
    const auto axis = static_cast<int>(random.between(0, rank - 1));

    RandomCall call;
    call.table = random_tensor(random, table_sizes, element_bytes, !scatters);
    begin_plan(scatters ? Direction::kScatter : Direction::kGather, type, element_bytes, call.plan);
    const auto make_indices = [&](const Sizes& sizes) {
        call.indices = random_tensor(random, sizes, index_bytes(type), true);
    };
    const auto make_items = [&](const Layout& shape) {
        call.items = random_tensor(random, sizes_of(shape), element_bytes, scatters);
    };
    const Layout& table = call.table.layout;
    const std::int64_t kind = random.between(scatters ? 1 : 0, 2);
    if (kind == 0) {
        make_indices(random.sizes(random.between(0, 2), least, 3));
        make_items(gather_shape("gather", table, call.indices.layout, axis));
        lower_gather(table, call.indices.layout, call.items.layout, axis, call.plan);
    } else if (kind == 1) {
        Sizes sizes = table_sizes;
        for (std::int64_t& size : sizes) size = random.between(std::min(size, least), size);
        sizes[static_cast<std::size_t>(axis)] = random.between(least, 5);
        make_indices(sizes);
        make_items(call.indices.layout);
        if (scatters) {
            lower_scatter_elements(table, call.indices.layout, call.items.layout, axis, call.plan);
        } else {
            lower_gather_elements(table, call.indices.layout, call.items.layout, axis, call.plan);
        }
    } else {
        const std::int64_t batch_dims = scatters ? 0 : random.between(0, rank - 1);
        Sizes sizes(table_sizes.begin(), table_sizes.begin() + batch_dims);
        const Sizes more = random.sizes(random.between(0, 2), least, 4);
        sizes.insert(sizes.end(), more.begin(), more.end());
        sizes.push_back(random.between(1, rank - batch_dims));
        make_indices(sizes);
        if (scatters) {
            make_items(scatter_nd_updates_shape("scatter_nd", table, call.indices.layout));
            lower_scatter_nd(table, call.indices.layout, call.items.layout, call.plan);
        } else {
            const auto batch = static_cast<int>(batch_dims);
            make_items(gather_nd_shape("gather_nd", table, call.indices.layout, batch));
            lower_gather_nd(table, call.indices.layout, call.items.layout, batch, call.plan);
        }
    }
    if (scatters && random.one_in(2)) {
        call.source = random_tensor(random, table_sizes, element_bytes, true);
        lower_copy(call.source->layout, call.table.layout, call.plan);
    }
    call.plan.mode = random.one_of(kAllModes);
    if (!scatters && random.one_in(2)) {
        call.fill.resize(static_cast<std::size_t>(element_bytes));
        random.fill(call.fill);
        call.plan.fill = call.fill.data();
    }
    put_random_indices(random, call, type, hostile);
    return call;
}

bool operator==(const Tensor& a, const Tensor& b) { return a.buffer == b.buffer; }

}  // namespace dmlindex::test
