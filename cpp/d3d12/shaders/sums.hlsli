// Sums of what the hardware adds: integers of 4 and 8 bytes, and floats as ADDS says (atomic_adds.hpp), float32, or two
// float16 that share a word. What is between a thread's updates and the table.

#include "value.hlsli"

#if ADDS == 4
typedef uint Sum;

RWBuffer<float> sums : register(u1);  // the table

// Only of numbers that are sure: all are multiples of 2^-123, and so are the sums, of which none is a denormal then.
Sum both_of(Sum a, Sum b) {
    precise float sum = asfloat(a) + asfloat(b);
    return asuint(sum);
}

Sum sum_of(Element update) { return update; }
Sum nothing() { return kSign; }
#elif ADDS == 2
#include "exchange.hlsli"
typedef float2 Sum;

RWBuffer<int> sums : register(u1);
RWByteAddressBuffer winners : register(WRITTEN(WINNERS_REGISTER));  // its first word: see find_nans

// Whether the table may have had a NaN at first. What becomes one later is a target, whose NaN may be any.
static bool meets_nans;

void find_nans() { meets_nans = winners.Load(0) >= winners_base; }

Sum both_of(Sum a, Sum b) {
    precise float2 sum = a + b;
    return sum;
}

Sum sum_of(Element word) { return asfloat(widen_halves(uint4(word & 0xffff, word >> 16, 0, 0)).xy); }
Sum nothing() { return sum_of(pattern[0].y); }  // the compiler takes -0 for 0
#else
typedef Element Sum;

#if VALUES == VALUES_WHOLE
Sum both_of(Sum a, Sum b) { return add_wide(a, b); }
#else
Sum both_of(Sum a, Sum b) { return a + b; }
#endif

Sum sum_of(Element update) { return update; }
Sum nothing() { return 0; }
#endif

#include "lists.hlsli"

static const uint kLongList = 16;     // sorted targets that few updates name have shorter ones
static const uint kRoundsLooked = 3;  // with lists, before a group knows whether it goes on with them

groupshared uint lasting[GROUP / 32];  // a bit for each place that is named in round after round
groupshared uint again;                // threads that name a target of such a place, or one of theirs again

#if ADDS == 4
// In the place of this exchange there is an atomic add. It may take a denormal that is there for a zero: that is less
// than what is rounded of the updates.
void add_at_once(uint offset, Sum sum) {
    float before;
    InterlockedExchange(sums[offset >> 2], asfloat(sum), before);
}

// What is less than 2^-99, times 2^100: a number with no denormal near it.
float enlarge(uint bits) {
    uint magnitude = magnitude_of(bits);
    float normal = asfloat(magnitude + (100u << 23));
    float other = (float)magnitude * exp2(-49);
    return asfloat(asuint(magnitude < 1u << 23 ? other : normal) | (bits & kSign));
}

uint lessen(float number) {
    uint magnitude = magnitude_of(asuint(number));
    uint other = (uint)(asfloat(magnitude) * exp2(49));
    return (magnitude < 101u << 23 ? other : magnitude - (100u << 23)) | (asuint(number) & kSign);
}

// Of others, as combine_word of exchange.hlsli does.
void exchange(uint word, Element hand) {
    bool done = false;
    [allow_uav_condition] while (!done) {
        uint there;
        table.InterlockedExchange(word, kSign, there);
        precise float sum = asfloat(there) + asfloat(hand);
        uint both = asuint(sum);
        [branch] if (max(magnitude_of(there), magnitude_of(hand)) < kLeastSure) {
            precise float enlarged = enlarge(there) + enlarge(hand);
            both = lessen(enlarged);
        }
        table.InterlockedExchange(word, both, hand);
        done = hand == kSign;
    }
}

// Whether the hardware is to add it. What it would take for a zero is exchanged; and zeros change nothing.
bool is_for_hardware(uint offset, Element update) {
    bool sure = is_sure(update);
    [branch] if (!sure && magnitude_of(update) != 0) exchange(offset, update);
    return sure;
}
#else
bool is_for_hardware(uint offset, Element update) { return true; }
#endif

#if ADDS == 2
// To a half that is no target the hardware adds -0, and makes another NaN of one that is there: beside such a half the
// word is changed by comparing.
void add_at_once(uint offset, Sum sum) {
    uint word = offset & ~3u;
    bool2 others = asuint(sum) == kSign;
    uint expected = 0;
    [branch] if (meets_nans && any(others)) expected = table.Load(word);
    uint2 there = uint2(expected, expected >> 16) & 0x7fff;
    bool compares = any(others && there > 0x7c00);
    bool done = false;
    [allow_uav_condition] while (!done) {
        Sum both = sum;
        [branch] if (compares) both = both_of(sum_of(expected), sum);
        uint bits = 0;
        [loop] for (uint shift = 0; shift < 32; shift += 16) {
            bits |= narrow_half(asuint(shift == 0 ? both.x : both.y)) << shift;
        }
        [branch] if (compares) {
            uint mask = (others.x ? 0xffff : 0) | (others.y ? 0xffff0000 : 0);
            bits = (bits & ~mask) | (expected & mask);
            uint found;
            table.InterlockedCompareExchange(word, expected, bits, found);
            done = found == expected;
            expected = found;
        } else {
            int before;
            InterlockedExchange(sums[word >> 2], asint(bits), before);
            done = true;
        }
    }
}
#elif VALUES == VALUES_INTEGERS
void add_at_once(uint offset, Sum sum) { table.InterlockedAdd(offset, sum); }
#elif !ADDS
// Words of their own, and what the low one carries.
void add_at_once(uint offset, Sum sum) {
    [branch] if (arguments.z == 4) {
        table.InterlockedAdd(offset, sum.x);
    } else {
        uint low;
        table.InterlockedAdd(offset, sum.x, low);
        uint high = sum.y + (low + sum.x < low ? 1 : 0);
        [branch] if (high != 0) table.InterlockedAdd(offset + 4, high);
    }
}
#endif

