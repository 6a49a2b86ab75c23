// Which tables and indices are copied, to be read packed. What comes out is for the tests in
// Python, tests/functions/test_layouts.py.
#include "cpu/run/packed.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "operators/operators.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

// A gather of so many rows of a table of floats, each of which has so many bytes between its
// elements.
struct GatherOfRows {
    static constexpr std::int64_t kRows = 10;
    static constexpr std::int64_t kColumns = 16;
    std::vector<std::byte> bytes;
    Plan plan;

    GatherOfRows(std::int64_t count, std::int64_t gap, std::int64_t rows = kRows) {
        Layout table = packed_tensor({rows, kColumns}, 4).layout;
        for (int d = 0; d < 2; ++d) table.strides[d] = table.strides[d] / 4 * (4 + gap);
        bytes.resize(static_cast<std::size_t>(kRows * kColumns * (4 + gap)));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
        begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
        plan.mode = rows > 0 ? Mode::kClamp : Mode::kSkip;
        lower_gather(table, packed_tensor({count}, 8).layout,
                     packed_tensor({count, kColumns}, 4).layout, 0, plan);
        canonicalize(plan);
    }

    std::optional<cpu::Packed> pack() {
        return cpu::pack(plan, {bytes.data(), nullptr, nullptr, nullptr});
    }
};

TEST(Packed, RowsAreOnePieceThen) {
    GatherOfRows rows(1000, 4);
    ASSERT_EQ(rows.plan.slice_bytes, 4);
    const auto packed = rows.pack();
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->plan.slice_bytes, 4 * GatherOfRows::kColumns);
    EXPECT_EQ(packed->plan.rank, 1);
    EXPECT_FALSE(packed->plan.copies_source);
    for (std::int64_t i = 0; i < GatherOfRows::kRows * GatherOfRows::kColumns; ++i) {
        for (std::int64_t b = 0; b < 4; ++b) {
            ASSERT_EQ(packed->buffers.table[4 * i + b],
                      rows.bytes[static_cast<std::size_t>(8 * i + b)]);
        }
    }
}

TEST(Packed, OnlyWhereItIsReadOften) {
    EXPECT_TRUE(GatherOfRows(100, 1).pack());
    EXPECT_FALSE(GatherOfRows(2 * GatherOfRows::kRows - 1, 1, 40).pack());
    EXPECT_FALSE(GatherOfRows(20, 1).pack());  // few positions
}

// Nothing is there to be read.
TEST(Packed, NoMoreThanACallMayTake) {
    constexpr std::int64_t kRows = 5 << 20;
    Layout table = packed_tensor({0, 16}, 4).layout;
    table.sizes[0] = kRows;
    table.strides[0] = 128;
    table.strides[1] = 8;
    Layout indices = packed_tensor({0}, 8).layout;
    indices.sizes[0] = 3 * kRows;
    indices.strides[0] = 8;
    Layout rows = packed_tensor({0, 16}, 4).layout;
    rows.sizes[0] = 3 * kRows;
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    plan.mode = Mode::kClamp;
    lower_gather(table, indices, rows, 0, plan);
    canonicalize(plan);
    EXPECT_FALSE(cpu::pack(plan, {nullptr, nullptr, nullptr, nullptr}));
}

TEST(Packed, WhatIsPackedStays) { EXPECT_FALSE(GatherOfRows(1000, 0).pack()); }

TEST(Packed, AnAxisOfOnePlaceSaysNothing) {
    Layout table = packed_tensor({16, 1}, 4).layout;
    table.strides[1] = 0;
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    plan.mode = Mode::kClamp;
    lower_gather(table, packed_tensor({100}, 8).layout, packed_tensor({16, 100}, 4).layout, 1,
                 plan);
    canonicalize(plan);
    EXPECT_FALSE(cpu::pack(plan, {nullptr, nullptr, nullptr, nullptr}));
}

// Of a row of floats by so many indices, the next of which lies so many bytes further.
bool copies_indices(std::int64_t count, std::int64_t stride) {
    Layout indices = packed_tensor({count}, 8).layout;
    indices.strides[0] = stride;
    Plan plan;
    begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
    plan.mode = Mode::kClamp;
    lower_gather(packed_tensor({1 << 20}, 4).layout, indices, packed_tensor({count}, 4).layout, 0,
                 plan);
    canonicalize(plan);
    std::vector<std::byte> bytes(static_cast<std::size_t>(count * stride));
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(bytes.data() + i * stride, &i, 8);
    const auto packed = cpu::pack(plan, {nullptr, nullptr, bytes.data(), nullptr});
    if (!packed) return false;
    EXPECT_EQ(packed->plan.dims[0].index_stride, 8);
    for (std::int64_t i = 0; i < count; ++i) {
        EXPECT_EQ(std::memcmp(packed->buffers.indices + 8 * i, &i, 8), 0);
    }
    return true;
}

TEST(Packed, IndicesThatEachHaveALine) {
    EXPECT_TRUE(copies_indices(4096, 64));
    EXPECT_FALSE(copies_indices(4095, 64));
    EXPECT_FALSE(copies_indices(4096, 56));
}

TEST(Packed, NothingOfAnEmptyOne) { EXPECT_FALSE(GatherOfRows(1000, 4, 0).pack()); }

// Single elements by tuples of indices: no slices come together, so that many reads have to pay.
TEST(Packed, SingleElementsThatAreReadVeryOften) {
    for (const auto& [count, pays] : {std::pair{2000, false}, std::pair{3000, true}}) {
        Layout table = packed_tensor({10, 16}, 4).layout;
        table.strides[1] = 40;
        table.strides[0] = 4;
        Plan plan;
        begin_plan(Direction::kGather, IndexType::kInt64, 4, plan);
        plan.mode = Mode::kClamp;
        lower_gather_nd(table, packed_tensor({count, 2}, 8).layout,
                        packed_tensor({count}, 4).layout, 0, plan);
        canonicalize(plan);
        std::vector<std::byte> bytes(640);
        const auto packed = cpu::pack(plan, {bytes.data(), nullptr, nullptr, nullptr});
        ASSERT_EQ(packed.has_value(), pays);
        if (pays) {
            EXPECT_EQ(packed->plan.coordinates[0].table_stride, 64);
        }
    }
}

}  // namespace
}  // namespace dmlindex::test
