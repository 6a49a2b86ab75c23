// Updates of a group's threads that meet: those that name one target form a list in the group's memory, which is folded in
// pairs (both_of, of Sum).

static const uint kNone = 0xffffffff;
static const uint kSeveral = 0x80000000;  // in heads: of a list of more than one
static const uint kProbes = 8;
static const uint kFewMeet = GROUP / 16;

// A thread has a place for a target, and a node for its update.
groupshared uint targets[GROUP];
groupshared uint heads[GROUP];  // of lists of the threads that have a place's target
groupshared uint nexts[GROUP];
groupshared Sum updates[GROUP];
groupshared uint joined;  // threads that have found another one in their list
groupshared uint longer;  // the steps that some node of a list is to go on by

// The group's place for a target, or kNone.
uint find_place(uint target) {
    uint place = target * 2654435761u >> 24;
    uint found = kNone;
    [loop] for (uint probe = 0; probe < kProbes && found == kNone; ++probe) {
        uint there = targets[place];
        [branch] if (there == kNone) {
            InterlockedCompareExchange(targets[place], kNone, target, there);
            if (there == kNone) there = target;
        }
        if (there == target) found = place;
        place = (place + 1) % GROUP;
    }
    return found;
}

// Each list's head gets what all of the list come to: a node takes its next one's, and goes on behind it. In the end its
// thread adds that to what it keeps for its place's target, if it keeps anything. Returns that sum.
Sum fold_lists(uint thread, bool keeps, Sum kept) {
    Sum value = 0;
    bool folds = true;
    [loop] for (uint reach = 1; folds; reach *= 2) {
        folds = longer == reach;
        uint next = nexts[thread];
        if (!folds) next = heads[thread];
        uint further = kNone;
        [branch] if (next != kNone) {
            value = updates[next & ~kSeveral];
            [branch] if (folds || keeps) value = both_of(folds ? updates[thread] : kept, value);
            if (folds) further = nexts[next];
        }
        GroupMemoryBarrierWithGroupSync();
        if (folds && next != kNone) {
            updates[thread] = value;
            nexts[thread] = further;
            if (further != kNone) longer = 2 * reach;
        }
        GroupMemoryBarrierWithGroupSync();
    }
    return value;
}
