#include "dmlindex/error.hpp"

#include <gtest/gtest.h>

namespace dmlindex {
namespace {

TEST(Error, CarriesItsKindAndMessage) {
    try {
        throw Error(ErrorKind::kIndex, "gather: an index");
    } catch (const std::exception& error) {
        EXPECT_STREQ(error.what(), "gather: an index");
        EXPECT_EQ(dynamic_cast<const Error&>(error).kind(), ErrorKind::kIndex);
    }
}

}  // namespace
}  // namespace dmlindex
