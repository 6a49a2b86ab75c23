// What the processor can do beyond every x86-64, by GCC's names for it.
#pragma once

#ifdef _MSC_VER
#include <immintrin.h>
#include <intrin.h>

#include <string_view>
#endif

namespace dmlindex::cpu {

#ifdef _MSC_VER

namespace {

// clang-cl has __builtin_cpu_supports, but not the library that it calls. Each file has its own, as
// one file's instructions may not be another's.
bool cpu_has(std::string_view feature) noexcept {
    struct Bit {
        std::string_view feature;
        int leaf, word, bit;         // of cpuid, which answers in four words
        unsigned long long enabled;  // the registers that the system has to keep
    };
    constexpr unsigned long long kAvx = 0x6;
    constexpr unsigned long long kAvx512 = 0xe6;
    constexpr Bit kBits[] = {
        {"f16c", 1, 2, 29, kAvx},
        {"avx2", 7, 1, 5, kAvx},
        {"bmi2", 7, 1, 8, 0},
        {"avx512f", 7, 1, 16, kAvx512},
        {"avx512dq", 7, 1, 17, kAvx512},
        {"avx512cd", 7, 1, 28, kAvx512},
        {"avx512bw", 7, 1, 30, kAvx512},
        {"avx512vl", 7, 1, 31, kAvx512},
        {"avx512vbmi", 7, 2, 1, kAvx512},
    };
    int words[4] = {};
    __cpuid(words, 0);
    const int last_leaf = words[0];
    __cpuid(words, 1);
    const bool keeps_registers = (words[2] >> 27 & 1) != 0;  // OSXSAVE
    for (const Bit& each : kBits) {
        if (each.feature != feature) continue;
        if (each.leaf > last_leaf) return false;
        __cpuidex(words, each.leaf, 0);
        if ((static_cast<unsigned>(words[each.word]) >> each.bit & 1) == 0) return false;
        return each.enabled == 0 ||
               (keeps_registers && (_xgetbv(0) & each.enabled) == each.enabled);
    }
    return false;
}

}  // namespace

#define DMLINDEX_CPU_HAS(feature) cpu_has(feature)

#else

#define DMLINDEX_CPU_HAS(feature) (__builtin_cpu_supports(feature) != 0)

#endif

}  // namespace dmlindex::cpu
