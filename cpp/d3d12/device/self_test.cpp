// Decides how a device binds its arguments: see pipeline.hpp.

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "d3d12/backend.hpp"
#include "dmlindex/error.hpp"

namespace dmlindex::d3d12 {
namespace {

constexpr std::int64_t kRowBytes = 32;
constexpr std::int64_t kRows = 3;

// Two of the three rows: what the indices say, in either direction.
Plan row_plan(Direction direction) {
    Plan plan{};
    plan.direction = direction;
    plan.index_type = IndexType::kInt32;
    plan.mode = Mode::kClamp;
    plan.unique_indices = true;
    plan.element_bytes = 4;
    plan.slice_bytes = kRowBytes;
    plan.rank = plan.coordinate_count = plan.index_rank = 1;
    plan.dims[0] = {2, 0, kRowBytes, 4};
    plan.coordinates[0] = {kRows, kRowBytes, 0, 0};
    plan.index_dims[0] = {2, 4};
    return plan;
}

// What DMLINDEX_D3D12_BINDING says, for tests: "root" or "table"; nothing where it is not set.
std::string_view wanted_binding() {
    const char* const text = std::getenv("DMLINDEX_D3D12_BINDING");
    const std::string_view wanted = text == nullptr ? "" : text;
    if (wanted.empty() || wanted == "root" || wanted == "table") return wanted;
    throw Error(ErrorKind::kValue, "DMLINDEX_D3D12_BINDING is \"" + std::string(wanted) +
                                       "\", expected \"table\" or \"root\", or nothing for what a "
                                       "test of the device finds");
}

// Two updates of one element.
Plan sum_plan(ValueType type, std::int64_t bytes) {
    Plan plan{};
    plan.direction = Direction::kScatter;
    plan.reduction = Reduction::kAdd;
    plan.any_order = true;
    plan.value_type = type;
    plan.index_type = IndexType::kInt32;
    plan.mode = Mode::kClamp;
    plan.element_bytes = plan.slice_bytes = bytes;
    plan.rank = plan.coordinate_count = plan.index_rank = 1;
    plan.dims[0] = {2, 0, bytes, 4};
    plan.coordinates[0] = {1, bytes, 0, 0};
    plan.index_dims[0] = {2, 4};
    return plan;
}

}  // namespace

template <typename Number>
bool Device::adds_up(ValueType type, const std::array<Number, 4>& numbers) {
    const std::int32_t indices[] = {0, 0};
    const Memory sum(shared_from_this(), sizeof(Number));
    const Memory updates(shared_from_this(), 2 * sizeof(Number));
    const Memory places(shared_from_this(), sizeof indices);
    upload(sum, &numbers[0]);
    upload(updates, &numbers[1]);
    upload(places, indices);
    run(sum_plan(type, sizeof(Number)), {&sum, &updates, &places, nullptr}, true, {});
    Number found;
    download(sum, &found);
    return found == numbers[3];
}

// Adds 2 and 4 to 1: who exchanges them has another number in the end.
AtomicAdds Device::decide_adds() {
    AtomicAdds adds;
    if (!uses_typed_views()) return adds;
    const auto try_one = [&](bool AtomicAdds::*one, const auto& adds_up) {
        if (!(adapter().adds.*one)) return;
        try {
            adds.*one = true;
            set_adds(adds);
            adds.*one = adds_up();
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::kMemory || is_lost()) throw;
            adds.*one = false;
        }
    };
    try_one(&AtomicAdds::floats,
            [this] { return adds_up<float>(ValueType::kFloat32, {1, 2, 4, 7}); });
    try_one(&AtomicAdds::halves, [this] {
        return adds_up<std::uint16_t>(ValueType::kFloat16, {0x3c00, 0x4000, 0x4400, 0x4700});
    });
    return adds;
}

// Gathers rows 2 and 0 and scatters them to where they came from.
bool Device::decide_typed_views() {
    const std::string_view wanted = wanted_binding();
    if (wanted == "root") return false;
    set_typed_views(true);
    if (wanted == "table") return true;
    try {
        std::uint32_t rows[kRows * kRowBytes / 4];
        for (std::uint32_t i = 0; i < std::size(rows); ++i) rows[i] = 0x01020304u * (i + 1);
        const std::int32_t indices[] = {2, 0};
        constexpr std::size_t kRowWords = kRowBytes / 4;
        const Memory table(shared_from_this(), sizeof rows);
        const Memory places(shared_from_this(), sizeof indices);
        const Memory items(shared_from_this(), 2 * kRowBytes);
        const Memory copy(shared_from_this(), sizeof rows);
        upload(table, rows);
        upload(places, indices);
        clear(copy);
        run(row_plan(Direction::kGather), {&table, &items, &places, nullptr}, true, {});
        run(row_plan(Direction::kScatter), {&copy, &items, &places, nullptr}, true, {});
        std::uint32_t found[std::size(rows)];
        download(copy, found);
        std::memset(rows + kRowWords, 0, kRowBytes);
        return std::memcmp(found, rows, sizeof rows) == 0;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kMemory || is_lost()) throw;
        return false;
    }
}

}  // namespace dmlindex::d3d12
