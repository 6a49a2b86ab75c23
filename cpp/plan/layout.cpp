#include "plan/layout.hpp"

#include <limits>
#include <string>

#include "dmlindex/error.hpp"

namespace dmlindex {

void set_packed_strides(Layout& layout, std::int64_t element_bytes, const char* op) {
    std::int64_t bytes = element_bytes;
    for (int d = layout.rank - 1; d >= 0; --d) {
        layout.strides[d] = bytes;
        // A size of 0 counts as 1, as in NumPy: the strides of an empty tensor must fit too.
        const std::int64_t size = layout.sizes[d] == 0 ? 1 : layout.sizes[d];
        // Divisions are slow, and two numbers of 31 bits need none.
        if ((bytes | size) >> 31 != 0 && bytes > std::numeric_limits<std::int64_t>::max() / size) {
            throw Error(ErrorKind::kValue,
                        std::string(op) +
                            ": the result is too large: its size in bytes does not fit "
                            "63 bits; use smaller input or indices");
        }
        bytes *= size;
    }
}

}  // namespace dmlindex
