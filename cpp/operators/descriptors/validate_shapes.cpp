// The rules that tie the tensors of an operator together: ranks, counts, axes and shapes.
#include <algorithm>

#include "operators/descriptors/validation.hpp"

namespace dmlindex::validation {
namespace {

std::span<const std::uint32_t> first(const Sizes& sizes, std::size_t count) {
    return std::span(sizes).first(count);
}

std::span<const std::uint32_t> last(const Sizes& sizes, std::size_t count) {
    return std::span(sizes).last(count);
}

void append(Sizes& sizes, std::span<const std::uint32_t> more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
}

bool all_ones(std::span<const std::uint32_t> sizes) {
    return std::ranges::all_of(sizes, [](std::uint32_t size) { return size == 1; });
}

// The rules of one operator, asked in turn.
class ShapeCheck {
  public:
    ShapeCheck(Report& report, const Parts& parts)
        : report_(report),
          parts_(parts),
          input_((*parts.input)->sizes),
          indices_((*parts.indices)->sizes),
          output_((*parts.output)->sizes),
          updates_(parts.updates ? (*parts.updates)->sizes : no_sizes_) {}

    void run() {
        switch (parts_.type) {
            case OperatorType::kGather:
                return gather();
            case OperatorType::kGatherElements:
                return gather_elements();
            case OperatorType::kScatterElements:
                return scatter_elements();
            case OperatorType::kGatherNd:
            case OperatorType::kGatherNd1:
            case OperatorType::kScatterNd:
                return gather_or_scatter_nd();
        }
    }

  private:
    void gather() {
        const std::size_t n = input_.size();
        const std::size_t axis = *parts_.axis;
        const std::size_t q = *parts_.index_dimensions;
        const bool ranks_agree = same_rank("indices", indices_) & same_rank("output", output_);
        bool in_range = axis_in_range();
        if (q > n) {
            report_.add("index-dimensions", "", "index_dimensions", std::to_string(q),
                        concat("at most ", n, ", the dims of input"));
            in_range = false;
        }
        if (!ranks_agree || !in_range) return;

        leading_ones("indices", indices_, q, "index_dimensions");
        Sizes natural(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(axis));
        append(natural, last(indices_, q));
        append(natural, last(input_, n - axis - 1));
        if (natural.size() > n) {
            if (!all_ones(first(natural, natural.size() - n))) {
                report_.add("cropped-sizes", "output", "sizes",
                            concat("cropped from ", text(natural), " to ", n, " dims"),
                            "sizes of 1 in the dims that are cropped",
                            "output has as many dims as input, so what index_dimensions adds "
                            "must be dims of size 1 in front");
            }
            natural.assign(natural.end() - static_cast<std::ptrdiff_t>(n), natural.end());
        }
        // The dims in front of indices' own are axis many; kMostDims is what DirectML counts with.
        constexpr std::size_t kMostDims = 8;
        if (q > axis + 1 && n - 1 + q > kMostDims) {
            report_.add("cropped-index-dims", "", "index_dimensions", std::to_string(q),
                        concat("at most ", std::max(axis + 1, kMostDims + 1 - n), " for axis ",
                               axis, " of ", n, " dims"),
                        "DirectML crops dims of the indices themselves here, and answers wrongly; "
                        "leave out leading dims of size 1 from index_dimensions");
        }
        result("output", output_, natural);
    }

    void gather_elements() {
        if (!(same_rank("indices", indices_) & same_rank("output", output_) & axis_in_range())) {
            return;
        }
        sizes_off_axis();
        same_sizes("output", output_, "indices", indices_);
    }

    void scatter_elements() {
        if (!(same_rank("indices", indices_) & same_rank("updates", updates_) &
              same_rank("output", output_) & axis_in_range())) {
            return;
        }
        sizes_off_axis();
        const std::size_t axis = *parts_.axis;
        if (indices_[axis] > input_[axis]) {
            report_.add("indices-axis-size", "indices", "sizes", text(indices_),
                        concat("at most ", input_[axis], " along axis ", axis, ", as input has"));
        }
        same_sizes("updates", updates_, "indices", indices_);
        same_sizes("output", output_, "input", input_);
    }

