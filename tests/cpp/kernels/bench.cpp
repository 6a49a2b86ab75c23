// What each slot of the table of kernels costs, in ns a position, ISA beside ISA, on calls in L1
// and L2. Arguments choose slots by a part of their names. A slot that an ISA leaves to a plainer
// one has no figure; where a plainer ISA's slot is empty, in brackets is what runs in its place.
// What streaming gains shows past the caches only, and a fence gains nothing: it is due.
#include <cstdio>
#include <optional>

#include "harness.hpp"

namespace dmlindex::test {
namespace {

// Not by much: other programs run, too.
constexpr double kGain = 1.05;

double ns_of(const Family& each, const cpu::Kernels& kernels, std::int64_t slot, bool without) {
    double seconds = 0;
    Random random(1);
    Case call(random, kernels, each.at(slot), Case::kTimedCount, &seconds);
    each.trial(call, slot, without);
    return seconds / Case::kTimedCount * 1e9;
}

bool chosen(const std::string& name, int count, char** parts) {
    for (int i = 1; i < count; ++i) {
        if (name.find(parts[i]) != std::string::npos) return true;
    }
    return count <= 1;
}

void bench(const Family& each, std::int64_t slot) {
    std::printf("%-40s", each.slot_name(slot).c_str());
    std::optional<double> plainer;
    std::vector<std::byte> shown;
    for (const std::string& isa : cpu::supported_isas()) {
        const cpu::Kernels kernels = cpu::kernels_of(isa);
        if (!each.has(kernels, slot)) {
            plainer = ns_of(each, kernels, slot, true);
            std::printf("  (%8.3f) ", *plainer);
        } else if (each.address(kernels, slot) == shown) {
            std::printf("  %10s", "");
        } else {
            const double ns = ns_of(each, kernels, slot, false);
            const bool gains = !plainer || ns * kGain <= *plainer;
            std::printf("  %8.3f %s", ns, gains ? " " : "!");
            plainer = ns;
        }
        shown = each.address(kernels, slot);
    }
    std::printf("\n");
}

}  // namespace
}  // namespace dmlindex::test

int main(int count, char** parts) {
    using namespace dmlindex::test;
    std::printf("%-40s", "ns a position; ! gains nothing");
    for (const std::string& isa : dmlindex::cpu::supported_isas())
        std::printf("  %8s  ", isa.c_str());
    std::printf("\n");
    const std::string best = dmlindex::cpu::supported_isas().back();
    const dmlindex::cpu::Kernels kernels = dmlindex::cpu::kernels_of(best);
    for (const Family& each : families()) {
        for (std::int64_t slot = 0; slot < each.slots; ++slot) {
            if (each.has(kernels, slot) && chosen(each.slot_name(slot), count, parts))
                bench(each, slot);
        }
    }
}
