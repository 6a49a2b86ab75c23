// ctest runs tests with each ISA that was built; this machine may lack one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "cpu/backend.hpp"

namespace dmlindex::test {
namespace {

class SkipWhatIsNotHere : public testing::Environment {
    void SetUp() override {
        const char* isa = std::getenv("DMLINDEX_CPU");
        if (isa == nullptr) return;
        const std::vector<std::string> here = cpu::supported_isas();
        if (std::find(here.begin(), here.end(), isa) == here.end()) {
            GTEST_SKIP() << "this machine has no " << isa;
        }
    }
};

[[maybe_unused]] const testing::Environment* const kEnvironment =
    testing::AddGlobalTestEnvironment(new SkipWhatIsNotHere);

}  // namespace
}  // namespace dmlindex::test
