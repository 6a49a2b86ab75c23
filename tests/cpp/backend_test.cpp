// cpu::run against the plan's formula: every direction, mode, index type and thread count.
#include "cpu/backend.hpp"

#include <gtest/gtest.h>

#include "operators/operators.hpp"
#include "parallel/parallel.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

// Runs with this many threads, however small the call, until it goes out of scope.
class Threads {
  public:
    explicit Threads(int count) : before_(get_num_threads()) { set_num_threads(count); }
    ~Threads() { set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

  private:
    int before_;
};

void expect_same(const std::optional<BadIndex>& got, const std::optional<BadIndex>& expected) {
    ASSERT_EQ(got.has_value(), expected.has_value());
    if (!got) return;
    EXPECT_EQ(got->position, expected->position);
    EXPECT_EQ(got->coordinate, expected->coordinate);
    EXPECT_EQ(got->bits, expected->bits);
}

// Both as it is and as who runs it often.
void expect_run_as_formula(const RandomCall& before, cpu::OnFailure on_failure) {
    RandomCall formula = before;
    const auto expected = run_by_formula(formula.plan, formula.buffers());
    for (const bool is_prepared : {false, true}) {
        SCOPED_TRACE(is_prepared ? "prepared" : "run once");
        RandomCall call = before;
        canonicalize(call.plan);
        const cpu::Prepared prepared = is_prepared ? cpu::prepare(call.plan) : cpu::Prepared{};
        expect_same(cpu::run(call.plan, prepared, call.buffers(), on_failure), expected);
        if (!expected) {
            EXPECT_EQ(call.table, formula.table);
            EXPECT_EQ(call.items, formula.items);
        } else if (on_failure == cpu::OnFailure::kUntouched) {
            EXPECT_EQ(call.table, before.table);
            EXPECT_EQ(call.items, before.items);
        }
        EXPECT_EQ(call.indices, before.indices);
    }
}

TEST(Backend, SmallCalls) {
    Random random(6);
    for (int i = 0; i < 6000 && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("call " + std::to_string(i));
        expect_run_as_formula(
            random_call(random, random.one_in(2)),
            random.one_of({cpu::OnFailure::kAnything, cpu::OnFailure::kUntouched}));
    }
}

// What is looked up as a whole, to either side of the sizes up to which that is so.
TEST(Backend, PackedRows) {
    Random random(10);
    const auto row = [&](std::int64_t count, std::int64_t bytes, Mode mode) {
        RandomCall call;
        call.table = random_tensor(random, {random.between(1, 60)}, bytes, false);
        call.items = packed_tensor({count}, bytes);
        const IndexType type = random.one_of(kAllIndexTypes);
        call.indices = packed_tensor({count}, index_bytes(type));
        begin_plan(Direction::kGather, type, bytes, call.plan);
        lower_gather(call.table.layout, call.indices.layout, call.items.layout, 0, call.plan);
        call.plan.mode = mode;
        const std::int64_t last = call.table.layout.sizes[0] - 1 + (random.one_in(3) ? 1 : 0);
        for (std::int64_t i = 0; i < count; ++i) {
            set_index(call.indices, Sizes{i}, random.between(0, last));
        }
        return call;
    };
    for (const std::int64_t bytes : {1, 2, 3, 4, 8, 12, 16, 40}) {
        for (const Mode mode : kAllModes) {
            for (const std::int64_t count : {1, 2, 7, 16, 33, 127, 128, 511, 512, 513, 1025}) {
                SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(bytes) + " bytes");
                expect_run_as_formula(
                    row(count, bytes, mode),
                    random.one_of({cpu::OnFailure::kAnything, cpu::OnFailure::kUntouched}));
            }
        }
    }
}

