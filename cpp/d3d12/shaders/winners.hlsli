// Of a scatter in which the last write wins: for each target winners_base plus the last position that names it (+ 1), or
// not more than winners_base. So what scatters before it have left there needs no clearing.

RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));

// The target of the slice at a place. False if there is none. Where a linear plan's addresses wrap, slices may end up
// between targets, which is noted behind the winners: see scatter_in_order.hlsl.
bool find_target(uint place, out uint target) {
    bool there = true;
    target = place / target_bytes;
    if (mode == kModeLinear) {
        there = place < line_present;
        bool wraps = place + (target_bytes - 1) < place;
        [branch] if ((there || wraps) && target * target_bytes != place) winners.Store(4 * target_count, 1);
    }
    return there;
}

// Claims targets for four positions. Most of the positions that name a target together find a later one there already.
void claim(uint4 target, uint4 number, bool4 marks) {
    uint4 there = marks ? target : 0;
    uint4 known;
    uint i;
    [unroll] for (i = 0; i < 4; ++i) known[i] = winners.Load(4 * there[i]);
    [unroll] for (i = 4; i-- > 0;) {
        [branch] if (marks[i] && known[i] < number[i]) winners.InterlockedMax(4 * target[i], number[i]);
    }
}

#ifdef CLAIMS_TOGETHER
static const uint kPlaces = 4 * GROUP;

groupshared uint named[kPlaces];  // the targets, in order
groupshared uint lasts[kPlaces];  // of the positions whose targets end in these bits: the last one's number in the group

// The same for a group whose last positions come first. It first leaves out those that are not the last there to name
// their target: at one that all name they would queue up. Later groups find such targets claimed.
void claim_together(uint group, uint thread, uint4 target, uint4 position, bool4 marks) {
    uint4 number = 4 * (GROUP - 1 - thread) + uint4(1, 2, 3, 4);
    uint i;
    marks.xyz = marks.xyz && !(marks.yzw && target.xyz == target.yzw);
    if (group < kSettlingGroups) {
        [unroll] for (i = 0; i < 4; ++i) {
            named[number[i] - 1] = target[i];
            lasts[thread + i * GROUP] = 0;
        }
        GroupMemoryBarrierWithGroupSync();
        [unroll] for (i = 0; i < 4; ++i) {
            if (marks[i]) InterlockedMax(lasts[target[i] % kPlaces], number[i]);
        }
        GroupMemoryBarrierWithGroupSync();
        [unroll] for (i = 0; i < 4; ++i) {
            uint last = lasts[target[i] % kPlaces];
            if (last > number[i] && named[last - 1] == target[i]) marks[i] = false;
        }
    }
    claim(target, winners_base + position + 1, marks);
}
#endif

bool has_won(uint place, uint position) {
    return winners.Load(4 * min(place / target_bytes, target_count - 1)) == winners_base + position + 1;
}
