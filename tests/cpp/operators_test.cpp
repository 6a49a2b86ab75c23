// The shape rules, and each lowering against the operator's own formula.
#include "operators/operators.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "dmlindex/error.hpp"
#include "support.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kElementBytes = 2;
constexpr auto kType = IndexType::kInt32;

Layout shape(const Sizes& sizes) { return packed_tensor(sizes, 1).layout; }

Sizes sizes_of(const Layout& layout) { return {layout.sizes, layout.sizes + layout.rank}; }

// The message of the Error(kValue) that body throws.
template <class Body>
std::string refusal(const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kValue);
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

void expect_mentions(const std::string& message, std::initializer_list<const char*> parts) {
    for (const char* part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "no \"" << part << "\" in: " << message;
    }
}

TEST(Shapes, Gather) {
    EXPECT_EQ(sizes_of(gather_shape("gather", shape({3, 4, 5}), shape({6, 7}), 1)),
              (Sizes{3, 6, 7, 5}));
    EXPECT_EQ(sizes_of(gather_shape("gather", shape({3, 4}), shape({}), 0)), (Sizes{4}));
    EXPECT_EQ(sizes_of(gather_shape("gather", shape({3}), shape({0}), 0)), (Sizes{0}));
}

TEST(Shapes, GatherPast64Dims) {
    const Sizes many(40, 1);
    expect_mentions(refusal([&] { gather_shape("gather", shape(many), shape(many), 0); }),
                    {"gather:", "64"});
}

TEST(Shapes, Elements) {
    EXPECT_EQ(sizes_of(gather_elements_shape("gather_elements", shape({3, 4}), shape({2, 9}), 1)),
              (Sizes{2, 9}));
    expect_mentions(
        refusal([] { gather_elements_shape("gather_elements", shape({3, 4}), shape({5, 4}), 1); }),
        {"gather_elements: indices", "5", "dim 0", "3"});
    expect_mentions(refusal([] {
                        scatter_elements_updates_shape("scatter_elements", shape({3, 4}),
                                                       shape({3}), 0);
                    }),
                    {"scatter_elements: indices", "rank 1", "rank 2"});
}

TEST(Shapes, GatherNd) {
    const Layout input = shape({2, 3, 4});
    EXPECT_EQ(sizes_of(gather_nd_shape("gather_nd", input, shape({5, 2}), 0)), (Sizes{5, 4}));
    EXPECT_EQ(sizes_of(gather_nd_shape("gather_nd", input, shape({3}), 0)), (Sizes{}));
    EXPECT_EQ(sizes_of(gather_nd_shape("gather_nd", input, shape({2, 6, 1}), 1)), (Sizes{2, 6, 4}));
}

TEST(Shapes, GatherNdRefusals) {
    const Layout input = shape({2, 3, 4});
    const auto message = [&](const Sizes& indices, int batch_dims) {
        return refusal([&] { gather_nd_shape("gather_nd", input, shape(indices), batch_dims); });
    };
    expect_mentions(message({5, 4}, 0), {"gather_nd: indices", "size 4", "1 to 3"});
    expect_mentions(message({5, 0}, 0), {"gather_nd: indices", "size 0"});
    expect_mentions(message({2, 3}, 1), {"gather_nd: indices", "size 3", "1 to 2"});
    expect_mentions(message({4, 1}, 1), {"gather_nd: indices", "batch size 4", "2"});
    expect_mentions(message({2, 1}, 2), {"gather_nd: batch_dims is 2", "0 to 1"});
    expect_mentions(message({2, 1}, -1), {"gather_nd: batch_dims is -1"});
    expect_mentions(message({}, 0), {"gather_nd: indices"});
}

TEST(Shapes, ScatterNd) {
    EXPECT_EQ(sizes_of(scatter_nd_updates_shape("scatter_nd", shape({2, 3, 4}), shape({5, 6, 2}))),
              (Sizes{5, 6, 4}));
}

TEST(Shapes, Axis) {
    EXPECT_EQ(normalize_axis("gather", "axis", -1, 3), 2);
    EXPECT_EQ(normalize_axis("gather", "axis", 2, 3), 2);
    for (const std::int64_t axis : {std::int64_t{3}, std::int64_t{-4}, INT64_MAX, INT64_MIN}) {
        expect_mentions(refusal([&] { normalize_axis("gather", "axis", axis, 3); }),
                        {"gather: axis", std::to_string(axis).c_str()});
    }
}

TEST(Shapes, ATensorTooLarge) {
    Layout layout = shape({});
    layout.rank = 2;
    layout.sizes[0] = std::int64_t{1} << 40;
    layout.sizes[1] = std::int64_t{1} << 40;
    expect_mentions(refusal([&] { set_packed_strides(layout, 8, "gather"); }), {"gather:"});
}

// ---- lowerings
// -----------------------------------------------------------------------------------

Tensor random_indices(Random& random, const Sizes& sizes, const Sizes& limits) {
    Tensor indices = random_tensor(random, sizes, index_bytes(kType), false);
    for_each_position(sizes, [&](const Sizes& p) {
        const std::int64_t limit =
            limits[limits.size() == 1 ? 0 : static_cast<std::size_t>(p.back())];
        set_index(indices, p, random.between(-limit, limit - 1));
    });
    return indices;
}

std::int64_t place(const Tensor& indices, const Sizes& position, std::int64_t limit) {
    const std::int64_t index = get_index(indices, kType, position);
    return index < 0 ? index + limit : index;
}

std::uint16_t element(const Tensor& tensor, const Sizes& position) {
    std::uint16_t value;
    std::memcpy(&value, tensor.data() + tensor.offset(position), sizeof value);
    return value;
}

