// What each feature level has, as the pages of the operators and the feature-level history say.
// DirectML itself does not hold a device to its minimum level; here a device is held to its level.
#include <algorithm>
#include <array>

#include "operators/descriptors/validation.hpp"

namespace dmlindex {
namespace {

template <typename... Types>
constexpr std::uint32_t set_of(Types... types) {
    return (0u | ... | (1u << static_cast<unsigned>(types)));
}

constexpr bool has(std::uint32_t set, DataType type) {
    const auto value = static_cast<std::uint32_t>(type);
    return value < 32 && ((set >> value) & 1) != 0;
}

constexpr std::uint32_t kFloats = set_of(DataType::kFloat32, DataType::kFloat16);
constexpr std::uint32_t kUpTo32Bits =
    kFloats | set_of(DataType::kInt32, DataType::kInt16, DataType::kInt8, DataType::kUint32,
                     DataType::kUint16, DataType::kUint8);
constexpr std::uint32_t kUpTo64Bits =
    kUpTo32Bits | set_of(DataType::kFloat64, DataType::kInt64, DataType::kUint64);
constexpr std::uint32_t kUint32Only = set_of(DataType::kUint32);
constexpr std::uint32_t kAllIndices =
    set_of(DataType::kUint32, DataType::kInt32, DataType::kUint64, DataType::kInt64);

// What a level has, and so have all above it up to the next row.
struct LevelRow {
    FeatureLevel from;
    std::size_t least_dims;
    std::size_t most_dims;
    std::uint32_t data_types;
    std::uint32_t index_types;
};

constexpr std::array kLevels{
    LevelRow{FeatureLevel::k1_0, 4, 4, kFloats, kUint32Only},
    LevelRow{FeatureLevel::k2_1, 4, 4, kUpTo32Bits, kUint32Only},
    LevelRow{FeatureLevel::k3_0, 1, 8, kUpTo32Bits, kAllIndices},
    LevelRow{FeatureLevel::k4_1, 1, 8, kUpTo64Bits, kAllIndices},
};

FeatureLevel first_level(OperatorType type) noexcept {
    switch (type) {
        case OperatorType::kGather:
            return FeatureLevel::k1_0;
        case OperatorType::kScatterElements:
            return FeatureLevel::k2_0;
        case OperatorType::kGatherElements:
        case OperatorType::kGatherNd:
        case OperatorType::kScatterNd:
            return FeatureLevel::k2_1;
        case OperatorType::kGatherNd1:
            return FeatureLevel::k3_0;
    }
    return FeatureLevel::k6_4;
}

const LevelRow& row_of(FeatureLevel level) noexcept {
    const LevelRow* row = &kLevels.front();
    for (const LevelRow& next : kLevels) {
        if (next.from <= level) row = &next;
    }
    return *row;
}

// The first level whose row passes the test; a valid desc's questions all have one.
template <typename Test>
FeatureLevel first_row(Test&& passes) {
    const auto row = std::ranges::find_if(kLevels, passes);
    return row == kLevels.end() ? FeatureLevel::k6_4 : row->from;
}

FeatureLevel level_for_dims(std::size_t dims) {
    return first_row(
        [&](const LevelRow& row) { return row.least_dims <= dims && dims <= row.most_dims; });
}

FeatureLevel level_for_type(std::string_view tensor, DataType type) {
    return first_row([&](const LevelRow& row) {
        return has(tensor == "indices" ? row.index_types : row.data_types, type);
    });
}

}  // namespace

namespace validation {

void check_feature_level(Report& report, const Parts& parts, FeatureLevel level) {
    const LevelRow& row = row_of(level);
    const auto at_least = [](FeatureLevel needed) {
        return concat("feature level ", name(needed), " or higher");
    };
    const std::string found_level = concat(" at feature level ", name(level));
    if (first_level(parts.type) > level) {
        report.add("feature-level-operator", "", "operator", concat(name(parts.type), found_level),
                   at_least(first_level(parts.type)));
    }
    for (const auto& [tensor, pointer] : tensors_of(parts)) {
        if (!*pointer) continue;
        const std::size_t dims = (*pointer)->sizes.size();
        if (dims >= 1 && dims <= 8 && (dims < row.least_dims || dims > row.most_dims)) {
            report.add("feature-level-dimension-count", tensor, "sizes",
                       concat(dims, " dims", found_level), at_least(level_for_dims(dims)),
                       concat("below that, every tensor has ", row.most_dims, " dims"));
        }
        const DataType type = (*pointer)->data_type;
        const bool indices = tensor == "indices";
        const bool at_some_level = has(indices ? kAllIndices : kUpTo64Bits, type);
        if (at_some_level && !has(indices ? row.index_types : row.data_types, type)) {
            report.add("feature-level-data-type", tensor, "data_type",
                       concat(name(type), found_level), at_least(level_for_type(tensor, type)));
        }
    }
}

}  // namespace validation

FeatureLevel needed_feature_level(const OperatorDesc& desc) {
    const validation::Parts parts = validation::parts_of(desc);
    FeatureLevel needed = first_level(parts.type);
    for (const auto& [tensor, pointer] : validation::tensors_of(parts)) {
        needed = std::max({needed, level_for_dims((*pointer)->sizes.size()),
                           level_for_type(tensor, (*pointer)->data_type)});
    }
    return needed;
}

}  // namespace dmlindex
