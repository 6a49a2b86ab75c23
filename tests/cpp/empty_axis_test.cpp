// An axis of size 0 has no place for any index: modes that need one name the first index, a gather
// that fills gets fill everywhere, a scatter that drops changes nothing. Long enough rows for every
// kernel, of every ISA.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "operators/operators.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

enum class Operator { kGather, kElements, kTuples };

struct Case {
    Operator op;
    Direction direction;
    IndexType type;
    Mode mode;
    std::int64_t element_bytes;
    std::int64_t count;
    bool filled;
};

RandomCall empty_axis_call(Random& random, const Case& given) {
    const std::int64_t bytes = given.element_bytes;
    const bool gathers = given.direction == Direction::kGather;
    RandomCall call;
    call.table = packed_tensor({0}, bytes);
    call.items = packed_tensor({given.count}, bytes);
    random.fill(call.items.buffer);
    const bool tuples = given.op == Operator::kTuples;
    call.indices =
        packed_tensor(tuples ? Sizes{given.count, 1} : Sizes{given.count}, index_bytes(given.type));
    random.fill(call.indices.buffer);  // all kinds of them; and the smallest, in some calls
    if (random.one_in(2))
        std::fill(call.indices.buffer.begin(), call.indices.buffer.end(), std::byte{0});
    begin_plan(given.direction, given.type, bytes, call.plan);
    const Layout& table = call.table.layout;
    const Layout& indices = call.indices.layout;
    const Layout& items = call.items.layout;
    if (tuples && gathers) {
        lower_gather_nd(table, indices, items, 0, call.plan);
    } else if (tuples) {
        lower_scatter_nd(table, indices, items, call.plan);
    } else if (given.op == Operator::kGather) {
        lower_gather(table, indices, items, 0, call.plan);
    } else if (gathers) {
        lower_gather_elements(table, indices, items, 0, call.plan);
    } else {
        lower_scatter_elements(table, indices, items, 0, call.plan);
    }
    call.plan.mode = given.mode;
    if (given.filled) {
        call.fill.resize(static_cast<std::size_t>(bytes));
        random.fill(call.fill);
        call.plan.fill = call.fill.data();
    }
    return call;
}

void expect_as_formula(Random& random, const Case& given) {
    RandomCall call = empty_axis_call(random, given);
    RandomCall formula = call;
    canonicalize(call.plan);
    const auto expected = run_by_formula(formula.plan, formula.buffers());
    const auto on_failure = random.one_of({cpu::OnFailure::kAnything, cpu::OnFailure::kUntouched});
    const auto got = cpu::run(call.plan, call.buffers(), on_failure);
    ASSERT_EQ(got.has_value(), expected.has_value());
    if (got) {
        EXPECT_EQ(got->position, expected->position);
        EXPECT_EQ(got->bits, expected->bits);
    }
    EXPECT_EQ(call.items, formula.items);
}

TEST(Backend, AnEmptyAxis) {
    Random random(31);
    for (const Operator op : {Operator::kGather, Operator::kElements, Operator::kTuples}) {
        for (const Direction direction : {Direction::kGather, Direction::kScatter}) {
            if (op == Operator::kGather && direction == Direction::kScatter) continue;
            for (const IndexType type : kAllIndexTypes) {
                for (const Mode mode : kAllModes) {
                    for (const std::int64_t bytes : {1, 2, 3, 4, 8, 12, 16, 24}) {
                        for (const std::int64_t count : {0, 1, 15, 16, 17, 64, 128, 300, 3000}) {
                            const bool filled = direction == Direction::kGather &&
                                                mode == Mode::kSkip && random.one_in(2);
                            SCOPED_TRACE("operator " + std::to_string(static_cast<int>(op)) +
                                         ", index type " + std::to_string(static_cast<int>(type)) +
                                         ", mode " + std::to_string(static_cast<int>(mode)) + ", " +
                                         std::to_string(count) + " elements of " +
                                         std::to_string(bytes) + " bytes");
                            expect_as_formula(random,
                                              {op, direction, type, mode, bytes, count, filled});
                            if (HasFailure()) return;
                        }
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace dmlindex::test
