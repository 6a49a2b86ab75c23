#include "d3d12/host/float_adds.hpp"

#include <cstring>
#include <string_view>

namespace dmlindex::d3d12::vkd3d {
namespace {

// Of SPIR-V 1.0, and of SPV_EXT_shader_atomic_float_add.
constexpr std::uint32_t kMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;
constexpr std::uint32_t kExtension = 10;
constexpr std::uint32_t kCapability = 17;
constexpr std::uint32_t kTypeFloat = 22;
constexpr std::uint32_t kAtomicExchange = 229;
constexpr std::uint32_t kAtomicFloatAdd = 6035;
constexpr std::uint32_t kFloatAddCapability = 6033;
constexpr std::string_view kFloatAddExtension = "SPV_EXT_shader_atomic_float_add";

// An instruction's first word: its words, and what it is.
constexpr std::uint32_t first_word(std::size_t words, std::uint32_t what) noexcept {
    return static_cast<std::uint32_t>(words << 16) | what;
}

// Capabilities come first in a module, and extensions behind them.
void add_names(std::vector<std::uint32_t>& module, std::size_t behind_capabilities) {
    constexpr std::size_t kNameWords = kFloatAddExtension.size() / 4 + 1;  // it ends with a zero
    std::vector<std::uint32_t> added(3 + kNameWords);
    added[0] = first_word(2, kCapability);
    added[1] = kFloatAddCapability;
    added[2] = first_word(1 + kNameWords, kExtension);
    std::memcpy(&added[3], kFloatAddExtension.data(), kFloatAddExtension.size());
    module.insert(module.begin() + static_cast<std::ptrdiff_t>(behind_capabilities), added.begin(),
                  added.end());
}

}  // namespace

std::vector<std::uint32_t> with_float_adds(std::span<const std::uint32_t> module) {
    if (module.size() < kHeaderWords || module[0] != kMagic) return {};
    std::vector<std::uint32_t> changed;
    std::size_t behind_capabilities = kHeaderWords;
    std::uint32_t float_type = 0;  // no name's number
    for (std::size_t at = kHeaderWords; at < module.size();) {
        const std::uint32_t what = module[at] & 0xffff;
        const std::size_t words = module[at] >> 16;
        if (words == 0 || words > module.size() - at) return {};
        if (what == kCapability) behind_capabilities = at + words;
        if (what == kTypeFloat && words == 3 && module[at + 2] == 32) float_type = module[at + 1];
        if (what == kAtomicExchange && words == 7 && module[at + 1] == float_type) {
            if (changed.empty()) changed.assign(module.begin(), module.end());
            changed[at] = first_word(words, kAtomicFloatAdd);
        }
        at += words;
    }
    if (!changed.empty()) add_names(changed, behind_capabilities);
    return changed;
}

}  // namespace dmlindex::d3d12::vkd3d
