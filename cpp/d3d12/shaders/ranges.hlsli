// Of kernels whose groups go through all positions once for each range of targets, one range after the other: what they
// touch of a range then stays in the GPU's cache. Where there is one range for all, its size is 0.

struct Range {
    uint group;  // the number of the group in its range
    uint first;  // target
    uint size;
};

// groups: of a range.
Range find_range(uint group, uint groups, uint size) {
    Range range;
    uint number = size == 0 ? 0 : group / groups;
    range.group = group - number * groups;
    range.first = number * size;
    range.size = size == 0 ? 0xffffffff : size;
    return range;
}
