#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "cpu/backend.hpp"
#include "cpu/kernels/caches.hpp"
#include "cpu/kernels/cpu_features.hpp"
#include "cpu/kernels/isas.hpp"
#include "cpu/kernels/kernels.hpp"
#include "cpu/kernels/trials.hpp"
#include "dmlindex/error.hpp"

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
    return DMLINDEX_CPU_HAS("avx2") && DMLINDEX_CPU_HAS("bmi2") && DMLINDEX_CPU_HAS("f16c");
}
#endif

// AVX-512 as Ice Lake and Zen 4 brought it: older CPUs, without VBMI, stay with AVX2.
#ifdef DMLINDEX_HAS_AVX512
bool has_avx512() noexcept {
    return has_avx2() && DMLINDEX_CPU_HAS("avx512f") && DMLINDEX_CPU_HAS("avx512cd") &&
           DMLINDEX_CPU_HAS("avx512bw") && DMLINDEX_CPU_HAS("avx512dq") &&
           DMLINDEX_CPU_HAS("avx512vl") && DMLINDEX_CPU_HAS("avx512vbmi");
}

void add_avx512(Kernels& kernels) noexcept {
    add_avx512_kernels(kernels);
#ifdef DMLINDEX_HAS_AVX512FP16
    if (DMLINDEX_CPU_HAS("avx512fp16")) add_avx512fp16_sums(kernels);
#endif
}
#endif

constexpr Isa kIsas[] = {
    {"scalar", always, add_scalar_kernels},
#ifdef DMLINDEX_HAS_AVX2
    {"avx2", has_avx2, add_avx2_kernels},
#endif
#ifdef DMLINDEX_HAS_AVX512
    {"avx512", has_avx512, add_avx512},
#endif
#ifdef DMLINDEX_HAS_NEON
    {"neon", always, add_neon_kernels},  // part of every 64-bit Arm
#endif
};

Kernels choose() {
    caches();  // looked up here too: at import, where no fork can come between
    const std::vector<std::string> names = supported_isas();
    const char* forced = std::getenv("DMLINDEX_CPU");
    if (forced == nullptr || *forced == '\0') return kernels_of(names.back());
    if (std::find(names.begin(), names.end(), forced) != names.end()) return kernels_of(forced);
    std::string expected;
    for (const std::string& name : names) expected += (expected.empty() ? "" : ", ") + name;
    constexpr const char* kAnywhere[] = {"scalar", "avx2", "avx512", "neon"};
    const bool known = std::find(std::begin(kAnywhere), std::end(kAnywhere),
                                 std::string_view(forced)) != std::end(kAnywhere);
    throw Error(ErrorKind::kValue,
                "the environment variable DMLINDEX_CPU is \"" + std::string(forced) + "\", " +
                    (known ? "which this machine or build does not have; " : "") +
                    "expected one of: " + expected + "; unset it for the best of them");
}

}  // namespace

std::vector<std::string> supported_isas() {
    std::vector<std::string> names;
    for (const Isa& isa : kIsas) {
        if (isa.supported()) names.emplace_back(isa.name);
    }
    return names;
}

Kernels kernels_of(const std::string& isa) noexcept {
    Kernels kernels{};
    add_reductions(kernels);
    for (const Isa& each : kIsas) {
        if (!each.supported()) continue;
        each.add(kernels);
        kernels.name = each.name;
        if (isa == each.name) break;
    }
    kernels.few_summed_places = few_summed_places(kernels);
    return kernels;
}

const Kernels& kernels() {
    static const Kernels chosen = choose();
    return chosen;
}

const char* isa_in_use() { return kernels().name; }

}  // namespace dmlindex::cpu
