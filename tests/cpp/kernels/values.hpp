// What the trials of reductions share: arithmetic, spelled out, and values at its edges.
#pragma once

#include <complex>
#include <cstdint>
#include <iterator>

#include "harness.hpp"

namespace dmlindex::test {

template <class T>
constexpr auto kBytesOf = static_cast<std::int64_t>(sizeof(T));

// In the order of ValueType.
constexpr std::int64_t kValueBytes[] = {1,
                                        1,
                                        1,
                                        2,
                                        2,
                                        4,
                                        4,
                                        8,
                                        8,
                                        2,
                                        2,
                                        4,
                                        8,
                                        kBytesOf<long double>,
                                        8,
                                        16,
                                        kBytesOf<std::complex<long double>>,
                                        1};
static_assert(std::size(kValueBytes) == cpu::kValueTypes);

// Combines one value, or returns false where the arithmetic is not spelled out.
bool combine(ValueType type, Reduction reduction, std::byte* target, const std::byte* item,
             const std::byte* byte_table);

// Values in place of a buffer's random bytes: few of the latter are special, and of a long double
// not all are numbers. Timed ones are ordinary.
void put_values(Case& c, ValueType type, const Twin& to, std::int64_t bytes);

// An 80-bit long double has bytes of no meaning.
void drop_padding(ValueType type, const Twin& table, std::int64_t bytes);

}  // namespace dmlindex::test
