#include "indices.hpp"

#include <algorithm>
#include <limits>

namespace dmlindex::test {

std::int64_t any_limit(Random& random) {
    const std::int64_t border =
        power(static_cast<int>(random.one_of({7, 8, 15, 16, 31, 32}))) + random.between(-1, 1);
    return random.one_of(
        {std::int64_t{1}, std::int64_t{2}, random.between(3, 300), border, border, power(62)});
}

std::int64_t any_index(Random& random, IndexType type, std::int64_t limit, bool hostile) {
    if (hostile || limit == 0) {
        const std::int64_t end = power(static_cast<int>(random.one_of({7, 8, 15, 16, 31, 32})));
        return random.one_of({random.between(-limit, std::max<std::int64_t>(limit - 1, 0)), limit,
                              -limit, -limit - 1, std::int64_t{-1}, end, end - 1, -end,
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max()});
    }
    return random.one_of({std::int64_t{0}, limit - 1, is_signed(type) ? -limit : limit - 1,
                          random.between(0, limit - 1),
                          random.between(is_signed(type) ? -limit : 0, limit - 1)});
}

void put(const Twin& to, std::int64_t value, std::int64_t bytes) {
    std::memcpy(to.data, &value, static_cast<std::size_t>(bytes));
    std::memcpy(to.expected, &value, static_cast<std::size_t>(bytes));
}

std::uint64_t put_index(const Twin& to, IndexType type, std::int64_t value) {
    put(to, value, index_bytes(type));
    return index_bits(to.data, type);
}

std::int64_t hostility(Case& c) {
    return c.timed
               ? 0
               : c.random.one_of({std::int64_t{0}, std::int64_t{0}, c.count + 1, std::int64_t{1}});
}

bool now_and_then(Random& random, std::int64_t one_in) {
    return one_in > 0 && random.one_in(one_in);
}

void expect_offset(const Twin& offsets, std::int64_t i, std::int64_t value) {
    std::memcpy(offsets.expected + 8 * i, &value, sizeof value);
}

std::int64_t* as_offsets(const Twin& twin) { return reinterpret_cast<std::int64_t*>(twin.data); }

const std::int64_t* any_places(Case& c, const Twin& room) {
    for (std::int64_t i = 0; i < c.count; ++i) put(room + 8 * i, c.random.between(-1000, 1000), 8);
    return as_offsets(room);
}

std::int64_t place_before(const cpu::IndexRun& run, std::int64_t i) {
    return run.table_offset + (run.places != nullptr ? run.places[i] : i * run.table_stride);
}

Tuples any_tuples(Case& c, IndexType type,
                  const std::function<Coordinate(int numbers)>& any_coordinate) {
    Random& random = c.random;
    const std::int64_t bytes = index_bytes(type);
    const std::int64_t hostile = hostility(c);
    Tuples tuples{type, c.timed ? 1 : static_cast<int>(random.between(1, 3)), {}, c.count, {}};
    for (int k = 0; k < tuples.numbers; ++k) {
        tuples.coordinates[k] = any_coordinate(tuples.numbers);
        tuples.coordinates[k].index_offset = k * bytes;
    }
    const std::int64_t packed = tuples.numbers * bytes;
    const std::int64_t stride =
        c.timed ? packed
                : random.one_of({packed, packed, -packed, 2 * packed, packed + 1, std::int64_t{0}});
    tuples.pieces = c.pieces(c.count, packed, stride);
    const std::int64_t apart = stride == 0 ? std::min<std::int64_t>(c.count, 1) : c.count;
    for (std::int64_t i = 0; i < apart; ++i) {
        for (int k = 0; k < tuples.numbers; ++k) {
            put_index(tuples.pieces.at(i) + k * bytes, type,
                      any_index(random, type, tuples.coordinates[k].limit,
                                now_and_then(random, hostile)));
        }
    }
    return tuples;
}

}  // namespace dmlindex::test
