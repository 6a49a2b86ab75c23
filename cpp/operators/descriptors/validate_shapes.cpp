// The rules that tie the tensors of an operator together: ranks, counts, axes and shapes.
#include <algorithm>

#include "operators/descriptors/sizes.hpp"
#include "operators/descriptors/validation.hpp"

namespace dmlindex::validation {
namespace {

// The rules of one operator, asked in turn. A rule is asked wherever what it looks at is there and
// means something, so that one broken rule does not hide another.
class ShapeCheck {
  public:
    ShapeCheck(Report& report, const Parts& parts)
        : report_(report),
          parts_(parts),
          input_(shape_of(parts.input)),
          indices_(shape_of(parts.indices)),
          output_(shape_of(parts.output)),
          updates_(shape_of(parts.updates)) {}

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
        const std::size_t axis = *parts_.axis;
        const std::size_t q = *parts_.index_dimensions;
        same_rank("indices", indices_);
        same_rank("output", output_);
        bool in_range = axis_in_range();
        if (input_ && q > input_->size()) {
            report_.add("index-dimensions", "", "index_dimensions", std::to_string(q),
                        concat("at most ", input_->size(), ", the dims of input"));
            in_range = false;
        }
        const bool counts = indices_ && q <= indices_->size();
        if (counts) leading_ones("indices", *indices_, q, "index_dimensions");
        if (!counts || !in_range) return;

        const std::size_t n = input_->size();
        Sizes natural(input_->begin(), input_->begin() + static_cast<std::ptrdiff_t>(axis));
        append(natural, last(*indices_, q));
        append(natural, last(*input_, n - axis - 1));
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
        // The dims in front of indices' own are axis many.
        if (q > axis + 1 && n - 1 + q > kMostDims) {
            report_.add("cropped-index-dims", "", "index_dimensions", std::to_string(q),
                        concat("at most ", std::max(axis + 1, kMostDims + 1 - n), " for axis ",
                               axis, " of ", n, " dims"),
                        "DirectML crops dims of the indices themselves here, and answers wrongly; "
                        "leave out leading dims of size 1 from index_dimensions");
        }
        result("output", output_, natural, n);
    }

    void gather_elements() {
        const bool ranks_agree = same_rank("indices", indices_);
        same_rank("output", output_);
        sizes_off_axis(axis_in_range(), ranks_agree);
        same_sizes("output", output_, "indices", indices_);
    }

    void scatter_elements() {
        const bool ranks_agree = same_rank("indices", indices_);
        same_rank("updates", updates_);
        same_rank("output", output_);
        const bool in_range = axis_in_range();
        sizes_off_axis(in_range, ranks_agree);
        const std::size_t axis = *parts_.axis;
        if (in_range && ranks_agree && (*indices_)[axis] > (*input_)[axis]) {
            report_.add(
                "indices-axis-size", "indices", "sizes", text(*indices_),
                concat("at most ", (*input_)[axis], " along axis ", axis, ", as input has"));
        }
        same_sizes("updates", updates_, "indices", indices_);
        same_sizes("output", output_, "input", input_);
    }

    void gather_or_scatter_nd() {
        const bool scatters = parts_.updates != nullptr;
        const Counts counts{*parts_.input_dimension_count, *parts_.indices_dimension_count,
                            parts_.batch_dimension_count ? *parts_.batch_dimension_count : 0};
        const auto& [r, q, batch] = counts;
        if (!scatters) same_rank("indices", indices_);  // SCATTER_ND's have any rank of their own
        same_rank("output", output_);
        const bool r_fits = count_in_range("input_dimension_count", r, "input", input_);
        const bool q_fits = count_in_range("indices_dimension_count", q, "indices", indices_);
        if (scatters) same_sizes("output", output_, "input", input_);
        const bool batch_fits = r_fits && q_fits && batch < std::min(r, q);
        if (r_fits && q_fits && !batch_fits) {
            report_.add("batch-dimension-count", "", "batch_dimension_count", std::to_string(batch),
                        concat("at most ", std::min(r, q) - 1),
                        "it is less than input_dimension_count and indices_dimension_count");
        }
        if (r_fits) leading_ones("input", *input_, r, "input_dimension_count");
        if (q_fits) leading_ones("indices", *indices_, q, "indices_dimension_count");
        if (batch_fits &&
            !std::ranges::equal(last(*input_, r).first(batch), last(*indices_, q).first(batch))) {
            report_.add(
                "batch-sizes", "indices", "sizes", text(*indices_),
                concat(text(last(*input_, r).first(batch)), " in the batch dims, as input has"));
        }
        if (!r_fits || !indices_) return;
        const std::size_t k = indices_->back();
        const std::size_t most = batch_fits ? r - batch : r;
        if (k > most) {
            report_.add("index-tuple-size", "indices", "sizes",
                        concat(text(*indices_), ", tuples of ", k),
                        concat("a last size of 1 to ", most),
                        "a tuple cannot have more numbers than input has dims to index");
        }
        if (!batch_fits || k < 1 || k > most) return;
        const Sizes natural = nd_result(counts);
        if (scatters && updates_) {
            result("updates", updates_, natural, updates_->size(), &counts);
        } else if (!scatters) {
            result("output", output_, natural, input_->size(), &counts);
        }
    }

    // The numbers of a GATHER_ND, GATHER_ND1 or SCATTER_ND.
    struct Counts {
        std::size_t input;
        std::size_t indices;
        std::size_t batch;
    };

