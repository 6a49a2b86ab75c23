// What the C++ fuzz targets share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace dmlindex::fuzz {

// A copy in an allocation of exactly its size: AddressSanitizer sees the first byte past either
// end.
template <typename T>
class Fenced {
  public:
    explicit Fenced(std::size_t size) : data_(new T[size]()), size_(size) {}
    explicit Fenced(std::span<const T> values) : Fenced(values.size()) {
        std::copy(values.begin(), values.end(), data_.get());
    }

    T* data() const noexcept { return data_.get(); }
    std::span<T> all() const noexcept { return {data_.get(), size_}; }
    bool operator==(const Fenced& other) const { return std::ranges::equal(all(), other.all()); }

  private:
    std::unique_ptr<T[]> data_;
    std::size_t size_;
};

using Memory = Fenced<std::byte>;

inline void require(bool holds, const char* claim) {
    if (holds) return;
    std::fprintf(stderr, "WRONG: %s\n", claim);
    std::abort();
}

}  // namespace dmlindex::fuzz
