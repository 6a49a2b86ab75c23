// Of a scatter in which the last write wins: for each target the last position that names it (+ 1), or 0.

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

bool has_won(uint place, uint position) {
    return winners.Load(4 * min(place / target_bytes, target_count - 1)) == position + 1;
}
