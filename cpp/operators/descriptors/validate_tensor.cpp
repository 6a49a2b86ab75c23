// The rules of one tensor by itself, and of the data types.
#include <algorithm>
#include <bit>

#include "operators/descriptors/validation.hpp"
#include "plan/overlap.hpp"

namespace dmlindex::validation {
namespace {

constexpr std::uint64_t kMaxElements = 0xFFFFFFFF;
constexpr auto kOwnedByDml = static_cast<std::uint32_t>(TensorFlags::kOwnedByDml);
constexpr std::uint64_t kTooLarge = kMaxElements + 1;  // what all that is larger counts as

// a·b of numbers up to kTooLarge, capped there.
std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) noexcept {
    return b != 0 && a > kTooLarge / b ? kTooLarge : std::min(a * b, kTooLarge);
}

std::string more_than_limit() { return concat("more than ", kMaxElements); }

// How far the elements reach, in elements; kTooLarge when that is too far. Reports what makes the
// question senseless, and returns 0 then.
std::uint64_t check_extent(Report& report, std::string_view tensor, const TensorDesc& desc) {
    std::uint64_t count = 1;
    bool countable = true;
    for (std::uint32_t size : desc.sizes) {
        count = capped_product(count, size);
        countable = countable && size > 0;
    }
    if (!countable) {
        report.add("sizes-positive", tensor, "sizes", text(desc.sizes), "sizes of at least 1",
                   "DirectML has no empty tensors");
    }
    if (count > kMaxElements) {
        report.add("element-count", tensor, "sizes",
                   concat(text(desc.sizes), ", ", more_than_limit(), " elements"),
                   concat("a product of at most ", kMaxElements),
                   "dims of stride 0 count in full too");
        countable = countable && desc.strides.has_value();
    }
    if (!desc.strides) return countable ? count : 0;

    const Sizes& strides = *desc.strides;
    if (strides.size() != desc.sizes.size()) {
        report.add("strides-count", tensor, "strides", concat(strides.size(), " strides"),
                   concat(desc.sizes.size(), ", one for each size"));
        return 0;
    }
    if (!countable) return 0;
    std::uint64_t extent = 1;
    for (std::size_t d = 0; d < strides.size(); ++d) {
        extent = std::min(extent + capped_product(desc.sizes[d] - 1, strides[d]), kTooLarge);
    }
    if (extent > kMaxElements) {
        report.add("extent", tensor, "strides",
                   concat(text(strides), ", so that the elements span ", more_than_limit()),
                   concat("a span of at most ", kMaxElements, " elements"));
        return 0;
    }
    return extent;
}

void check_total_size(Report& report, std::string_view tensor, const TensorDesc& desc,
                      std::uint64_t extent) {
    constexpr std::string_view kField = "total_tensor_size_in_bytes";
    const auto bytes = static_cast<std::uint64_t>(element_bytes(desc.data_type));
    if (bytes == 0 || extent == 0) return;
    const std::uint64_t implied = (extent * bytes + 3) / 4 * 4;
    const std::uint64_t limit = kMaxElements * bytes;
    const std::uint64_t total = desc.total_tensor_size_in_bytes.value_or(implied);
    if (total < implied) {
        report.add("total-size-minimum", tensor, kField, std::to_string(total),
                   concat("at least ", implied),
                   "the elements span that many bytes, rounded up to a multiple of 4; leave it out "
                   "to get the smallest");
    }
    if (total > limit) {
        report.add("total-size-maximum", tensor, kField,
                   concat(total, desc.total_tensor_size_in_bytes ? "" : " (implied)"),
                   concat("at most ", limit),
                   concat(kMaxElements, " elements of ", bytes, " bytes"));
    }
}

void check_overlap(Report& report, const TensorDesc& desc) {
    const std::vector<std::int64_t> sizes(desc.sizes.begin(), desc.sizes.end());
    const std::vector<std::int64_t> strides(desc.strides->begin(), desc.strides->end());
    const Overlap overlap = self_overlap(sizes, strides, 1);
    if (overlap == Overlap::kNone) return;
    const std::string found = concat(text(*desc.strides), " with sizes ", text(desc.sizes));
    if (overlap == Overlap::kSome) {
        report.add("output-overlap", "output", "strides", found,
                   "strides that give every position an element of its own");
    } else {
        report.add("output-overlap-undecided", "output", "strides", found,
                   "strides that are seen to give every position an element of its own",
                   "the search for two positions that share one was given up; use strides that "
                   "nest, each at least the span of the smaller ones");
    }
}

void check_broadcast(Report& report, const TensorDesc& desc) {
    for (std::size_t d = 0; d < desc.sizes.size(); ++d) {
        if ((*desc.strides)[d] != 0 || desc.sizes[d] <= 1) continue;
        report.add(
            "indices-broadcast", "indices", "strides", text(*desc.strides),
            concat("no stride 0 on a size above 1 (dim ", d, " has size ", desc.sizes[d], ")"),
            "SCATTER_ND alone cannot read broadcast indices; store them in full");
        return;
    }
}

}  // namespace

