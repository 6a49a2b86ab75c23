// The targets of four positions of any plan but a linear one, for kernels whose groups go through few positions or keep
// what they need of them in their own memory. Compared with any.hlsli that is less code, and more divisions. The
// table's strides are in targets.

#include "plan.hlsli"

uint pick(uint4 values, bool4 one) {
    uint4 kept = one ? values : 0;
    return kept.x | kept.y | kept.z | kept.w;
}

// The places along axes of these lengths that four indices name, which are (low, high) and lie at the byte offsets. named:
// whose positions there are; then which name a target.
uint4 resolve_each(uint4 limit, uint4 low, uint4 high, uint4 offset, inout bool4 named) {
    bool4 negative = index_signed && asint(high) < 0;
    uint4 found = low + (negative ? limit : 0);
    bool4 outside = named && !(found < limit && high == (negative ? 0xffffffff : 0));
    [branch] if (any(outside)) {
        [loop] for (uint j = 0; j < 4; ++j) {
            bool4 one = outside && uint4(0, 1, 2, 3) == j;
            [branch] if (any(one)) {
                uint place = resolve(uint2(pick(low, one), pick(high, one)), pick(limit, one), pick(offset, one) / index_bytes);
                found = one ? place : found;
            }
        }
    }
    if (mode == kModeSkip) named = named && !outside;
    return found;
}

// What words hold of the indices at the byte offsets, which are of less than 8 bytes.
void widen_indices(uint4 offset, inout uint4 low, out uint4 high) {
    uint unused = 32 - 8 * index_bytes;
    uint4 top = low << (unused - 8 * (offset & 3));
    low = index_signed ? asuint(asint(top) >> unused) : top >> unused;
    high = index_signed ? asuint(asint(low) >> 31) : 0;
}

#ifdef INDEX_PAIRS
Buffer<uint2> index_pairs : register(t2);  // 8 bytes of the indices each

// The indices of positions that are there, of any size: for threads that have so few that it counts what is loaded for none.
void load_indices(uint4 offset, bool4 named, out uint4 low, out uint4 high) {
    uint i;
    low = high = 0;
    [branch] if (index_bytes == 8) {
        [unroll] for (i = 0; i < 4; ++i) {
            [branch] if (named[i]) {
                uint2 words = index_pairs[offset[i] / 8];
                low[i] = words.x;
                high[i] = words.y;
            }
        }
    } else {
        [unroll] for (i = 0; i < 4; ++i) {
            [branch] if (named[i]) low[i] = index_word(offset[i]);
        }
        widen_indices(offset, low, high);
    }
}
#else
// The indices at the byte offsets, of any size.
void load_indices(uint4 offset, out uint4 low, out uint4 high) {
    uint i;
    [unroll] for (i = 0; i < 4; ++i) low[i] = index_word(offset[i]);
    [branch] if (index_bytes == 8) {
        [unroll] for (i = 0; i < 4; ++i) high[i] = index_word(offset[i] + 4);
    } else {
        widen_indices(offset, low, high);
    }
}
#endif

// The k-th coordinate's part of four targets whose tuples are at the byte offsets.
uint4 add_coordinate(uint k, uint4 tuple, inout bool4 named) {
    uint4 offset = tuple + coordinates[k].index_offset;
    uint4 low, high;
#ifdef INDEX_PAIRS
    load_indices(offset, named, low, high);
#else
    load_indices(offset, low, high);
#endif
    return resolve_each(coordinates[k].limit, low, high, offset, named) * coordinates[k].table_stride;
}

// As many times as the divisor is in the numbers. By floats where they are that small: the quotient's fraction is at least
// half a divisor's part away from the next number, which is more than what rounding moves it.
uint4 quotient(uint4 number, uint divisor) {
    static const uint kSmall = 1 << 18;
    uint4 result;
    [branch] if (max(max(number.x, number.y), max(number.z, number.w)) < kSmall) {
        result = (uint4)((number + 0.5) * (1.0 / divisor));
    } else {
        result = number / divisor;
    }
    return result;
}

// named: which positions there are; then which name a target.
uint4 find_targets(uint4 position, inout bool4 named) {
    uint4 target = 0;
    uint4 index = 0;
    uint4 rest = named ? position : 0;
    [loop] for (uint d = rank; d-- > 0;) {
        uint4 p = rest;
        [branch] if (d > 0) {  // nothing lies outside of the outermost
            rest = quotient(p, dims[d].size);
            p -= rest * dims[d].size;
        }
        target += p * dims[d].table_stride;
        index += p * dims[d].index_stride;
    }
    [loop] for (uint k = 0; k < coordinate_count; ++k) target += add_coordinate(k, index, named);
    return target;
}
