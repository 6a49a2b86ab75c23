// Decides how a device binds its arguments: see pipeline.hpp.

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

// Two updates of one float.
Plan sum_plan() {
    Plan plan{};
    plan.direction = Direction::kScatter;
    plan.reduction = Reduction::kAdd;
    plan.any_order = true;
    plan.value_type = ValueType::kFloat32;
    plan.index_type = IndexType::kInt32;
    plan.mode = Mode::kClamp;
    plan.element_bytes = plan.slice_bytes = 4;
    plan.rank = plan.coordinate_count = plan.index_rank = 1;
    plan.dims[0] = {2, 0, 4, 4};
    plan.coordinates[0] = {1, 4, 0, 0};
    plan.index_dims[0] = {2, 4};
    return plan;
}

}  // namespace

// Adds 2 and 4 to 1: who exchanges them has one of them in the end.
bool Device::decide_float_adds() {
    if (!uses_typed_views() || !adapter().adds_floats) return false;
    set_float_adds(true);
    try {
        const float numbers[] = {1, 2, 4};
        const std::int32_t indices[] = {0, 0};
        const Memory sum(shared_from_this(), sizeof(float));
        const Memory updates(shared_from_this(), 2 * sizeof(float));
        const Memory places(shared_from_this(), sizeof indices);
        upload(sum, numbers);
        upload(updates, numbers + 1);
        upload(places, indices);
        run(sum_plan(), {&sum, &updates, &places, nullptr}, true, {});
        float found;
        download(sum, &found);
        return found == 7;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kMemory || is_lost()) throw;
        return false;
    }
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