    void gather_or_scatter_nd() {
        const bool scatters = parts_.updates != nullptr;
        const std::size_t n = input_.size();
        const std::size_t r = *parts_.input_dimension_count;
        const std::size_t q = *parts_.indices_dimension_count;
        const std::size_t batch = parts_.batch_dimension_count ? *parts_.batch_dimension_count : 0;
        // SCATTER_ND's indices and updates have any rank of their own.
        const bool ranks_agree =
            (scatters || same_rank("indices", indices_)) & same_rank("output", output_);
        const bool counts_fit =
            count_in_range("input_dimension_count", r, "input", n) &
            count_in_range("indices_dimension_count", q, "indices", indices_.size());
        if (scatters && ranks_agree) same_sizes("output", output_, "input", input_);
        if (!ranks_agree || !counts_fit) return;
        if (batch >= std::min(r, q)) {
            report_.add("batch-dimension-count", "", "batch_dimension_count", std::to_string(batch),
                        concat("at most ", std::min(r, q) - 1),
                        "it is less than input_dimension_count and indices_dimension_count");
            return;
        }
        leading_ones("input", input_, r, "input_dimension_count");
        leading_ones("indices", indices_, q, "indices_dimension_count");

        const auto input = last(input_, r);
        const auto indices = last(indices_, q);
        const std::size_t k = indices.back();
        if (!std::ranges::equal(input.first(batch), indices.first(batch))) {
            report_.add("batch-sizes", "indices", "sizes", text(indices_),
                        concat(text(input.first(batch)), " in the batch dims, as input has"));
        }
        if (k > r - batch) {
            report_.add("index-tuple-size", "indices", "sizes",
                        concat(text(indices_), ", tuples of ", k),
                        concat("a last size of 1 to ", r - batch),
                        "a tuple cannot have more numbers than input has dims to index");
        }
        if (k < 1 || k > r - batch) return;
        Sizes natural(indices.begin(), indices.end() - 1);
        append(natural, input.subspan(batch + k));
        if (scatters) {
            result("updates", updates_, natural);
        } else {
            result("output", output_, natural);
        }
    }

    bool same_rank(std::string_view tensor, const Sizes& sizes) {
        if (sizes.size() == input_.size()) return true;
        report_.add("dimension-counts-equal", tensor, "sizes", concat(sizes.size(), " dims"),
                    concat(input_.size(), " dims, as input has"),
                    "put sizes of 1 in front to fill up");
        return false;
    }

    bool axis_in_range() {
        if (*parts_.axis < input_.size()) return true;
        report_.add("axis", "", "axis", std::to_string(*parts_.axis),
                    concat("less than ", input_.size(), ", the dims of input"));
        return false;
    }

    bool count_in_range(std::string_view field, std::size_t count, std::string_view tensor,
                        std::size_t rank) {
        if (count >= 1 && count <= rank) return true;
        std::string rule(field);
        std::ranges::replace(rule, '_', '-');
        report_.add(rule, "", field, std::to_string(count),
                    concat("1 to ", rank, ", the dims of ", tensor));
        return false;
    }

    void leading_ones(std::string_view tensor, const Sizes& sizes, std::size_t count,
                      std::string_view field) {
        if (all_ones(first(sizes, sizes.size() - count))) return;
        report_.add(concat(tensor, "-leading-ones"), tensor, "sizes", text(sizes),
                    concat("sizes of 1 before the last ", count),
                    concat(field, " says how many dims count"));
    }

    void sizes_off_axis() {
        Sizes expected = input_;
        expected[*parts_.axis] = indices_[*parts_.axis];
        if (indices_ == expected) return;
        report_.add("indices-sizes", "indices", "sizes", text(indices_), text(expected),
                    concat("indices and input differ along axis ", *parts_.axis, " only"));
    }

    void same_sizes(std::string_view tensor, const Sizes& sizes, std::string_view model,
                    const Sizes& expected) {
        if (sizes == expected) return;
        report_.add(concat(tensor, "-sizes"), tensor, "sizes", text(sizes),
                    concat(text(expected), ", those of ", model));
    }

    // sizes must be the natural ones with 1s in front.
    void result(std::string_view tensor, const Sizes& sizes, const Sizes& natural) {
        if (natural.size() > sizes.size()) {
            report_.add(concat(tensor, "-dimension-count"), tensor, "sizes", text(sizes),
                        concat(text(natural), ", which has ", natural.size(), " dims"));
            return;
        }
        const std::size_t padding = sizes.size() - natural.size();
        Sizes expected(padding, 1);
        append(expected, natural);
        if (!all_ones(first(sizes, padding))) {
            report_.add(concat(tensor, "-leading-ones"), tensor, "sizes", text(sizes),
                        text(expected), "the dims in front of the result have size 1");
        }
        if (!std::ranges::equal(last(sizes, natural.size()), natural)) {
            report_.add(concat(tensor, "-sizes"), tensor, "sizes", text(sizes), text(expected));
        }
    }

    Report& report_;
    const Parts& parts_;
    const Sizes no_sizes_{};
    const Sizes& input_;
    const Sizes& indices_;
    const Sizes& output_;
    const Sizes& updates_;
};

}  // namespace

void check_shapes(Report& report, const Parts& parts) { ShapeCheck(report, parts).run(); }

}  // namespace dmlindex::validation
