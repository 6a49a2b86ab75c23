// A linear plan made ready to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/run/job.hpp"
#include "cpu/run/line.hpp"

namespace dmlindex::cpu {

// Slices up to here have a copy of what is read behind the line, which is then one more slice of
// the table. Others are filled.
inline constexpr std::int64_t kBehindBytes = 4096;

// Some dims of a plan, in their order.
struct Dims {
    int rank = 0;
    std::int64_t positions = 1;
    bool follow = true;  // items lie at a constant stride along all positions
    Dim dims[kMaxDims];

    void append(const Dim& dim) noexcept {
        if (rank > 0) follow &= dims[rank - 1].item_stride == dim.item_stride * dim.size;
        dims[rank++] = dim;
        positions *= dim.size;
    }
};

struct LinearJob {
    Job job;  // its moves take what the address kernel gives
    LineBytes line;
    LineSpan span;
    AddressKernel address;
    bool looks_up = false;               // where there is a row of indices, first of all
    LineLookUpKernel look_up = nullptr;  // or else the job's, as far as indices are in range
    std::int64_t last_place = 0;
    Dims dims;    // those of the indices; all of a scatter's
    Dims shared;  // those along which a gather's indices are the same
    std::byte behind[kBehindBytes];
    std::unique_ptr<std::byte[]> copied_line;  // with zeros behind it

    LinearJob(const Plan& plan, const Job& in_range) noexcept;
    LinearJob(const LinearJob&) = delete;
    LinearJob& operator=(const LinearJob&) = delete;

    bool gathers() const noexcept { return job.direction == Direction::kGather; }
    bool can_look_up(const Plan& plan) const noexcept;
    void choose_look_up(const Plan& plan) noexcept;
};

}  // namespace dmlindex::cpu