// Large enough for threads: items by tuples of two numbers, with a slice of slice_elements behind.
// From the item bad_from on, the second number is out of range.
RandomCall large_call(Random& random, Direction direction, Mode mode, std::int64_t count,
                      std::int64_t slice_elements, std::int64_t bad_from) {
    constexpr std::int64_t kElementBytes = 4;
    const Sizes table{3, 5, slice_elements};
    RandomCall call;
    call.table = random_tensor(random, table, kElementBytes, false);
    call.items = random_tensor(random, {count, slice_elements}, kElementBytes, false);
    call.indices = packed_tensor({count, 2}, 8);
    begin_plan(direction, IndexType::kInt64, kElementBytes, call.plan);
    if (direction == Direction::kGather) {
        lower_gather_nd(call.table.layout, call.indices.layout, call.items.layout, 0, call.plan);
    } else {
        lower_scatter_nd(call.table.layout, call.indices.layout, call.items.layout, call.plan);
        call.source = random_tensor(random, table, kElementBytes, false);
        lower_copy(call.source->layout, call.table.layout, call.plan);
    }
    call.plan.mode = mode;
    for (std::int64_t i = 0; i < count; ++i) {
        set_index(call.indices, Sizes{i, 0}, random.between(-3, 2));
        set_index(call.indices, Sizes{i, 1}, i < bad_from ? random.between(-5, 4) : 99 + i);
    }
    return call;
}

TEST(Backend, HasTheThreadsItWasBuiltWith) {
    EXPECT_STREQ(thread_library(), DMLINDEX_EXPECTED_THREADS);
}

TEST(Backend, ThreadsGiveWhatOneDoes) {
    Random random(7);
    for (const int threads : {1, 2, 5}) {
        const Threads limit(threads);
        for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
            for (const Mode mode : kAllModes) {
                for (const std::int64_t slice : {1, 2, 7, 64, 300}) {
                    SCOPED_TRACE(std::to_string(threads) + " threads, slice " +
                                 std::to_string(slice));
                    const std::int64_t count = 50000 / slice;  // past where a call is split
                    for (const std::int64_t bad_from : {count, count - 3, count / 2}) {
                        expect_run_as_formula(
                            large_call(random, direction, mode, count, slice, bad_from),
                            cpu::OnFailure::kUntouched);
                    }
                }
            }
        }
    }
}

TEST(Backend, AFewLargeSlices) {
    Random random(8);
    const Threads limit(3);
    for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
        expect_run_as_formula(large_call(random, direction, Mode::kRaise, 2, 200001, 2),
                              cpu::OnFailure::kUntouched);
        expect_run_as_formula(large_call(random, direction, Mode::kSkip, 1, 200001, 0),
                              cpu::OnFailure::kAnything);
    }
}

// An index names the axis without places even if another number of its tuple is out of range.
TEST(Backend, AnAxisWithoutPlaces) {
    for (const Mode mode : {Mode::kRaise, Mode::kClamp, Mode::kWrap}) {
        RandomCall call;
        call.table = packed_tensor({4, 0}, 4);
        call.items = packed_tensor({2}, 4);
        call.indices = packed_tensor({2, 2}, 8);
        set_index(call.indices, Sizes{0, 0}, 9);
        begin_plan(Direction::kGather, IndexType::kInt64, 4, call.plan);
        lower_gather_nd(call.table.layout, call.indices.layout, call.items.layout, 0, call.plan);
        call.plan.mode = mode;
        expect_run_as_formula(call, cpu::OnFailure::kAnything);
        const auto bad = cpu::run(call.plan, call.buffers(), cpu::OnFailure::kAnything);
        ASSERT_TRUE(bad);
        EXPECT_EQ(bad->coordinate, mode == Mode::kRaise ? 0 : 1);
    }
}

// Offsets held for the write take the narrowest type: tables on both sides of each border.
TEST(Backend, HeldOffsetsAtTheBordersOfTheirWidth) {
    Random random(9);
    for (const std::int64_t limit : {255, 256, 257, 65535, 65536, 65537}) {
        RandomCall call;
        call.table = random_tensor(random, {limit}, 1, false);
        call.items = random_tensor(random, {64}, 1, false);
        call.indices = packed_tensor({64}, 4);
        begin_plan(Direction::kScatter, IndexType::kInt32, 1, call.plan);
        lower_scatter_elements(call.table.layout, call.indices.layout, call.items.layout, 0,
                               call.plan);
        for (std::int64_t i = 0; i < 64; ++i) {
            set_index(call.indices, Sizes{i},
                      random.one_of({limit - 1, std::int64_t{0}, -limit, i}));
        }
        expect_run_as_formula(call, cpu::OnFailure::kUntouched);
    }
}

}  // namespace
}  // namespace dmlindex::test
