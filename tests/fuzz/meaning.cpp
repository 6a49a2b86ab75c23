#include "meaning.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "dmlindex/directml.hpp"
#include "operators/descriptors/validation.hpp"
#include "support.hpp"

namespace dmlindex::fuzz {
namespace {

using test::Sizes;
using validation::Parts;

Sizes wide(std::span<const std::uint32_t> sizes) { return {sizes.begin(), sizes.end()}; }

void append(Sizes& sizes, std::span<const std::int64_t> more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
}

// A tensor as its desc says, with positions that may lack dims of size 1 in front, or have too
// many.
struct View {
    explicit View(const TensorDesc& tensor)
        : desc(tensor),
          sizes(wide(tensor.sizes)),
          strides(wide(strides_of(tensor))),
          width(static_cast<std::size_t>(element_bytes(tensor.data_type))) {}

    std::size_t element(std::span<const std::int64_t> position) const {
        std::int64_t sum = 0;
        for (std::size_t d = 1; d <= std::min(position.size(), strides.size()); ++d) {
            sum += position[position.size() - d] * strides[strides.size() - d];
        }
        return static_cast<std::size_t>(sum);
    }
    std::size_t rank() const { return sizes.size(); }

    TensorDesc desc;
    Sizes sizes;
    Sizes strides;  // in elements
    std::size_t width;
};

using Position = std::array<std::int64_t, 2 * directml::kMostDims>;

// Where an item lies in the table: its coordinate in each dim, of which some are read from indices.
struct Place {
    Position fixed{};  // 0 where it is read
    std::size_t count = 0;
    std::array<std::size_t, directml::kMostDims> dims;  // that are read, and
    std::array<std::size_t, directml::kMostDims> from;  // the elements of indices

    void read(std::size_t dim, std::size_t element) {
        dims[count] = dim;
        from[count++] = element;
    }
};

struct Call {
    explicit Call(const OperatorDesc& desc)
        : parts(validation::parts_of(desc)),
          input(**parts.input),
          indices(**parts.indices),
          output(**parts.output),
          items(parts.updates ? **parts.updates : **parts.output),
          table(parts.updates ? **parts.output : **parts.input),
          is_elements(parts.axis != nullptr && parts.index_dimensions == nullptr) {}

    // The sizes of the items, without dims in front that only fill up.
    Sizes item_sizes() const {
        if (is_elements) return indices.sizes;
        const std::span<const std::int64_t> in(input.sizes), own(indices.sizes);
        Sizes sizes;
        if (parts.index_dimensions != nullptr) {
            append(sizes, in.first(*parts.axis));
            append(sizes, own.last(*parts.index_dimensions));
            append(sizes, in.subspan(*parts.axis + 1));
        } else {
            append(
                sizes,
                own.last(*parts.indices_dimension_count).first(*parts.indices_dimension_count - 1));
            append(sizes, in.last(*parts.input_dimension_count).subspan(batch() + tuple_size()));
        }
        return sizes;
    }

    Place place(const Sizes& p) const {
        const std::size_t n = input.rank();
        Place place;
        if (is_elements) {
            std::ranges::copy(p, place.fixed.begin());
            place.fixed[*parts.axis] = 0;
            place.read(*parts.axis, indices.element(p));
        } else if (parts.index_dimensions != nullptr) {
            const std::size_t axis = *parts.axis, q = *parts.index_dimensions;
            for (std::size_t d = 0; d < axis; ++d) place.fixed[d] = p[d];
            for (std::size_t d = axis + 1; d < n; ++d) place.fixed[d] = p[d + q - 1];
            place.read(axis, indices.element(std::span(p).subspan(axis, q)));
        } else {
            const std::size_t r = *parts.input_dimension_count, k = tuple_size();
            const std::size_t q = *parts.indices_dimension_count, front = n - r;
            for (std::size_t d = 0; d < batch(); ++d) place.fixed[front + d] = p[d];
            for (std::size_t d = batch() + k; d < r; ++d) {
                place.fixed[front + d] = p[q - 1 + d - batch() - k];
            }
            Position from{};
            std::copy_n(p.begin(), q - 1, from.begin());
            for (std::size_t j = 0; j < k; ++j) {
                from[q - 1] = static_cast<std::int64_t>(j);
                place.read(front + batch() + j, indices.element(std::span(from).first(q)));
            }
        }
        return place;
    }

    std::size_t batch() const {
        return parts.batch_dimension_count ? *parts.batch_dimension_count : 0;
    }
    std::size_t tuple_size() const { return static_cast<std::size_t>(indices.sizes.back()); }

    IndexType index_type() const {
        switch (indices.desc.data_type) {
            case DataType::kInt32:
                return IndexType::kInt32;
            case DataType::kUint32:
                return IndexType::kUint32;
            case DataType::kInt64:
                return IndexType::kInt64;
            default:
                return IndexType::kUint64;
        }
    }

    Parts parts;
    View input, indices, output, items, table;
    bool is_elements;
};

class Run {
  public:
    Run(const Call& call, const CompileOptions& options, const Operands& operands)
        : call_(call), options_(options), operands_(operands) {}

