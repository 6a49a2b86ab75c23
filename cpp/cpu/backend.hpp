// The CPU backend: runs plans. It knows no operator, no Python, and nothing of the other backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace dmlindex::cpu {

// Where the plan's tensors lie. A gather only reads table and writes items; a scatter only reads
// items, and source where the plan copies it, and writes table.
struct Buffers {
    std::byte* table;
    std::byte* items;
    const std::byte* indices;
    const std::byte* source;
};

// What a failing run leaves behind: anything at all (the caller drops its fresh output), or exactly
// what was there before.
enum class OnFailure { kAnything, kUntouched };

// Runs the plan; nothing, or the index that failed it, counted in Plan::index_dims.
std::optional<BadIndex> run(const Plan& plan, const Buffers& buffers, OnFailure on_failure);

struct IndexRun;

// What run finds out about a plan each time, for who runs one often: to move some elements takes no
// longer than to choose how. By default there is all to find out.
struct Prepared {
    // For a plan that is few elements in one packed row; else null.
    std::int64_t (*look_up)(const IndexRun& row, const std::byte* table,
                            std::byte* items) noexcept = nullptr;
    bool fetches_table = false;  // the look-up asks for elements ahead
    bool is_few = false;  // another plan that no way is quicker for than that of few positions
};

Prepared prepare(const Plan& plan) noexcept;
// As run, of the plan that was prepared, or the same in place.
std::optional<BadIndex> run(const Plan& plan, const Prepared& prepared, const Buffers& buffers,
                            OnFailure on_failure);

// The positions of a scatter's updates that have no effect (flat, in C order of the plan's dims):
// a later position writes to their target, too. Ascending; a position that the mode skips has no
// target. Or the first index out of range. The plan is not canonicalised: its dims are those of the
// indices.
std::optional<BadIndex> find_overwritten(const Plan& plan, const std::byte* indices,
                                         std::vector<std::int64_t>& positions);

// What DMLINDEX_CPU may name on this machine, the plainest first.
std::vector<std::string> supported_isas();
// The one in use. Error(kValue) if DMLINDEX_CPU names another.
const char* isa_in_use();

}  // namespace dmlindex::cpu
