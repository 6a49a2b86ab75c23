// The trials of reductions, and of updates by their indices. What is no plain arithmetic has the
// scalar kernels as its plain loop (the Python tests hold those to NumPy).
#include <algorithm>

#include "indices.hpp"
#include "values.hpp"

namespace dmlindex::test {
namespace {

using cpu::Block;

// Targets are the same or apart.
void try_reduce(Case& c, cpu::MoveKernel kernel) {
    Random& random = c.random;
    const auto type = c.at<ValueType>(0);
    const auto reduction = c.at<Reduction>(1);
    const std::int64_t value_bytes = kValueBytes[c.at(0)];
    const std::int64_t values = c.timed ? std::max<std::int64_t>(64 / value_bytes, 1)
                                        : random.one_of({std::int64_t{1}, random.between(2, 40)});
    const std::int64_t bytes = values * value_bytes;
    const std::int64_t places = c.timed ? 64 : random.between(1, 20);
    const std::int64_t table_bytes = places * bytes;
    const Twin table = c.buffer(table_bytes);
    // One place gets one update, or some in a row.
    const std::int64_t longest =
        c.timed ? 1 : random.one_of({std::int64_t{1}, std::int64_t{40}, std::int64_t{300}});
    const bool packed = c.timed || (longest > 1 && random.one_in(2));
    const std::int64_t stride =
        packed ? bytes : random.one_of({bytes, -bytes, std::int64_t{0}, bytes + 3 * value_bytes});
    const Pieces items = c.pieces(c.count, bytes, stride);
    put_values(c, type, table, table_bytes);
    const std::int64_t reach =
        std::max<std::int64_t>(c.count - 1, 0) * std::min<std::int64_t>(stride, 0);
    const std::int64_t item_bytes =
        c.count == 0 ? 0 : std::max<std::int64_t>(c.count - 1, 0) * std::abs(stride) + bytes;
    put_values(c, type, items.origin + reach, item_bytes);
    const Twin kept = c.buffer(8 * c.count, 8);
    const std::int64_t origin = random.between(0, table_bytes);
    std::int64_t offset = 0;
    for (std::int64_t i = 0, run_end = 0; i < c.count; ++i) {
        if (i == run_end) {
            run_end += random.between(1, longest);
            offset = random.between(0, places - 1) * bytes - origin;
            if (!c.timed && random.one_in(5)) offset = cpu::kSkipped;
        }
        std::memcpy(kept.data + 8 * i, &offset, sizeof offset);
        std::memcpy(kept.expected + 8 * i, &offset, sizeof offset);
    }
    const auto block = [&](const Pieces& from, std::byte* target, std::byte* item) {
        return Block{target + origin, reinterpret_cast<const std::int64_t*>(kept.data),
                     c.count,         item,
                     from.stride,     bytes,
                     value_bytes,     !c.timed && random.one_in(2),
                     nullptr,         c.random_bytes(256 * 256),
                     random.one_in(2)};
    };
    const Block call = block(items, table.data, items.origin.data);
    c.call([&] { kernel(call); });
    if (c.timed) return;
    Block plain = block(items, table.expected, items.origin.expected);
    plain.byte_table = call.byte_table;
    for (std::int64_t i = 0; i < c.count; ++i) {
        if (plain.offsets[i] == cpu::kSkipped) continue;
        for (std::int64_t s = 0; s < bytes; s += value_bytes) {
            if (!combine(type, reduction, plain.table + plain.offsets[i] + s,
                         plain.items + i * stride + s, plain.byte_table)) {
                static const cpu::Kernels scalar = cpu::kernels_of("scalar");
                scalar.reduce[c.at(0)][c.at(1)](plain);
                drop_padding(type, table, table_bytes);
                return;
            }
        }
    }
}

// Packed indices and elements, up to the first index that is out of range. combine does it for one
// element.
template <class Combine>
void try_update(Case& c, cpu::UpdateKernel kernel, IndexType type, std::int64_t bytes,
                const Twin& table, std::int64_t limit, const Twin& items, Combine combine) {
    const std::int64_t index_size = index_bytes(type);
    const Twin indices = c.buffer(c.count * index_size);
    const std::int64_t hostile = hostility(c);
    std::int64_t good = c.count;
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < c.count; ++i) {
        const bool odd = now_and_then(c.random, hostile);
        const std::uint64_t bits =
            put_index(indices + i * index_size, type, any_index(c.random, type, limit, odd));
        const auto value = static_cast<std::int64_t>(bits);
        const bool from_end = is_signed(type) && value < 0;
        places.push_back(from_end ? value + limit : value);
        if (places.back() < 0 || places.back() >= limit) good = std::min(good, i);
    }
    const Coordinate coordinate{limit, bytes, 0, 0};
    const cpu::IndexRun run{indices.data, index_size, c.count, 0, 0, &coordinate, 1};
    std::int64_t moved = 0;
    const bool far = !c.timed && c.random.one_in(2);
    c.call([&] { moved = kernel(run, table.data, items.data, far); });
    c.same("moved", moved, good);
    for (std::int64_t i = 0; i < good; ++i) {
        combine(table.expected + places[static_cast<std::size_t>(i)] * bytes,
                items.expected + i * bytes);
    }
}

std::int64_t few_places(Case& c) {
    return c.timed ? 1000 : c.random.one_of({std::int64_t{1}, c.random.between(2, 300)});
}

void try_put(Case& c, cpu::UpdateKernel kernel) {
    const std::int64_t bytes = cpu::kClassBytes[c.at(0)];
    const std::int64_t limit = few_places(c);
    const Twin table = c.buffer(limit * bytes);
    const Twin items = c.buffer(c.count * bytes);
    try_update(c, kernel, c.at<IndexType>(1), bytes, table, limit, items,
               [&](std::byte* target, const std::byte* item) {
                   std::memcpy(target, item, static_cast<std::size_t>(bytes));
               });
}

void try_put_reduced(Case& c, cpu::UpdateKernel kernel) {
    const auto type = c.at<ValueType>(0);
    const std::int64_t bytes = kValueBytes[c.at(0)];
    const std::int64_t limit = few_places(c);
    const Twin table = c.buffer(limit * bytes);
    const Twin items = c.buffer(c.count * bytes);
    put_values(c, type, table, limit * bytes);
    put_values(c, type, items, c.count * bytes);
    try_update(
        c, kernel, c.at<IndexType>(2), bytes, table, limit, items,
        [&](std::byte* target, const std::byte* item) {
            if (combine(type, c.at<Reduction>(1), target, item, nullptr)) return;
            static const cpu::Kernels scalar = cpu::kernels_of("scalar");
            const std::int64_t offset = 0;
            scalar.reduce[c.at(0)][c.at(1)]({target, &offset, 1, const_cast<std::byte*>(item),
                                             bytes, bytes, bytes, false, nullptr, nullptr});
        });
}

void try_scatter_strip(Case& c, cpu::StripScatterKernel kernel) {
    Random& random = c.random;
    const std::int64_t bytes = cpu::kClassBytes[c.at(0)];
    const std::int64_t width = c.timed ? 32 : random.between(1, 70);
    const std::int64_t limit = c.timed ? 1000 : random.between(1, 40);
    const std::int64_t count = c.count / width;
    const std::int64_t row_bytes = width * bytes;
    const std::int64_t stride =
        random.one_of({row_bytes, -row_bytes, std::int64_t{0}, row_bytes + 5});
    const Twin rows = c.buffer(2 * count * width, 2);
    const Twin table = c.buffer(limit * row_bytes);
    const Pieces items = c.pieces(count, row_bytes, stride);
    for (std::int64_t i = 0; i < count * width; ++i) {
        const std::int64_t row = random.between(0, limit - 1);
        put(rows + 2 * i, row, 2);
        std::memcpy(table.expected + (row * width + i % width) * bytes,
                    items.origin.expected + i / width * stride + i % width * bytes,
                    static_cast<std::size_t>(bytes));
    }
    c.call([&] {
        kernel(reinterpret_cast<const std::uint16_t*>(rows.data), count, width, table.data,
               items.origin.data, stride);
    });
}

}  // namespace

std::vector<Family> reduce_families() {
    using cpu::Kernels;
    return {
        family<&Kernels::reduce, try_reduce>("reduce", {Axis::kValueType, Axis::kReduction}),
        family<&Kernels::put, try_put>("put", {Axis::kSlice, Axis::kIndexType}),
        family<&Kernels::scatter_strip, try_scatter_strip>("scatter_strip", {Axis::kSlice}),
        family<&Kernels::put_reduced, try_put_reduced>(
            "put_reduced", {Axis::kValueType, Axis::kReduction, Axis::kIndexType}),
    };
}

}  // namespace dmlindex::test
