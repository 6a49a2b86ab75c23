// What each thread of accumulate.hlsl has of the updates, and where in the table they belong.

// What a thread goes through.
struct Walk {
    uint position;  // where its own would be, were it the first of their line
    uint first;     // of that line's
    uint count;
    uint unit;  // of the slices: words of the table, or elements of 8 bytes
};

Walk walk_of(uint id) {
    uint part = id / pattern[1].w;
    uint rest = id - part * pattern[1].w;
    uint beside = rest / pattern[2].x;
    uint its_line = part / pattern[1].z;
    Walk walk;
    walk.position = its_line * pattern[1].y * pattern[1].x + beside;
    part -= its_line * pattern[1].z;
    uint block = part / pattern[2].z;
    walk.first = block * pattern[2].z * pattern[0].x + (part - block * pattern[2].z) * pattern[2].y;
    walk.count = id < arguments.w && !failed() ? pattern[0].x : 0;
    walk.unit = rest - beside * pattern[2].x;
    return walk;
}

static const uint kWhole = 4;  // bytes of an element that shares its word with no other

// Where the i-th position of a walk leads to. False if its index is skipped.
bool find_update(Walk walk, uint i, out Place place) {
    uint others = i >> pattern[2].w << pattern[2].w;  // of its portions before this one
    uint along = walk.first + others * pattern[2].z + i - others;
    place = locate(walk.position + along * pattern[1].x);
    bool there = along < pattern[1].y;
    [branch] if (there) there = resolve_all(place);
    return there;
}

// What is there of a unit: its byte offset in the table, of floats as combine_word takes it, and what it is. False if
// nothing of it is in the slice.
bool load_unit(Place place, uint unit, out uint offset, out Element update) {
    bool there = unit < pattern[3].y;
    uint within = unit * element_bytes();
    update = 0;
    [branch] if (there && element_bytes() >= kWhole) update = load_element(items, place.item + within);
    offset = place.table + within;
#if (VALUES == VALUES_INTEGERS || VALUES == VALUES_FLOATS) && ADDS != 4
#if VALUES == VALUES_FLOATS
    offset |= 1;
#endif
    [branch] if (arguments.z < kWhole) {
        uint word = (place.table & ~3u) + 4 * unit;
        offset = word;
        update = pattern[0].y;
        bool any_of_it = false;
        [loop] for (uint at = there ? 0 : 4; at < 4; at += arguments.z) {
            within = word + at - place.table;  // past the slice where it begins behind it
            [branch] if (within < slice_units * arguments.z) {
                uint element = load_element(items, place.item + within);
                update = (update & ~(element_mask() << 8 * at)) | element << 8 * at;
#if VALUES == VALUES_FLOATS
                offset |= own_word(at);
#endif
                any_of_it = true;
            }
        }
        there = any_of_it;
    }
#endif
    return there;
}

// The i-th update of a walk.
bool load_update(Walk walk, uint i, out uint offset, out Element update) {
    Place place;
    offset = 0;
    update = 0;
    bool there = find_update(walk, i, place);
    [branch] if (there) there = load_unit(place, walk.unit, offset, update);
    return there;
}
