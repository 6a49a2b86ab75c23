// Along which dim threads share a job.
#include "cpu/run/split.hpp"

#include <gtest/gtest.h>

#include "cpu/kernels/caches.hpp"
#include "operators/operators.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

// Sums along axis 1 of so many tables, of so many rows of 4096 floats.
cpu::Split split_of_sums(std::int64_t tables, std::int64_t rows, int threads) {
    constexpr std::int64_t kColumns = 4096;
    constexpr std::int64_t kUpdates = 50;
    Plan plan;
    begin_plan(Direction::kScatter, IndexType::kInt64, 4, plan);
    plan.reduction = Reduction::kAdd;
    plan.value_type = ValueType::kFloat32;
    const Sizes updates = {tables, kUpdates, kColumns};
    lower_scatter_elements(packed_tensor({tables, rows, kColumns}, 4).layout,
                           packed_tensor(updates, 8).layout, packed_tensor(updates, 4).layout, 1,
                           plan);
    canonicalize(plan);
    return cpu::choose_split(cpu::make_job(plan, {nullptr, nullptr, nullptr, nullptr}, threads),
                             threads);
}

TEST(Split, SmallTablesGoToOneThreadEach) {
    const cpu::Split split = split_of_sums(3, 2, 2);
    EXPECT_EQ(split.dim, 0);
    EXPECT_EQ(split.parts, 3);
}

TEST(Split, TheirRowsAreCutWhereThereAreTooFew) {
    EXPECT_EQ(split_of_sums(3, 2, 4).dim, 2);
    EXPECT_EQ(split_of_sums(1, 2, 2).parts, 16);
}

TEST(Split, LargeOnesAreCutIntoMoreParts) {
    const std::int64_t rows = cpu::caches().l2_bytes / (4 * 4096);
    EXPECT_EQ(split_of_sums(3, rows, 2).dim, 2);
}

}  // namespace
}  // namespace dmlindex::test
