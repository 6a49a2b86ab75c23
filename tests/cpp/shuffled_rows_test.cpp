// Rows that share their indices, of every width of slice, out of tables between guard pages and
// into items between others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cpu/backend.hpp"
#include "kernels/guarded.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

// A place for so many bytes at one of the ends of memory that nobody may leave.
std::byte* place(Random& random, const GuardedPages& pages, std::int64_t bytes) {
    return random.one_in(2) ? pages.begin() : pages.end() - bytes;
}

TEST(ShuffledRows, AsOneByOne) {
    constexpr std::int64_t kMostBytes = 1 << 20;
    constexpr unsigned char kUntouched = 0xa5;
    Random random(20261125);
    const GuardedPages table_pages(kMostBytes);
    const GuardedPages item_pages(kMostBytes);
    random.fill({table_pages.begin(), table_pages.end()});
    for (int call = 0; call < 4000; ++call) {
        const std::int64_t slice = random.between(1, 16);
        const std::int64_t places =
            random.one_of<std::int64_t>({1, 2, random.between(1, 8), random.between(1, 90)});
        const std::int64_t count =
            random.one_of<std::int64_t>({1, 2, random.between(1, 40), random.between(1, 300)});
        const std::int64_t apart =
            places * slice + random.one_of<std::int64_t>({0, 0, random.between(1, 40)});
        const std::int64_t stride = random.one_of({apart, apart, -apart, std::int64_t{0}});
        const std::int64_t gap = random.one_of<std::int64_t>({0, 0, random.between(1, 40)});
        const std::int64_t row_bytes = count * slice + gap;
        // Blocks of rows, that do not go on from one to the next.
        const std::int64_t blocks = random.one_of<std::int64_t>({1, 1, random.between(2, 200)});
        const std::int64_t most = kMostBytes / blocks / std::max(apart, row_bytes) - 1;
        if (most < 1) continue;
        const std::int64_t rows = random.between(1, std::min<std::int64_t>(most, 2000));
        const std::int64_t block_stride = rows * std::abs(stride) + (blocks > 1 ? slice : 0);
        std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
        for (std::int64_t& index : indices) index = random.between(0, places - 1);

        const std::int64_t table_bytes =
            (blocks - 1) * block_stride + (rows - 1) * std::abs(stride) + places * slice;
        std::byte* const lowest = place(random, table_pages, table_bytes);
        std::byte* const table = stride < 0 ? lowest - (rows - 1) * stride : lowest;
        std::byte* const items = place(random, item_pages, blocks * rows * row_bytes - gap);
        std::memset(items, kUntouched, static_cast<std::size_t>(blocks * rows * row_bytes - gap));

        Plan plan{};
        plan.direction = Direction::kGather;
        plan.mode = Mode::kRaise;
        plan.index_type = IndexType::kInt64;
        plan.slice_bytes = slice;
        plan.element_bytes = slice;
        plan.coordinate_count = 1;
        plan.coordinates[0] = {places, slice, 0, 0};
        plan.rank = 3;
        plan.dims[0] = {blocks, block_stride, rows * row_bytes, 0};
        plan.dims[1] = {rows, stride, row_bytes, 0};
        plan.dims[2] = {count, 0, slice, 8};
        plan.index_rank = 1;
        plan.index_dims[0] = {count, 8};
        cpu::Buffers buffers{};
        buffers.table = table;
        buffers.items = items;
        buffers.indices = reinterpret_cast<const std::byte*>(indices.data());
        ASSERT_FALSE(cpu::run(plan, buffers, cpu::OnFailure::kAnything));
        for (std::int64_t r = 0; r < blocks * rows; ++r) {
            const std::byte* const row = table + r / rows * block_stride + r % rows * stride;
            std::byte* const found = items + r * row_bytes;
            const auto say = [&] {
                return std::to_string(blocks) + " blocks of " + std::to_string(rows) + " rows of " +
                       std::to_string(places) + " places, " + std::to_string(stride) +
                       " bytes apart, by " + std::to_string(count) + " indices, slices of " +
                       std::to_string(slice) + ": row " + std::to_string(r);
            };
            for (std::int64_t i = 0; i < count; ++i) {
                const std::byte* const slice_there =
                    row + indices[static_cast<std::size_t>(i)] * slice;
                ASSERT_EQ(
                    std::memcmp(found + i * slice, slice_there, static_cast<std::size_t>(slice)), 0)
                    << say() << ", index " << i;
            }
            if (r + 1 == blocks * rows) continue;
            for (std::int64_t b = count * slice; b < row_bytes; ++b)
                ASSERT_EQ(found[b], std::byte{kUntouched}) << say() << ", behind it";
        }
    }
}

}  // namespace
}  // namespace dmlindex::test
