// What the trials of kernels that read indices share: limits and indices at the edges, and tuples
// of them.
#pragma once

#include <cstdint>
#include <functional>

#include "harness.hpp"

namespace dmlindex::test {

constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

// How many places an axis has: few, or about as many as an index type can name.
std::int64_t any_limit(Random& random);

// In range, or, if hostile, out of range by little, and the ends of every type: put_index keeps the
// low bytes.
std::int64_t any_index(Random& random, IndexType type, std::int64_t limit, bool hostile);

// How often a trial's indices are out of range, for now_and_then: never, here and there, mostly.
std::int64_t hostility(Case& c);
bool now_and_then(Random& random, std::int64_t one_in);

// Puts the low bytes of a value to both buffers.
void put(const Twin& to, std::int64_t value, std::int64_t bytes);
// Returns the index as its type holds it, extended to 64 bits.
std::uint64_t put_index(const Twin& to, IndexType type, std::int64_t value);

// Says what the kernel is to write there.
void expect_offset(const Twin& offsets, std::int64_t i, std::int64_t value);
std::int64_t* as_offsets(const Twin& twin);

// Places for a run that crosses the ends of rows.
const std::int64_t* any_places(Case& c, const Twin& room);
// Where the kernel is to start from.
std::int64_t place_before(const cpu::IndexRun& run, std::int64_t i);

// A run of tuples of indices, one of each coordinate.
struct Tuples {
    IndexType type;
    int numbers;
    Coordinate coordinates[3];
    std::int64_t count;
    Pieces pieces;

    std::uint64_t bits(std::int64_t i, int k) const {
        return index_bits(pieces.at(i).data + k * index_bytes(type), type);
    }
    cpu::IndexRun run(std::int64_t table_offset, std::int64_t table_stride) const {
        return {pieces.origin.data, pieces.stride, count,  table_offset,
                table_stride,       coordinates,   numbers};
    }
};

// As many as the case has positions, at any stride, now and then out of range. any_coordinate draws
// limit and table_stride of one of so many numbers.
Tuples any_tuples(Case& c, IndexType type,
                  const std::function<Coordinate(int numbers)>& any_coordinate);

}  // namespace dmlindex::test
