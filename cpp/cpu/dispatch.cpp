#include <cstdlib>
#include <cstring>
#include <string>

#include "cpu/kernels.hpp"
#include "error.hpp"

namespace dmlindex::cpu {
namespace {

// In the order they are added: each overrides slots of those before it.
struct Isa {
    const char* name;
    bool (*supported)() noexcept;
    void (*add)(Kernels&) noexcept;
};

bool always() noexcept { return true; }

#ifdef DMLINDEX_HAS_AVX2
bool has_avx2() noexcept {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}
#endif

constexpr Isa kIsas[] = {
    {"scalar", always, add_scalar_kernels},
#ifdef DMLINDEX_HAS_AVX2
    {"avx2", has_avx2, add_avx2_kernels},
#endif
};

Kernels choose() {
    const char* forced = std::getenv("DMLINDEX_CPU");
    if (forced != nullptr && *forced == '\0') forced = nullptr;
    Kernels kernels{};
    add_reductions(kernels);
    for (const Isa& isa : kIsas) {
        if (isa.supported()) {
            isa.add(kernels);
            kernels.name = isa.name;
        }
        if (forced != nullptr && std::strcmp(isa.name, forced) == 0 && isa.supported())
            return kernels;
    }
    if (forced != nullptr) {
        std::string names;
        for (const std::string& name : supported_isas())
            names += (names.empty() ? "" : ", ") + name;
        throw Error(ErrorKind::kValue, "DMLINDEX_CPU is \"" + std::string(forced) +
                                           "\", expected one of what this machine has: " + names);
    }
    return kernels;
}

}  // namespace

std::vector<std::string> supported_isas() {
    std::vector<std::string> names;
    for (const Isa& isa : kIsas) {
        if (isa.supported()) names.emplace_back(isa.name);
    }
    return names;
}

const Kernels& kernels() {
    static const Kernels chosen = choose();
    return chosen;
}

}  // namespace dmlindex::cpu