// What a thread knows of the rounds in which its group looks whether threads meet.
struct Looks {
    uint next;  // round that has lists; past the last: none
    uint looked;
    uint longest;  // list that the first look has to find for there to be more
    bool keeps;
    Sum kept;  // of its place's target
};

Looks begin_looks(uint thread, uint next, uint longest) {
    Looks looks = {next, 0, longest, false, (Sum)0};
    targets[thread] = kNone;
    if (thread < GROUP / 32) lasting[thread] = 0;
    return looks;
}

// A round's updates, in lists if it has them: then they are there no more, unless there was no place. met: two of the
// thread's have met already, and are in its hand, whose target it tells the first lists, too: they show how many meet.
// Returns the target of the thread's place if what is kept goes to the table, or kNone.
uint look(inout Looks looks, uint thread, uint round, uint rounds, uint offset, Sum update, bool met, uint in_hand,
          inout bool there) {
    uint leaving = kNone;
    [branch] if (round == looks.next) {
        heads[thread] = kNone;
        nexts[thread] = kNone;
        bool tells = met && looks.looked == 0;
        Sum value = update;
        if (tells) value = nothing();
        updates[thread] = value;
        if (thread == 0) joined = longer = again = 0;
        GroupMemoryBarrierWithGroupSync();
        uint place = kNone;
        if (met) InterlockedAdd(joined, 1);
        if (met) InterlockedAdd(again, 1);
        bool were = there;
        [branch] if (there || tells) place = find_place(tells ? in_hand : offset);
        [branch] if (place != kNone) {
            InterlockedExchange(heads[place], thread, nexts[thread]);
            there = false;
            if (lasting[place / 32] >> place % 32 & 1) InterlockedAdd(again, 1);
            [branch] if (nexts[thread] != kNone) {
                InterlockedAdd(joined, 1);
                longer = 1;
            }
        }
        GroupMemoryBarrierWithGroupSync();
        bool goes_on = joined >= kFewMeet && (looks.looked + 1 < kRoundsLooked || again >= kFewMeet);
        bool few = looks.looked == 0 && joined < kFewMeet;
        if (place != kNone && nexts[thread] != kNone && heads[place] == thread) heads[place] = thread | kSeveral;
        looks.next = rounds + 1;
        GroupMemoryBarrierWithGroupSync();
        [branch] if (few) {
            there = were;  // it is as if there had been no lists
        } else {
            Sum sum = fold_lists(thread, looks.keeps, looks.kept);
            goes_on = goes_on && (looks.looked != 0 || longer >= looks.longest);
            if (goes_on) looks.next = round + 1;
            ++looks.looked;
            uint head = heads[thread];
            bool stays = head != kNone && head >= kSeveral && round < rounds && goes_on;
            if (looks.keeps && stays && looks.looked < kRoundsLooked) InterlockedOr(lasting[thread / 32], 1u << thread % 32);
            if (head != kNone) looks.kept = sum;
            if (!stays) {
                leaving = targets[thread];
                targets[thread] = kNone;
            }
            looks.keeps = stays;
            GroupMemoryBarrierWithGroupSync();
        }
    }
    return leaving;
}

// A thread has a sum in hand: what comes to the same target meets there, which is returned. Else what was in hand goes on
// if it is to (has_hand), and what has come is in hand. In the last round the hand is emptied.
bool hand_over(inout uint target, inout Sum hand, inout uint offset, inout Sum update, inout bool there, bool has_hand,
               bool is_last) {
    bool met = there && offset == target;
    [branch] if (met) {
        update = both_of(hand, update);
        target = kNone;
    }
    [branch] if (has_hand && (there || is_last)) {
        uint next = there ? offset : kNone;
        Sum value = update;
        offset = target;
        update = hand;
        target = next;
        hand = value;
        there = offset != kNone;
    }
    return met;
}

// What leaves the thread's place, and an update that is in no list. (Of halves the kernel has the way to the table once.)
void add_both(uint leaving, Sum kept, bool there, uint offset, Sum update) {
#if ADDS == 2
    [loop] for (uint which = 0; which < 2; ++which) {
        bool of_place = which == 0;
        [branch] if (of_place ? leaving != kNone : there) {
            add_at_once(of_place ? leaving : offset, of_place ? kept : update);
        }
    }
#else
    [branch] if (leaving != kNone) add_at_once(leaving, kept);
    [branch] if (there) add_at_once(offset, update);
#endif
}
