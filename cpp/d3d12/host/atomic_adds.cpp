#include "d3d12/host/atomic_adds.hpp"

#include <cstring>
#include <initializer_list>
#include <string_view>

namespace dmlindex::d3d12::vkd3d {
namespace {

// Of SPIR-V 1.0 and its extensions.
constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kBoundWord = 3;
constexpr std::size_t kHeaderWords = 5;

constexpr std::uint32_t kExtension = 10;
constexpr std::uint32_t kCapability = 17;
constexpr std::uint32_t kTypeInt = 21;
constexpr std::uint32_t kTypeFloat = 22;
constexpr std::uint32_t kTypeVector = 23;
constexpr std::uint32_t kTypeImage = 25;
constexpr std::uint32_t kTypePointer = 32;
constexpr std::uint32_t kBitcast = 124;
constexpr std::uint32_t kAtomicExchange = 229;
constexpr std::uint32_t kAtomicFloatAdd = 6035;

constexpr std::uint32_t kImageStorage = 11;  // of a pointer to a texel
constexpr std::uint32_t kRg16f = 7;

struct Needs {
    std::initializer_list<std::uint32_t> capabilities;
    std::string_view extension;
};
constexpr std::uint32_t kFloat16 = 9;
constexpr std::uint32_t kExtendedFormats = 49;
constexpr std::uint32_t kFloat16Vector = 5404;
constexpr std::uint32_t kFloat32Add = 6033;

class Changes {
  public:
    // The words behind an instruction's first.
    using Operands = std::span<const std::uint32_t>;

    explicit Changes(std::span<const std::uint32_t> module) : module_(module) {}

    std::vector<std::uint32_t> made() {
        if (module_.size() < kHeaderWords || module_[0] != kMagic) return {};
        const bool is_whole =
            for_each([&](std::uint32_t what, Operands operands) { look_at(what, operands); });
        if (!is_whole || !(floats_ || halves_)) return {};
        next_id_ = module_[kBoundWord];
        changed_.assign(module_.begin(), module_.begin() + kHeaderWords);
        for_each([&](std::uint32_t what, Operands operands) { change(what, operands); });
        changed_[kBoundWord] = next_id_;
        return std::move(changed_);
    }

  private:
    template <typename Use>
    bool for_each(const Use& use) const {
        for (std::size_t at = kHeaderWords; at < module_.size();) {
            const std::size_t words = module_[at] >> 16;
            if (words == 0 || words > module_.size() - at) return false;
            use(module_[at] & 0xffff, module_.subspan(at + 1, words - 1));
            at += words;
        }
        return true;
    }

    void look_at(std::uint32_t what, Operands operands) {
        const auto is = [&](std::uint32_t wanted, std::size_t count) {
            return what == wanted && operands.size() == count;
        };
        if (what == kCapability) ++capabilities_;
        if (is(kTypeFloat, 2) && operands[1] == 32) float_ = operands[0];
        if (is(kTypeInt, 3) && operands[1] == 32 && operands[2] != 0) int_ = operands[0];
        if (is(kAtomicExchange, 6)) {
            floats_ = floats_ || operands[0] == float_;
            halves_ = halves_ || operands[0] == int_;
        }
    }

    void put(std::uint32_t what, Operands operands) {
        changed_.push_back(static_cast<std::uint32_t>((operands.size() + 1) << 16) | what);
        changed_.insert(changed_.end(), operands.begin(), operands.end());
    }
    void put(std::uint32_t what, std::initializer_list<std::uint32_t> operands) {
        put(what, Operands(operands.begin(), operands.size()));
    }

    void put_needs(const Needs& needs) {
        for (const std::uint32_t one : needs.capabilities) put(kCapability, {one});
    }
    void put_extension(const Needs& needs) {
        std::vector<std::uint32_t> name(needs.extension.size() / 4 + 1);  // it ends with a zero
        std::memcpy(name.data(), needs.extension.data(), needs.extension.size());
        put(kExtension, name);
    }

    void change(std::uint32_t what, Operands operands) {
        if (what == kCapability) {
            put(what, operands);
            if (--capabilities_ == 0) put_all_needs();
        } else if (halves_ && what == kTypeFloat && operands[0] == float_) {
            put_float();
        } else if (halves_ && what == kTypeImage && operands[1] == int_) {
            put_image(operands);
        } else if (halves_ && what == kTypePointer && operands[1] == kImageStorage &&
                   operands[2] == int_) {
            put(what, {operands[0], kImageStorage, texel_});
        } else if (what == kAtomicExchange && operands[0] == float_) {
            put(kAtomicFloatAdd, operands);
        } else if (what == kAtomicExchange && operands[0] == int_) {
            put_half_add(operands);
        } else {
            put(what, operands);
        }
    }

    // Extensions stand behind all capabilities.
    void put_all_needs() {
        const Needs of_floats{{kFloat32Add}, "SPV_EXT_shader_atomic_float_add"};
        const Needs of_halves{{kFloat16, kExtendedFormats, kFloat16Vector},
                              "SPV_NV_shader_atomic_fp16_vector"};
        if (floats_) put_needs(of_floats);
        if (halves_) put_needs(of_halves);
        if (floats_) put_extension(of_floats);
        if (halves_) put_extension(of_halves);
    }

    // Images are of it, and stand before vkd3d's own, of which there may be one only.
    void put_float() {
        if (!has_float_) put(kTypeFloat, {float_, 32});
        has_float_ = true;
    }

    void put_image(Operands operands) {
        std::vector<std::uint32_t> image(operands.begin(), operands.end());
        put_float();
        const std::uint32_t half = next_id_++;
        texel_ = next_id_++;
        put(kTypeFloat, {half, 16});
        put(kTypeVector, {texel_, half, 2});
        image[1] = float_;
        image[7] = kRg16f;
        put(kTypeImage, image);
    }

    // operands: type, result, pointer, scope, semantics, and the value.
    void put_half_add(Operands operands) {
        const std::uint32_t value = next_id_++;
        const std::uint32_t before = next_id_++;
        put(kBitcast, {texel_, value, operands[5]});
        put(kAtomicFloatAdd, {texel_, before, operands[2], operands[3], operands[4], value});
        put(kBitcast, {int_, operands[1], before});
    }

    std::span<const std::uint32_t> module_;
    std::vector<std::uint32_t> changed_;
    std::uint32_t next_id_ = 0;
    std::size_t capabilities_ = 0;
    // What the module adds.
    bool floats_ = false;
    bool halves_ = false;
    // Ids; 0 is none.
    std::uint32_t float_ = 0;
    std::uint32_t int_ = 0;
    std::uint32_t texel_ = 0;
    bool has_float_ = false;
};

}  // namespace

std::vector<std::uint32_t> with_atomic_adds(std::span<const std::uint32_t> module) {
    return Changes(module).made();
}

}  // namespace dmlindex::d3d12::vkd3d
