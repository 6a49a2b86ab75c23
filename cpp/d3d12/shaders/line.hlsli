// Where the units (of UNIT bytes) of a slice lie in the table: find_unit, for any plan. A linear plan's have
// addresses of their own; they lie on the line as a whole, or not at all.

// The byte offset of the unit-th unit of the slice at a place. False if nothing is there.
bool find_unit(uint place, uint unit, out uint offset) {
    bool there = true;
    offset = unit * UNIT;
    if (mode == kModeLinear) {
        uint address = place + (offset >> line_shift);
        there = address < line_present;
        offset = there ? (address << line_shift) + (offset & ((1u << line_shift) - 1)) : 0;
    } else {
        offset += place;
    }
    return there;
}
