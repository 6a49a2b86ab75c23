// Every slot of the table of kernels on random calls: the kernel works on buffers between guard
// pages, and a loop that spells out its contract on copies of them, which must agree afterwards.
//
// A family is an array of slots. Its trial makes a call for one of them, has the kernel run it by
// Case::call, and writes what must come out to the copies. The same trials, on larger calls with
// good indices, are the benchmark: there Case::call takes the time, and copies are not compared.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cpu/kernels/kernels.hpp"
#include "support.hpp"

namespace dmlindex::test {

// What an array of slots is indexed by, for names.
enum class Axis { kIndexType, kMode, kSlice, kWidth, kValueType, kReduction };

// A kernel's buffer, and the copy of it that the plain loop works on.
struct Twin {
    std::byte* data;
    std::byte* expected;
    std::int64_t bytes;

    Twin operator+(std::int64_t offset) const { return {data + offset, expected + offset, bytes}; }
};

// Pieces that lie stride bytes apart, the first one at origin. Their buffer ends where they do.
struct Pieces {
    Twin origin;
    std::int64_t stride;

    Twin at(std::int64_t i) const { return origin + i * stride; }
};

class Case {
  public:
    static constexpr std::int64_t kTimedCount = 1024;

    // A case for comparing if seconds is null; else for timing, and the shortest call's seconds are
    // left there.
    Case(Random& random, const cpu::Kernels& kernels, std::vector<int> at, std::int64_t count,
         double* seconds);

    Random& random;
    const cpu::Kernels& kernels;  // that the kernel is one of
    const std::int64_t count;     // of positions
    const bool timed;

    // Where the slot is along an axis of its array.
    template <class Value = int>
    Value at(std::size_t axis) const {
        return static_cast<Value>(at_[axis]);
    }

    // A buffer of random bytes. It ends at a guard page, begins at one, or lies at any misalignment
    // that is a multiple of alignment; its neighbouring bytes must stay as they are.
    Twin buffer(std::int64_t bytes, std::int64_t alignment = 1);
    Pieces pieces(std::int64_t pieces_count, std::int64_t piece_bytes, std::int64_t stride);

    // Random bytes, for large buffers that are only read.
    const std::byte* random_bytes(std::int64_t bytes);

    void call(const std::function<void()>& run);

    // Forgives what the kernel made of these bytes.
    static void accept(const Twin& twin, std::int64_t bytes) {
        std::memcpy(twin.expected, twin.data, static_cast<std::size_t>(bytes));
    }

    // What a kernel returned, and what it should have.
    void same(const char* what, std::int64_t got, std::int64_t expected);

    // Empty if all was the same and every buffer is as its copy; else the first difference.
    std::string difference() const;

  private:
    struct Placed {
        Twin twin;
        std::int64_t margin_before;
        std::int64_t margin_after;
        std::vector<std::byte> copy;  // with the margins
    };

    std::vector<int> at_;
    std::vector<Placed> placed_;
    double* seconds_;
    std::string wrong_;
};

struct Family {
    const char* name;
    std::vector<Axis> axes;
    std::vector<int> sizes;     // along each axis
    std::int64_t offset_bytes;  // in the table
    std::int64_t slots;
    // Runs the trial on the slot-th kernel of the case's table; or, to time what an empty slot
    // costs, on none.
    std::function<void(Case& call, std::int64_t slot, bool without)> trial;

    std::vector<int> at(std::int64_t slot) const;
    std::string slot_name(std::int64_t slot) const;
    // The address of a kernel, to tell whether two tables share it; zeros for an empty slot.
    std::vector<std::byte> address(const cpu::Kernels& kernels, std::int64_t slot) const;
    bool has(const cpu::Kernels& kernels, std::int64_t slot) const;
};

// kMember is the table's array, or single slot, and kTrial a function of (Case&, kernel).
template <auto kMember, auto kTrial>
Family family(const char* name, std::vector<Axis> axes = {}) {
    using Slots = std::remove_cvref_t<decltype(std::declval<cpu::Kernels&>().*kMember)>;
    using Kernel = std::remove_all_extents_t<Slots>;
    static const cpu::Kernels probe{};
    Family made{name, std::move(axes), {}, 0, 0, {}};
    made.offset_bytes = reinterpret_cast<const std::byte*>(&(probe.*kMember)) -
                        reinterpret_cast<const std::byte*>(&probe);
    made.slots = static_cast<std::int64_t>(sizeof(Slots) / sizeof(Kernel));
    const std::size_t sizes[] = {std::extent_v<Slots, 0>, std::extent_v<Slots, 1>,
                                 std::extent_v<Slots, 2>};
    for (std::size_t a = 0; a < made.axes.size(); ++a)
        made.sizes.push_back(static_cast<int>(sizes[a]));
    made.trial = [](Case& call, std::int64_t slot, bool without) {
        Kernel kernel = nullptr;
        if (!without) kernel = reinterpret_cast<const Kernel*>(&(call.kernels.*kMember))[slot];
        kTrial(call, kernel);
    };
    return made;
}

// All of them; each of these names the slots of one file of trials.
const std::vector<Family>& families();
std::vector<Family> resolve_families();
std::vector<Family> hold_families();
std::vector<Family> move_families();
std::vector<Family> reduce_families();

}  // namespace dmlindex::test
