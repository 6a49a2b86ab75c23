// The D3D12 backend without Python, on the first adapter there is; and what it refuses.
#ifdef DMLINDEX_HAS_D3D12

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "d3d12/backend.hpp"
#include "d3d12/encode/limits.hpp"
#include "dmlindex/error.hpp"
#include "operators/operators.hpp"
#include "plan/facts.hpp"

namespace dmlindex {
namespace {

Layout packed(std::initializer_list<std::int64_t> sizes, std::int64_t element_bytes) {
    Layout layout;
    for (const std::int64_t size : sizes) layout.sizes[layout.rank++] = size;
    set_packed_strides(layout, element_bytes, "test");
    return layout;
}

// Rows of a table of words, taken or written to, by 32-bit indices.
Plan row_plan(Direction direction, std::int64_t rows, std::int64_t row_words, std::int64_t count) {
    const Layout table = packed({rows, row_words}, 4);
    const Layout items = packed({count, row_words}, 4);
    Plan plan;
    begin_plan(direction, IndexType::kInt32, 4, plan);
    if (direction == Direction::kGather) {
        lower_gather(table, packed({count}, 4), items, 0, plan);
    } else {
        lower_scatter_nd(table, packed({count, 1}, 4), items, plan);
        lower_copy(table, table, plan);
    }
    canonicalize(plan);
    return plan;
}

class DeviceTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string reason;
        d3d12::list_adapters(reason);
        if (!reason.empty()) GTEST_SKIP() << reason;
        device_ = d3d12::Device::open(0);
    }

    template <typename T>
    std::unique_ptr<d3d12::Memory> upload(const std::vector<T>& values) {
        auto memory = std::make_unique<d3d12::Memory>(device_, values.size() * sizeof(T));
        device_->upload(*memory, values.data());
        return memory;
    }

    std::vector<std::uint32_t> download(const d3d12::Memory& memory) {
        std::vector<std::uint32_t> values(memory.bytes() / 4);
        device_->download(memory, values.data());
        return values;
    }

    std::shared_ptr<d3d12::Device> device_;
};

// An adapter that says it adds floats does so, and none that would exchange them is taken for it.
TEST_F(DeviceTest, AddsFloatsWhereItsAdapterDoes) {
    const d3d12::AtomicAdds adds = device_->adds();
    const d3d12::AtomicAdds expected =
        device_->uses_typed_views() ? device_->adapter().adds : d3d12::AtomicAdds{};
    EXPECT_EQ(adds.floats, expected.floats);
    EXPECT_EQ(adds.halves, expected.halves);
}

std::string describe(const BadIndex& bad) {
    return "indices[" + std::to_string(bad.position) +
           "] = " + std::to_string(static_cast<std::int64_t>(bad.bits));
}

constexpr std::int64_t kRows = 50;

class Rows : public DeviceTest, public testing::WithParamInterface<std::int64_t> {};

TEST_P(Rows, AreTakenAndComeBack) {
    const std::int64_t row_words = GetParam();
    std::vector<std::uint32_t> table(static_cast<std::size_t>(kRows * row_words));
    std::iota(table.begin(), table.end(), 0x01020304u);
    std::vector<std::int32_t> reversed(kRows);
    for (int i = 0; i < kRows; ++i) reversed[static_cast<std::size_t>(i)] = -1 - i;
    const auto input = upload(table);
    const auto indices = upload(reversed);
    const d3d12::Memory rows(device_, input->bytes());
    const d3d12::Memory back(device_, input->bytes());
    device_->run(row_plan(Direction::kGather, kRows, row_words, kRows),
                 {input.get(), &rows, indices.get(), nullptr}, true, describe);
    const std::vector<std::uint32_t> taken = download(rows);
    for (std::int64_t at = 0; at < kRows * row_words; ++at) {
        const std::int64_t from = (kRows - 1 - at / row_words) * row_words + at % row_words;
        ASSERT_EQ(taken[static_cast<std::size_t>(at)], table[static_cast<std::size_t>(from)]);
    }
    device_->run(row_plan(Direction::kScatter, kRows, row_words, kRows),
                 {&back, &rows, indices.get(), input.get()}, true, describe);
    EXPECT_EQ(download(back), table);
}

INSTANTIATE_TEST_SUITE_P(OfWords, Rows, testing::Values(1, 3, 8));

TEST_F(DeviceTest, AnIndexErrorComesWithTheResult) {
    const auto input = upload(std::vector<std::uint32_t>(kRows, 7));
    const auto indices = upload(std::vector<std::int32_t>{0, 1, 50, -51});
    const d3d12::Memory output(device_, 16);
    device_->run(row_plan(Direction::kGather, kRows, 1, 4),
                 {input.get(), &output, indices.get(), nullptr}, true, describe);
    try {
        download(output);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kIndex);
        EXPECT_STREQ(error.what(), "indices[2] = 50");
    }
}

TEST_F(DeviceTest, MemoryIsGivenBack) {
    const std::uint64_t before = device_->used_bytes();
    { const d3d12::Memory memory(device_, 1 << 20); }
    EXPECT_EQ(device_->used_bytes(), before);
}

TEST_F(DeviceTest, OfMoreMemoryThanThereIsTheDeviceSurvives) {
    try {
        const d3d12::Memory memory(device_, std::uint64_t{1} << 46);
        FAIL() << "64 TiB are there";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kMemory) << error.what();
    }
    const std::vector<std::uint32_t> values{1, 2, 3};
    EXPECT_EQ(download(*upload(values)), values);
}

