// What the tests share: random tensors, and the meaning of a plan spelled out, to hold the backend
// to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "cpu/backend.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"

namespace dmlindex::test {

using Sizes = std::vector<std::int64_t>;

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    // What is drawn is what the bytes say, and zeros once they are used up: a fuzzer's choices.
    explicit Random(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::int64_t between(std::int64_t first, std::int64_t last);  // both may come
    bool one_in(std::int64_t n) { return between(1, n) == n; }
    Sizes sizes(std::int64_t rank, std::int64_t least, std::int64_t most);
    void fill(std::span<std::byte> bytes);

    template <class T, std::size_t kCount>
    T one_of(const T (&choices)[kCount]) {
        return choices[between(0, kCount - 1)];
    }

  private:
    std::uint64_t next_bytes(int count);

    std::mt19937_64 engine_;
    std::optional<std::span<const std::byte>> bytes_;  // those that are left
};

// A tensor in a buffer that is larger than it, so that strides may be negative and leave gaps.
struct Tensor {
    Layout layout;
    std::int64_t element_bytes = 0;
    std::vector<std::byte> buffer;
    std::int64_t origin = 0;  // of the first position, in buffer

    std::byte* data() { return buffer.data() + origin; }
    const std::byte* data() const { return buffer.data() + origin; }
    std::int64_t offset(std::span<const std::int64_t> position) const;  // from data()
};

Tensor packed_tensor(const Sizes& sizes, std::int64_t element_bytes);

// Random bytes and strides: any order of dims, gaps, either direction; with_broadcast also 0.
Tensor random_tensor(Random& random, const Sizes& sizes, std::int64_t element_bytes,
                     bool with_broadcast);

// All integers are little-endian here, as on every machine that the tests run on.
void set_index(Tensor& indices, std::span<const std::int64_t> position, std::int64_t value);
std::int64_t get_index(const Tensor& indices, IndexType type,
                       std::span<const std::int64_t> position);

// An index as BadIndex has it: extended to 64 bits.
std::uint64_t index_bits(const std::byte* from, IndexType type);

inline constexpr IndexType kAllIndexTypes[] = {
    IndexType::kInt8,  IndexType::kUint8,  IndexType::kInt16, IndexType::kUint16,
    IndexType::kInt32, IndexType::kUint32, IndexType::kInt64, IndexType::kUint64};
inline constexpr Mode kAllModes[] = {Mode::kRaise, Mode::kClamp, Mode::kWrap, Mode::kSkip};

// Calls body with every position of sizes, in C order.
void for_each_position(std::span<const std::int64_t> sizes,
                       const std::function<void(const Sizes& position)>& body);

// The place of the index with these bits (extended to 64 as in BadIndex) on an axis of limit
// places.
std::optional<std::int64_t> place_of(std::uint64_t bits, IndexType type, Mode mode,
                                     std::int64_t limit);

// The formula of plan.hpp, one position after another. A reduction's arithmetic is the scalar
// kernel's, an element at a time.
std::optional<BadIndex> run_by_formula(const Plan& plan, const cpu::Buffers& buffers);

// A call of a random operator, lowered but not made canonical. Its indices may be out of range if
// hostile.
struct RandomCall {
    Tensor table;
    Tensor items;
    Tensor indices;
    std::optional<Tensor> source;
    std::vector<std::byte> fill;
    Plan plan;  // its fill lies in the fill of the call that random_call returned

    cpu::Buffers buffers();
};

RandomCall random_call(Random& random, bool hostile);

bool operator==(const Tensor& a, const Tensor& b);

}  // namespace dmlindex::test
