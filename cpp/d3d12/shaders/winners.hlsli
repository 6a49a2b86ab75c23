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

#ifdef CLAIMS_TOGETHER
static const uint kPlaces = 4 * GROUP;

groupshared uint named[kPlaces];  // the targets, in order
groupshared uint lasts[kPlaces];  // of the positions whose targets end in these bits: the last one's number in the group
groupshared uint heads[GROUP];    // each thread's first target; the thread before has the positions that follow
groupshared uint firsts[GROUP];   // its first position
groupshared uint claims[GROUP];   // bits of its positions that claim, and a fifth: they look first
groupshared uint repeated;        // threads with a position whose target a later one of the group names

// Leaves of a group whose last positions come first those that are the last there to name their target: at one that all
// name they would queue up. Later groups find such targets claimed. Returns a bit for each.
uint settled(uint group, uint thread, uint4 target, bool4 marks) {
    uint4 number = 4 * (GROUP - 1 - thread) + uint4(1, 2, 3, 4);
    uint i;
    heads[thread] = marks.x ? target.x : 0xffffffff;
    if (thread == 0) repeated = 0;
    [unroll] for (i = 0; i < 4; ++i) {
        named[number[i] - 1] = target[i];
        lasts[thread + i * GROUP] = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    uint next = 0xffffffff;
    [branch] if (thread > 0) next = heads[thread - 1];
    marks = marks && !(bool4(marks.yzw, true) && target == uint4(target.yzw, next));
    uint bits = dot(marks ? uint4(1, 2, 4, 8) : 0, 1);
    if (group < kSettlingGroups || pattern[0].x) {
        uint at = 4 * (GROUP - 1 - thread);
        [loop] for (i = 0; i < 4; ++i) {
            if (bits >> i & 1) InterlockedMax(lasts[named[at + i] % kPlaces], at + i + 1);
        }
        GroupMemoryBarrierWithGroupSync();
        uint before = bits;
        [loop] for (i = 0; i < 4; ++i) {
            uint named_here = named[at + i];
            uint last = lasts[named_here % kPlaces];
            if (last > at + i + 1 && named[last - 1] == named_here) bits &= ~(1u << i);
        }
        if (bits != before) InterlockedAdd(repeated, 1);
    }
    return bits;
}

// Claims for positions that are settled, of which a thread takes every GROUP-th: threads beside each other then have
// neighbouring positions, whose targets often share a line of the cache, of which it takes so many at a time. One at the
// end of a long run does not look: nearly all do that are there, as where targets are sorted, and looks at a line of the
// cache that claims change meanwhile take far longer than the claims.
// pattern[0].x: whether positions are so few for the targets that hardly any finds a later one, unless some of its group
// do: then no thread looks before it claims.
void claim_together(uint thread, uint4 target, uint first, uint bits) {
    static const uint kSeveral = GROUP / 16;
    bool looks = any(target.xyz != target.yzw);
    [branch] if (!looks) {
        uint3 before = min(thread + uint3(4, 8, 16), GROUP - 1);
        looks = any(target.x != uint3(heads[before.x], heads[before.y], heads[before.z]));
    }
    firsts[thread] = first;
    claims[thread] = bits | (looks ? 16 : 0);
    GroupMemoryBarrierWithGroupSync();
    bool may_look = !pattern[0].x || repeated >= kSeveral;
    uint within = thread % 4;
    uint known[4], taken[4], number[4];
    uint i;
    [unroll] for (i = 0; i < 4; ++i) {
        uint owner = GROUP - 1 - thread / 4 - i * (GROUP / 4);
        uint of = claims[owner];
        taken[i] = 4 * named[i * GROUP + thread];
        number[i] = winners_base + firsts[owner] + within + 1;
        known[i] = of >> within & 1 ? 0 : 0xffffffff;
        [branch] if (known[i] == 0 && may_look && of & 16) known[i] = winners.Load(taken[i]);
    }
    [unroll] for (i = 0; i < 4; ++i) {
        [branch] if (known[i] < number[i]) winners.InterlockedMax(taken[i], number[i]);
    }
}
#endif

bool has_won(uint place, uint position) {
    return winners.Load(4 * min(place / target_bytes, target_count - 1)) == winners_base + position + 1;
}
