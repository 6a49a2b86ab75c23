// The one file that holds the kernels' code: a megabyte, which takes its time to compile.

#include "d3d12/shaders/kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "d3d12/shaders/shared.h"

namespace dmlindex::d3d12 {
namespace {

constexpr std::size_t kMostValues = 3;

struct Entry {
    KernelCode code;
    std::int64_t values[kMostValues];  // of its family's variants, in the order of kernels.txt
};

#include "d3d12/generated/codes.inc"

// The values as one number: every call looks for its kernels.
template <typename Values>
constexpr std::uint32_t key_of(const Values& values) {
    std::uint32_t key = 0;
    int shift = 0;
    for (const std::int64_t value : values) {
        key |= static_cast<std::uint32_t>(value) << shift;
        shift += 8;
    }
    return key;
}

constexpr auto kKeys = [] {
    std::array<std::uint32_t, kKernelCount> keys{};
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(kEntries[i].values);
    return keys;
}();

}  // namespace

const KernelCode& code_of(Kernel kernel) noexcept {
    return kEntries[static_cast<std::size_t>(kernel)].code;
}

Kernel find_kernel(Kernel first, int count, std::initializer_list<std::int64_t> values) noexcept {
    const auto begin = kKeys.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find(begin, begin + count, key_of(values));
    assert(found != begin + count);
    return static_cast<Kernel>(found - kKeys.begin());
}

}  // namespace dmlindex::d3d12