void set_element(Tensor& tensor, const Sizes& position, std::uint16_t value) {
    std::memcpy(tensor.data() + tensor.offset(position), &value, sizeof value);
}

Sizes join(const Sizes& a, const Sizes& b) {
    Sizes all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

Sizes part(const Sizes& sizes, std::int64_t first, std::int64_t last) {
    return {sizes.begin() + first, sizes.begin() + last};
}

void run_plan(const Plan& plan, Tensor& table, Tensor& items, const Tensor& indices) {
    Tensor held = indices;
    EXPECT_FALSE(run_by_formula(plan, {table.data(), items.data(), held.data(), nullptr}));
}

Plan new_plan(Direction direction) {
    Plan plan;
    begin_plan(direction, kType, kElementBytes, plan);
    return plan;
}

TEST(Lowering, Gather) {
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        const std::int64_t rank = random.between(1, 4);
        const std::int64_t axis = random.between(0, rank - 1);
        const Sizes in = random.sizes(rank, 1, 4);
        const Sizes q = random.sizes(random.between(0, 2), 1, 3);
        const Sizes out = join(join(part(in, 0, axis), q), part(in, axis + 1, rank));
        const std::int64_t limit = in[static_cast<std::size_t>(axis)];
        Tensor input = random_tensor(random, in, kElementBytes, true);
        Tensor output = random_tensor(random, out, kElementBytes, false);
        const Tensor indices = random_indices(random, q, {limit});

        Plan plan = new_plan(Direction::kGather);
        lower_gather(input.layout, indices.layout, output.layout, static_cast<int>(axis), plan);
        run_plan(plan, input, output, indices);
        for_each_position(out, [&](const Sizes& p) {
            const auto behind = axis + static_cast<std::int64_t>(q.size());
            const Sizes at =
                join(join(part(p, 0, axis), {place(indices, part(p, axis, behind), limit)}),
                     part(p, behind, static_cast<std::int64_t>(p.size())));
            ASSERT_EQ(element(output, p), element(input, at));
        });
    }
}

TEST(Lowering, Elements) {
    Random random(4);
    for (int i = 0; i < 200; ++i) {
        const std::int64_t rank = random.between(1, 4);
        const auto axis = static_cast<std::size_t>(random.between(0, rank - 1));
        const Sizes sizes = random.sizes(rank, 1, 4);
        Sizes at = sizes;
        for (std::int64_t& size : at) size = random.between(1, size);
        at[axis] = random.between(1, 6);
        Tensor table = random_tensor(random, sizes, kElementBytes, false);
        Tensor items = random_tensor(random, at, kElementBytes, false);
        const Tensor indices = random_indices(random, at, {sizes[axis]});
        const auto target = [&](const Sizes& p) {
            Sizes q = p;
            q[axis] = place(indices, p, sizes[axis]);
            return q;
        };

        Plan plan = new_plan(Direction::kScatter);
        lower_scatter_elements(table.layout, indices.layout, items.layout, static_cast<int>(axis),
                               plan);
        Tensor expected = table;
        run_plan(plan, table, items, indices);
        for_each_position(
            at, [&](const Sizes& p) { set_element(expected, target(p), element(items, p)); });
        ASSERT_EQ(table, expected);

        plan = new_plan(Direction::kGather);
        lower_gather_elements(table.layout, indices.layout, items.layout, static_cast<int>(axis),
                              plan);
        run_plan(plan, table, items, indices);
        for_each_position(
            at, [&](const Sizes& p) { ASSERT_EQ(element(items, p), element(table, target(p))); });
    }
}

TEST(Lowering, Nd) {
    Random random(5);
    for (int i = 0; i < 200; ++i) {
        const std::int64_t rank = random.between(1, 4);
        const std::int64_t batch_dims = random.between(0, rank - 1);
        const std::int64_t tuple_size = random.between(1, rank - batch_dims);
        const Sizes in = random.sizes(rank, 1, 4);
        const Sizes q = join(part(in, 0, batch_dims), random.sizes(random.between(0, 2), 1, 3));
        const Sizes limits = part(in, batch_dims, batch_dims + tuple_size);
        const Sizes out = join(q, part(in, batch_dims + tuple_size, rank));
        Tensor table = random_tensor(random, in, kElementBytes, false);
        Tensor items = random_tensor(random, out, kElementBytes, false);
        const Tensor indices = random_indices(random, join(q, {tuple_size}), limits);
        const auto q_rank = static_cast<std::int64_t>(q.size());
        const auto target = [&](const Sizes& p, std::int64_t batch) {
            Sizes at = part(p, 0, batch);
            for (std::int64_t k = 0; k < tuple_size; ++k) {
                at.push_back(place(indices, join(part(p, 0, q_rank), {k}),
                                   limits[static_cast<std::size_t>(k)]));
            }
            return join(at, part(p, q_rank, static_cast<std::int64_t>(p.size())));
        };

        Plan plan = new_plan(Direction::kGather);
        lower_gather_nd(table.layout, indices.layout, items.layout, static_cast<int>(batch_dims),
                        plan);
        run_plan(plan, table, items, indices);
        for_each_position(out, [&](const Sizes& p) {
            ASSERT_EQ(element(items, p), element(table, target(p, batch_dims)));
        });

        if (batch_dims != 0) continue;
        plan = new_plan(Direction::kScatter);
        lower_scatter_nd(table.layout, indices.layout, items.layout, plan);
        Tensor expected = table;
        random.fill(items.buffer);
        run_plan(plan, table, items, indices);
        for_each_position(
            out, [&](const Sizes& p) { set_element(expected, target(p, 0), element(items, p)); });
        ASSERT_EQ(table, expected);
    }
}

}  // namespace
}  // namespace dmlindex::test
