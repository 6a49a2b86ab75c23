// Raw descriptors → validate → lower → run, between fences, and held to their meaning.
#include <algorithm>
#include <string>

#include "meaning.hpp"
#include "raw_descs.hpp"

namespace dmlindex::fuzz {
namespace {

constexpr FeatureLevel kLevels[] = {FeatureLevel::k1_0, FeatureLevel::k2_0, FeatureLevel::k2_1,
                                    FeatureLevel::k3_0, FeatureLevel::k4_1, FeatureLevel::k6_4};
constexpr Mode kModes[] = {Mode::kRaise, Mode::kClamp, Mode::kWrap, Mode::kSkip, Mode::kDirectml};
constexpr std::int64_t kMostBytes = 1 << 16;
constexpr std::int64_t kMostItems = 1 << 9;

std::string described(const std::vector<Violation>& violations) {
    std::string text;
    for (const Violation& violation : violations) {
        text += (text.empty() ? "" : "\n") + describe(violation);
    }
    return text;
}

// What is wrong is wrong at every lower level, and compiling tells it.
void check_refusal(const OperatorDesc& desc, FeatureLevel level, const std::string& reason) {
    for (const FeatureLevel lower : kLevels) {
        if (lower <= level) require(!validate(desc, lower).empty(), "a lower level takes more");
    }
    try {
        const CompiledOperator op(desc, {.feature_level = level});
        require(false, "a desc with violations compiles");
    } catch (const Error& error) {
        require(error.kind() == ErrorKind::kDescriptor && error.what() == reason,
                "compiling gives other reasons than validate");
    }
}

const TensorDesc& tensor(const TensorDescPointer& pointer) { return *pointer; }

// What every buffer is sized by, in numbers that nothing overflows.
void check_room(const TensorDesc& desc) {
    __extension__ using Wide = unsigned __int128;
    Wide count = 1;
    Wide extent = 1;
    const std::vector<std::uint32_t> strides = strides_of(desc);
    for (std::size_t d = 0; d < strides.size(); ++d) {
        require(desc.sizes[d] > 0, "a valid tensor has elements");
        count *= desc.sizes[d];
        extent += Wide{desc.sizes[d] - 1} * strides[d];
    }
    const auto width = static_cast<std::uint64_t>(element_bytes(desc.data_type));
    const auto total = static_cast<std::uint64_t>(total_bytes(desc));
    require(count <= 0xFFFFFFFF && extent * width <= total && total <= 0xFFFFFFFF * width,
            "the elements of a valid tensor lie in its total size");
}

// Of the tensor's elements, and no more.
Memory buffer_of(Random& random, const TensorDesc& desc) {
    Memory memory(static_cast<std::size_t>(buffer_elements(desc) * element_bytes(desc.data_type)));
    random.fill(memory.all());
    return memory;
}

void put_indices(Random& random, const TensorDesc& desc, const Memory& memory) {
    const auto width = static_cast<std::size_t>(element_bytes(desc.data_type));
    const std::span<std::byte> bytes = memory.all();
    const bool hostile = random.one_in(2);
    for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
        const bool any = hostile && random.one_in(4);
        const std::int64_t value =
            any ? random.between(INT64_MIN, INT64_MAX) : random.between(-4, 4);
        for (std::size_t b = 0; b < width; ++b)
            bytes[at + b] = static_cast<std::byte>(value >> 8 * b);
    }
}

void run_and_compare(Random& random, const OperatorDesc& desc, const CompileOptions& options) {
    const CompiledOperator op(desc, options);
    std::visit(
        [&](const auto& d) {
            const TensorDesc* updates_desc = nullptr;
            if constexpr (requires { d.updates_tensor; }) updates_desc = &*d.updates_tensor;
            if (updates_desc != nullptr) check_room(*updates_desc);
            std::int64_t most = updates_desc != nullptr ? total_bytes(*updates_desc) : 0;
            for (const TensorDescPointer& each :
                 {d.input_tensor, d.indices_tensor, d.output_tensor}) {
                check_room(tensor(each));
                most = std::max(most, total_bytes(tensor(each)));
            }
            if (most > kMostBytes || item_count(desc) > kMostItems) return;
            const Memory input = buffer_of(random, *d.input_tensor);
            const Memory indices = buffer_of(random, *d.indices_tensor);
            const Memory updates = updates_desc ? buffer_of(random, *updates_desc) : Memory(0);
            const Memory output = buffer_of(random, *d.output_tensor);
            put_indices(random, *d.indices_tensor, indices);

            const Memory before_input(input.all()), before_output(output.all());
            const Memory expected(output.all());
            const auto expected_bad = run_by_meaning(
                desc, options, {input.all(), indices.all(), updates.all(), expected.all()});
            const auto bad = op.run({input.data(), indices.data(), updates.data(), output.data()});
            require(bad.has_value() == expected_bad.has_value(), "whether an index is bad");
            if (bad) {
                require(bad->position == expected_bad->position &&
                            bad->coordinate == expected_bad->coordinate &&
                            bad->bits == expected_bad->bits,
                        "which index is bad");
                require(output == before_output, "a failed call writes nothing");
            }
            require(output == expected, "the result is the meaning's");
            require(input == before_input, "the input is as it was");

            const bool in_place = op.scatters() &&
                                  strides_of(*d.input_tensor) == strides_of(*d.output_tensor) &&
                                  input.all().size() == output.all().size();
            if (!in_place) return;
            const Memory again(input.all());
            run_by_meaning(desc, options, {input.all(), indices.all(), updates.all(), again.all()});
            static_cast<void>(op.run({input.data(), indices.data(), updates.data(), input.data()}));
            require(input == again, "in place the result is the same");
        },
        desc);
}

void run_one(std::span<const std::byte> data) {
    Random random(data);
    RawDesc raw;
    draw(random, raw);
    const OperatorDesc desc = from_raw(raw);
    CompileOptions options{
        .mode = random.one_of(kModes),
        .feature_level = random.one_in(4) ? random.one_of(kLevels) : FeatureLevel::k6_4};
    const std::string reason = described(validate(desc, options.feature_level));
    if (!reason.empty()) return check_refusal(desc, options.feature_level, reason);
    require(needed_feature_level(desc) <= options.feature_level, "the level needed is enough");
    require(validate(desc, needed_feature_level(desc)).empty(), "the level needed is valid");
    const bool scatters = desc.index() >= 4;
    if (options.mode == Mode::kSkip && !scatters && random.one_in(2)) {
        const TensorDesc& input =
            std::visit([](const auto& d) -> const TensorDesc& { return *d.input_tensor; }, desc);
        options.fill.resize(static_cast<std::size_t>(element_bytes(input.data_type)));
        random.fill(options.fill);
    }
    run_and_compare(random, desc, options);
}

}  // namespace
}  // namespace dmlindex::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    dmlindex::fuzz::run_one(std::as_bytes(std::span(data, size)));
    return 0;
}