TEST_F(DeviceTest, OnceRemovedItSaysSo) {
    const auto memory = upload(std::vector<std::uint32_t>{1, 2, 3});
    EXPECT_FALSE(device_->is_lost());
    device_->remove();
    EXPECT_TRUE(device_->is_lost());
    try {
        download(*memory);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kDevice);
        EXPECT_NE(std::string(error.what()).find("was removed"), std::string::npos);
    }
    const auto again = d3d12::Device::open(0);
    const d3d12::Memory cleared(again, 16);
    again->clear(cleared);
    again->synchronize();
}

// ---- what reaches further than views, before anything is queued: here, spans that nothing backs
// --

std::vector<d3d12::Section> sections_of(const Plan& plan, std::int64_t table_bytes,
                                        std::int64_t items_bytes, std::int64_t index_bytes,
                                        bool typed_views) {
    const auto span = [](std::int64_t bytes) {
        return d3d12::Span{nullptr, 0, static_cast<std::uint64_t>(bytes)};
    };
    return d3d12::find_sections(plan,
                                {span(table_bytes), span(items_bytes), span(index_bytes),
                                 plan.copies_source ? span(table_bytes) : d3d12::Span{}},
                                {typed_views});
}

std::vector<d3d12::Section> sections_of_rows(const Plan& plan, std::int64_t rows,
                                             std::int64_t row_words, std::int64_t count,
                                             bool typed_views) {
    return sections_of(plan, rows * row_words * 4, count * row_words * 4, count * 4, typed_views);
}

std::string refusal_of_rows(Direction direction, std::int64_t rows, std::int64_t row_words,
                            std::int64_t count, bool typed_views) {
    try {
        EXPECT_TRUE(sections_of_rows(row_plan(direction, rows, row_words, count), rows, row_words,
                                     count, typed_views)
                        .empty());
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kDevice);
        return error.what();
    }
    return {};
}

// Each begins where the last one ends, at a multiple of 16 bytes, and no view of it is too large.
void expect_all_rows(const std::vector<d3d12::Section>& sections, std::int64_t row_words,
                     std::int64_t count) {
    std::int64_t rows = 0;
    EXPECT_GT(sections.size(), 1u);
    for (const d3d12::Section& section : sections) {
        EXPECT_EQ(section.tensors.items.offset, static_cast<std::uint64_t>(rows * row_words * 4));
        EXPECT_EQ(section.tensors.indices.offset, static_cast<std::uint64_t>(rows * 4));
        EXPECT_EQ(rows * 4 % 16, 0);
        EXPECT_LE(section.tensors.items.bytes, 512u << 20);
        EXPECT_LE(section.tensors.indices.bytes, 512u << 20);
        EXPECT_FALSE(section.plan.copies_source);
        rows += position_count(section.plan);
    }
    EXPECT_EQ(rows, count);
}

constexpr std::int64_t kMebi = 1 << 20;

TEST(DeviceLimits, TablesPastAView) {
    EXPECT_EQ(refusal_of_rows(Direction::kGather, 128 * kMebi, 1, 1, false), "");
    EXPECT_EQ(refusal_of_rows(Direction::kGather, 129 * kMebi, 1, 1, false),
              "d3d12: input has 541065216 bytes, and a view here reaches 536870912 (2^27 texels); "
              "use device=\"cpu\"");
    EXPECT_EQ(refusal_of_rows(Direction::kScatter, 129 * kMebi, 1, 1, true),
              "d3d12: output has 541065216 bytes, and a view here reaches 536870912 (2^27 texels); "
              "use device=\"cpu\"");
}

TEST(DeviceLimits, PiecesOfSixteenBytesReachFourTimesAsFar) {
    EXPECT_EQ(refusal_of_rows(Direction::kGather, 128 * kMebi, 4, 1, true), "");
    EXPECT_NE(refusal_of_rows(Direction::kGather, 129 * kMebi, 4, 1, true), "");
    EXPECT_NE(refusal_of_rows(Direction::kGather, 128 * kMebi, 4, 1, false), "");
    EXPECT_EQ(refusal_of_rows(Direction::kGather, 511 * kMebi, 1, 1, true), "");
    EXPECT_NE(refusal_of_rows(Direction::kGather, 513 * kMebi, 1, 1, true), "");
}

TEST(DeviceLimits, WhatIsTakenOrWrittenIsDoneInSections) {
    for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
        const std::int64_t count = 3 * kMebi + 1;
        expect_all_rows(sections_of_rows(row_plan(direction, 1, 64, count), 1, 64, count, false),
                        64, count);
    }
    const std::int64_t count = 129 * kMebi + 3;
    expect_all_rows(sections_of_rows(row_plan(Direction::kGather, 9, 1, count), 9, 1, count, true),
                    1, count);
}

TEST(DeviceLimits, AReductionTakesSoManyPairsASection) {
    const std::int64_t count = (std::int64_t{1} << 26) + 5;
    Plan plan = row_plan(Direction::kScatter, 9, 1, count);
    plan.reduction = Reduction::kAdd;
    plan.value_type = ValueType::kFloat32;
    const auto sections = sections_of_rows(plan, 9, 1, count, true);
    expect_all_rows(sections, 1, count);
    EXPECT_EQ(sections.size(), 2u);
}

}  // namespace
}  // namespace dmlindex

#endif
