// The kernels of every ISA that this machine has, slot by slot, against plain loops.
#include "cpu/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "kernels/harness.hpp"

namespace dmlindex::test {
namespace {

constexpr std::int64_t kMostCount = 300;

// What runs, for the message of one who dies at a guard page.
char now[200];

void say_what_ran(int signal) {
    std::fprintf(stderr, "a kernel left its buffers: %s\n", now);
    std::signal(signal, SIG_DFL);  // on return, the instruction fails again
}

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (const Family& each : families()) names.emplace_back(each.name);
    return names;
}

const Family& family_named(const std::string& name) {
    for (const Family& each : families()) {
        if (name == each.name) return each;
    }
    std::abort();
}

class Slots : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override { before_ = std::signal(SIGSEGV, say_what_ran); }
    void TearDown() override { std::signal(SIGSEGV, before_); }

  private:
    void (*before_)(int) = SIG_DFL;
};

TEST_P(Slots, AsPlainLoops) {
    const Family& each = family_named(GetParam());
    std::vector<std::vector<std::byte>> tried(static_cast<std::size_t>(each.slots));
    for (const std::string& isa : cpu::supported_isas()) {
        const cpu::Kernels kernels = cpu::kernels_of(isa);
        for (std::int64_t slot = 0; slot < each.slots; ++slot) {
            // What an ISA leaves to a plainer one was tried there.
            std::vector<std::byte>& before = tried[static_cast<std::size_t>(slot)];
            if (!each.has(kernels, slot) || each.address(kernels, slot) == before) continue;
            before = each.address(kernels, slot);
            const std::string name = isa + ", " + each.slot_name(slot);
            Random random(static_cast<std::uint64_t>(slot) + 1);
            for (std::int64_t count = 0; count <= kMostCount; ++count) {
                std::snprintf(now, sizeof now, "%s, %d positions", name.c_str(),
                              static_cast<int>(count));
                Case call(random, kernels, each.at(slot), count, nullptr);
                each.trial(call, slot, false);
                ASSERT_EQ(call.difference(), "") << now;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Slots, testing::ValuesIn(family_names()),
                         [](const auto& name) { return name.param; });

// A new array of slots needs a family here.
TEST(Kernels, EverySlotHasATrial) {
    std::vector<std::string> owners(sizeof(cpu::Kernels));
    const auto own = [&](const std::string& name, std::int64_t from, std::int64_t bytes) {
        for (std::int64_t at = from; at < from + bytes; ++at) {
            std::string& owner = owners[static_cast<std::size_t>(at)];
            EXPECT_EQ(owner, "") << name;
            owner = name;
        }
    };
    for (const Family& each : families()) {
        own(each.name, each.offset_bytes,
            each.slots * static_cast<std::int64_t>(sizeof(cpu::MoveKernel)));
    }
    static const cpu::Kernels table{};
    const auto own_value = [&](const char* name, const auto& value) {
        own(name,
            reinterpret_cast<const std::byte*>(&value) - reinterpret_cast<const std::byte*>(&table),
            sizeof value);
    };
    own_value("name", table.name);
    own_value("small_table", table.small_table);
    own_value("least_gathered", table.least_gathered);
    own_value("shuffle_bytes", table.shuffle_bytes);
    own_value("few_summed_places", table.few_summed_places);
    own_value("aside_share", table.aside_share);
    for (std::size_t at = 0; at < owners.size(); ++at)
        ASSERT_NE(owners[at], "") << "byte " << at
                                  << " of the table of kernels belongs to no family";
}

}  // namespace
}  // namespace dmlindex::test
