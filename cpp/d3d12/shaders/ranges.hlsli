// Of kernels whose groups go through all positions once for each range of targets, one range after the other: what they
// touch of a range then stays in the GPU's cache. Where there is one range for all, its size is 0.

struct Range {
    uint part;   // of the positions, the group's first
    uint parts;  // that follow each other
    uint first;  // target
    uint size;
};

// parts: of all positions; together: those of a group, but of the first range's, which have one.
Range find_range(uint group, uint parts, uint size, uint together) {
    Range range;
    range.part = group;
    range.parts = 1;
    range.first = 0;
    range.size = size == 0 ? 0xffffffff : size;
    if (size != 0 && group >= parts) {
        uint groups = (parts + together - 1) / together;
        uint number = (group - parts) / groups;
        range.part = (group - parts - number * groups) * together;
        range.parts = min(together, parts - range.part);
        range.first = (number + 1) * size;
    }
    return range;
}