void check_tensor(Report& report, std::string_view tensor, const TensorDesc& desc) {
    const std::size_t rank = desc.sizes.size();
    if (rank < 1 || rank > 8) {
        report.add("dimension-count", tensor, "sizes", concat(rank, " dims"), "1 to 8 dims");
    }
    const std::uint64_t extent = check_extent(report, tensor, desc);
    check_total_size(report, tensor, desc, extent);
    if (tensor != "indices" && element_bytes(desc.data_type) == 0) {
        report.add("data-type", tensor, "data_type", name(desc.data_type),
                   "FLOAT16, FLOAT32, FLOAT64 or a whole-number type of 8 to 64 bits");
    }
    const std::uint32_t alignment = desc.guaranteed_base_offset_alignment;
    if (alignment != 0 && (alignment < 16 || !std::has_single_bit(alignment))) {
        report.add("base-offset-alignment", tensor, "guaranteed_base_offset_alignment",
                   std::to_string(alignment), "0 or a power of two of at least 16");
    }
    const auto flags = static_cast<std::uint32_t>(desc.flags);
    if ((flags & ~kOwnedByDml) != 0) {
        report.add("flags", tensor, "flags", std::to_string(flags), "NONE (0) or OWNED_BY_DML (1)");
    }
}

void check_role(Report& report, OperatorType type, std::string_view tensor,
                const TensorDesc& desc) {
    const std::size_t rank = desc.sizes.size();
    const bool strided = desc.strides && desc.strides->size() == rank && rank >= 1 && rank <= 8;
    if (tensor == "output") {
        if (strided) check_overlap(report, desc);
        if ((static_cast<std::uint32_t>(desc.flags) & kOwnedByDml) != 0) {
            report.add("flags-output", tensor, "flags", "OWNED_BY_DML", "NONE",
                       "DirectML can own inputs only");
        }
    }
    if (tensor == "indices" && type == OperatorType::kScatterNd && strided) {
        check_broadcast(report, desc);
    }
}

void check_data_types(Report& report, const Parts& parts) {
    const TensorDescPointer* model = nullptr;  // the first data tensor there is
    for (const auto& [tensor, pointer] : tensors_of(parts)) {
        if (!*pointer) continue;
        const DataType type = (*pointer)->data_type;
        if (tensor == "indices") {
            if (type != DataType::kUint32 && type != DataType::kInt32 &&
                type != DataType::kUint64 && type != DataType::kInt64) {
                report.add("indices-data-type", tensor, "data_type", name(type),
                           "UINT32, INT32, UINT64 or INT64");
            }
            continue;
        }
        if (model == nullptr) {
            model = pointer;
        } else if (type != (*model)->data_type) {
            report.add("data-types-equal", tensor, "data_type", name(type),
                       concat(name((*model)->data_type), ", that of ",
                              model == parts.input ? "input" : "updates"),
                       "no operator here converts");
        }
    }
}

}  // namespace dmlindex::validation