    std::optional<BadIndex> run() {
        if (options_.mode == Mode::kRaise) {
            if (const auto bad = first_bad_index()) return bad;
        }
        const View& table = call_.table;
        if (call_.parts.updates != nullptr) {
            test::for_each_position(table.sizes, [&](const Sizes& p) {
                std::memcpy(&operands_.output[table.element(p) * table.width],
                            &operands_.input[call_.input.element(p) * table.width], table.width);
            });
        }
        test::for_each_position(call_.item_sizes(), [&](const Sizes& p) {
            const Place place = call_.place(p);
            const std::size_t item = call_.items.element(p) * table.width;
            const auto target =
                options_.mode == Mode::kDirectml ? line_element(place) : element(place);
            move(target, item);
        });
        return std::nullopt;
    }

  private:
    std::uint64_t bits(std::size_t element) const {
        return test::index_bits(&operands_.indices[element * call_.indices.width],
                                call_.index_type());
    }

    // A tuple's numbers follow one another, so that this is C order of all of indices.
    std::optional<BadIndex> first_bad_index() const {
        const Sizes& in_all = call_.indices.sizes;
        const bool tuples = call_.parts.input_dimension_count != nullptr;
        const std::size_t first =
            !tuples ? *call_.parts.axis
                    : call_.input.rank() - *call_.parts.input_dimension_count + call_.batch();
        std::optional<BadIndex> bad;
        std::int64_t flat = 0;
        test::for_each_position(in_all, [&](const Sizes& p) {
            const std::int64_t number = tuples ? p.back() : 0;
            const std::int64_t limit = call_.input.sizes[first + static_cast<std::size_t>(number)];
            const std::uint64_t value = bits(call_.indices.element(p));
            if (!bad && !test::place_of(value, call_.index_type(), Mode::kRaise, limit)) {
                bad =
                    BadIndex{tuples ? flat / in_all.back() : flat, static_cast<int>(number), value};
            }
            ++flat;
        });
        return bad;
    }

    std::optional<std::size_t> element(const Place& place) const {
        Position position = place.fixed;
        for (std::size_t j = 0; j < place.count; ++j) {
            const std::size_t d = place.dims[j];
            const auto found = test::place_of(bits(place.from[j]), call_.index_type(),
                                              options_.mode, call_.input.sizes[d]);
            if (!found) return std::nullopt;
            position[d] = *found;
        }
        return call_.table.element(std::span(position).first(call_.table.rank()));
    }

    // docs/directml_numerics.md. Nothing: behind all that is there.
    std::optional<std::size_t> line_element(const Place& place) const {
        const View& table = call_.table;
        auto address =
            static_cast<std::uint32_t>(table.element(std::span(place.fixed).first(table.rank())));
        for (std::size_t j = 0; j < place.count; ++j) {
            const std::size_t d = place.dims[j];
            const std::uint64_t value = bits(place.from[j]);
            const bool is_wide = call_.indices.width == 8;
            const bool negative =
                is_wide ? value >> 63 != 0
                        : call_.index_type() == IndexType::kInt32 && (value >> 31 & 1) != 0;
            auto index = static_cast<std::uint32_t>(value);
            if (negative) index += static_cast<std::uint32_t>(call_.input.sizes[d]);
            if (call_.is_elements && call_.input.sizes[d] == 1) continue;
            address += index * static_cast<std::uint32_t>(table.strides[d]);
        }
        const auto bytes = static_cast<std::uint64_t>(total_bytes(table.desc));
        const std::uint64_t last = (bytes + table.width - 1) / table.width - 1;
        if (address > last) {
            if (call_.parts.updates != nullptr) return std::nullopt;
            address = static_cast<std::uint32_t>(last);
        }
        std::int64_t there = buffer_elements(table.desc);
        if (!table.desc.strides) {  // packed: an array of its sizes
            std::int64_t count = 1;
            for (const std::int64_t size : table.sizes) count *= size;
            there = std::min(there, count);
        }
        if (address >= there) return std::nullopt;
        return address;
    }

    void move(std::optional<std::size_t> target, std::size_t item) const {
        const std::size_t width = call_.table.width;
        if (call_.parts.updates != nullptr) {
            if (target)
                std::memcpy(&operands_.output[*target * width], &operands_.updates[item], width);
        } else if (target) {
            std::memcpy(&operands_.output[item], &operands_.input[*target * width], width);
        } else if (!options_.fill.empty()) {
            std::memcpy(&operands_.output[item], options_.fill.data(), width);
        } else {
            std::memset(&operands_.output[item], 0, width);
        }
    }

    const Call& call_;
    const CompileOptions& options_;
    const Operands& operands_;
};

}  // namespace

std::optional<BadIndex> run_by_meaning(const OperatorDesc& desc, const CompileOptions& options,
                                       const Operands& operands) {
    return Run(Call(desc), options, operands).run();
}

std::int64_t item_count(const OperatorDesc& desc) {
    std::int64_t count = 1;
    for (const std::int64_t size : Call(desc).item_sizes()) count *= size;
    return count;
}

}  // namespace dmlindex::fuzz
