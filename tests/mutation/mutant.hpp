// Included before every C++ file of the mutated copy: one build holds all mutants, and DMLINDEX_MUTANT in the
// environment says which lives. With none, the copy does what the sources do. The macros stand for K, a
// mutant's number, and mutant.hlsli has the same ones.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace mutation {

// Each file's own, and not constant: nothing is folded away, and none is another ISA's.
[[maybe_unused]] static const int living = [] {
    const char* text = std::getenv("DMLINDEX_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
}();

template <class T>
static inline T lesser(bool mutated, const T& a, const T& b) {
    return mutated ? std::max(a, b) : std::min(a, b);
}
template <class T>
static inline T lesser(bool mutated, std::initializer_list<T> all) {
    return mutated ? std::max(all) : std::min(all);
}
template <class T>
static inline T greater(bool mutated, const T& a, const T& b) {
    return mutated ? std::min(a, b) : std::max(a, b);
}
template <class T>
static inline T clamped(bool mutated, const T& value, const T& low, const T& high) {
    return mutated ? value : std::clamp(value, low, high);
}

}  // namespace mutation

#define MUT(k) (mutation::living == (k))
#define SIGN(k) (MUT(k) ? -1 : 1)
#define KEEP(k) (MUT(k) ? 0 : 1)
// One of two functions of the same arguments, which may be intrinsics.
#define EITHER(k, plain, other) \
    ([](auto... arguments) { return MUT(k) ? other(arguments...) : plain(arguments...); })
