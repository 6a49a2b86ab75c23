// Reductions of few updates in C order, at once: each group has a block of the table to itself. It goes through the
// indices of all updates, so that it knows by itself whether one is bad, and marks those that name a target of its
// block; then a thread an element of the block walks the marks. arguments: x to z as in value.hlsli, w the number of
// updates. pattern[0]: x the elements of a block, y those of the table, z whether what no update names is copied.

#define GROUP kFewThreads
#define HOLDS
#include "value.hlsli"
#include "targets.hlsli"

groupshared uint targets[kFewUpdates];
groupshared Element updates[kFewUpdates];  // where slices are single elements
groupshared uint marks[kFewUpdates / 32];
groupshared uint has_marks;

void mark(uint4 position, uint first_target, uint last_target) {
    bool4 named = position < arguments.w;
    uint4 target = find_targets(position, named);
    named = named && target >= first_target && target <= last_target;
    [branch] if (any(named)) {
        has_marks = 1;
        [unroll] for (uint i = 0; i < 4; ++i) {
            [branch] if (named[i]) {
                targets[position[i]] = target[i];
                InterlockedOr(marks[position[i] / 32], 1u << position[i] % 32);
            }
        }
        [branch] if (slice_units == 1) {
            Element loaded[4];
            uint j;
            [unroll] for (j = 0; j < 4; ++j) {
                loaded[j] = load_element(items, (named[j] ? position[j] : 0) * arguments.z);
            }
            [unroll] for (j = 0; j < 4; ++j) {
                if (named[j]) updates[position[j]] = loaded[j];
            }
        }
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    uint2 told = 0;
    [branch] if (slot != kNoSlot) told = slots.Load2(slot);
    if (thread == 0) held = has_marks = 0;
    if (thread < kFewUpdates / 32) marks[thread] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint first = group_id(group) * pattern[0].x;
    uint last = min(first + pattern[0].x, pattern[0].y) - 1;
    uint first_target = first / slice_units;
    uint last_target = last / slice_units;
    [loop] for (uint walked = thread; walked < arguments.w; walked += 4 * GROUP) {
        mark(walked + uint4(0, 1, 2, 3) * GROUP, first_target, last_target);
    }
    GroupMemoryBarrierWithGroupSync();
    if (held || any(told != 0) || !(has_marks || pattern[0].z)) return;

    [loop] for (uint element = first + thread; element <= last; element += GROUP) {
        uint target = element / slice_units;
        uint within = element - target * slice_units;
        bool changes = pattern[0].z;
        Element value = load_element(source, element * arguments.z);
        [loop] for (uint word = 0; 32 * word < arguments.w; ++word) {
            uint mask = marks[word];
            [loop] while (mask != 0) {
                uint position = 32 * word + firstbitlow(mask);
                mask &= mask - 1;
                [branch] if (targets[position] == target) {
                    Element update;
                    [branch] if (slice_units == 1) {
                        update = updates[position];
                    } else {
                        update = load_element(items, (position * slice_units + within) * arguments.z);
                    }
                    value = trim(combine(value, update));
                    changes = true;
                }
            }
        }
        [branch] if (changes) store_element(element * arguments.z, value);
    }
}