    // What the tuples index: counts and tuple fit.
    Sizes nd_result(const Counts& counts) const {
        const auto places = last(*indices_, counts.indices);
        Sizes natural(places.begin(), places.end() - 1);
        append(natural, last(*input_, counts.input - counts.batch - places.back()));
        return natural;
    }

    // Where DimensionCount was given as a count: the counts with which the sizes would be right.
    std::string counts_advice(const Sizes& sizes, const Counts& given) const {
        if (given.input != input_->size() && given.indices != indices_->size()) return {};
        for (std::size_t r = 1; r <= given.input; ++r) {
            for (std::size_t q = 1; q <= given.indices; ++q) {
                const Counts tried{r, q, given.batch};
                if (given.batch >= std::min(r, q) || indices_->back() > r - given.batch ||
                    !all_ones(first(*input_, input_->size() - r)) ||
                    !all_ones(first(*indices_, indices_->size() - q)) ||
                    differ(nd_result(tried), sizes)) {
                    continue;
                }
                return concat(
                    "input_dimension_count and indices_dimension_count are no "
                    "DimensionCount: they leave out the 1s in front, and with ",
                    r, " and ", q, " these sizes are right");
            }
        }
        return {};
    }

    // Whether both are there, of one rank.
    bool same_rank(std::string_view tensor, const Sizes* sizes) {
        if (!sizes || !input_) return false;
        if (sizes->size() == input_->size()) return true;
        report_.add("dimension-counts-equal", tensor, "sizes", concat(sizes->size(), " dims"),
                    concat(input_->size(), " dims, as input has"),
                    "put sizes of 1 in front to fill up");
        return false;
    }

    bool axis_in_range() {
        if (!input_) return false;
        if (*parts_.axis < input_->size()) return true;
        report_.add("axis", "", "axis", std::to_string(*parts_.axis),
                    concat("less than ", input_->size(), ", the dims of input"));
        return false;
    }

    bool count_in_range(std::string_view field, std::size_t count, std::string_view tensor,
                        const Sizes* sizes) {
        if (!sizes) return false;
        if (count >= 1 && count <= sizes->size()) return true;
        std::string rule(field);
        std::ranges::replace(rule, '_', '-');
        report_.add(rule, "", field, std::to_string(count),
                    concat("1 to ", sizes->size(), ", the dims of ", tensor),
                    concat(field, " says how many dims count, without the 1s in front"));
        return false;
    }

    void leading_ones(std::string_view tensor, const Sizes& sizes, std::size_t count,
                      std::string_view field) {
        if (all_ones(first(sizes, sizes.size() - count))) return;
        report_.add(concat(tensor, "-leading-ones"), tensor, "sizes", text(sizes),
                    concat("sizes of 1 before the last ", count),
                    concat(field, " says how many dims count"));
    }

    void sizes_off_axis(bool axis_in_range, bool ranks_agree) {
        if (!ranks_agree) return;
        Sizes expected = *input_;
        if (!axis_in_range) {  // whichever it is meant to be, they differ along no other
            std::size_t differing = 0;
            for (std::size_t d = 0; d < expected.size(); ++d) {
                differing += expected[d] != (*indices_)[d];
            }
            if (differing < 2) return;
            return report_.add("indices-sizes", "indices", "sizes", text(*indices_),
                               concat(text(expected), ", those of input, but along the axis"));
        }
        expected[*parts_.axis] = (*indices_)[*parts_.axis];
        if (*indices_ == expected) return;
        report_.add("indices-sizes", "indices", "sizes", text(*indices_), text(expected),
                    concat("indices and input differ along axis ", *parts_.axis, " only"));
    }

    void same_sizes(std::string_view tensor, const Sizes* sizes, std::string_view model,
                    const Sizes* expected) {
        if (!sizes || !expected || !differ(*sizes, *expected)) return;
        report_.add(concat(tensor, "-sizes"), tensor, "sizes", text(*sizes),
                    concat(text(*expected), ", those of ", model));
    }

    // The sizes, of that rank, must be the natural ones with 1s in front.
    void result(std::string_view tensor, const Sizes* given, const Sizes& natural, std::size_t rank,
                const Counts* counts = nullptr) {
        if (!given) return;
        const std::string advice = counts ? counts_advice(*given, *counts) : std::string();
        if (natural.size() > rank) {
            report_.add(concat(tensor, "-dimension-count"), tensor, "sizes", text(*given),
                        concat(text(natural), ", which has ", natural.size(), " dims"), advice);
            return;
        }
        const Sizes sizes = padded(*given, rank);
        const std::size_t in_front = sizes.size() - natural.size();
        const Sizes expected = padded(natural, rank);
        if (!all_ones(first(sizes, in_front))) {
            report_.add(concat(tensor, "-leading-ones"), tensor, "sizes", text(*given),
                        text(expected), "the dims in front of the result have size 1");
        }
        if (!std::ranges::equal(last(sizes, natural.size()), natural)) {
            report_.add(concat(tensor, "-sizes"), tensor, "sizes", text(*given), text(expected),
                        advice);
        }
    }

    Report& report_;
    const Parts& parts_;
    const Sizes* input_;  // null where the shape means nothing
    const Sizes* indices_;
    const Sizes* output_;
    const Sizes* updates_;
};

}  // namespace

void check_shapes(Report& report, const Parts& parts) { ShapeCheck(report, parts).run(); }

}  // namespace dmlindex::validation
