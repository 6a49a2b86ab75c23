// items → table, slices of any number of bytes: a thread has two pieces of 16 bytes of the table, and stores the bytes of
// one slice in each: the piece, its words, or parts of a word, as what is beside them may be another's. arguments: x the
// positions, y the pieces that a slice may reach into, z the bytes of a part, 1, 2 or 4, of which slices are whole
// multiples. slice_units are bytes. target_count: 0 if no winners are asked who may write; kCompared if they are not, but
// each group has the places of all positions and compares them.

#include "bytes.hlsli"

#include "winners.hlsli"

RWBuffer<uint4> pieces : register(u0);
RWBuffer<uint> words : register(u1);
RWBuffer<uint> parts : register(u2);  // R8, R16 or R32

static const uint kPieces = kPiecesAThread * GROUP;  // of a group
static const uint kRows = kPieces + 1;  // kMostCompared, too

groupshared uint tables[kRows];
groupshared uint items[kRows];

// Bytes begin to end of a piece of the table.
struct Piece {
    uint id;
    uint begin;
    uint end;
    Bytes bytes;
};

Piece load_one(uint number, uint first_row) {
    uint row = number / arguments.y;
    uint table = kNowhere;
    uint item = 0;
    [branch] if (row < arguments.x) {
        table = tables[row - first_row];
        item = items[row - first_row];
    }
    bool there = table != kNowhere && item != kNowhere;
    Piece piece;
    piece.id = table / 16 + (number - row * arguments.y);
    int offset = (int)(16 * piece.id - table);  // in the slice
    piece.begin = (uint)max(-offset, 0);
    piece.end = there ? (uint)clamp((int)slice_units - offset, 0, 16) : 0;
    piece.bytes = (Bytes)0;
    [branch] if (piece.begin < piece.end) piece.bytes = load_bytes(item, offset);
    return piece;
}

void store_part(Piece piece, uint4 value) {
    uint mask = arguments.z == 1 ? 0xff : 0xffff;
    [loop] for (uint at = 0; at < 16; at += 4) {
        uint word = value.x;
        value = value.yzwx;
        if (piece.begin <= at && piece.end >= at + 4) {
            words[4 * piece.id + at / 4] = word;
        } else {
            [loop] for (uint part = at; part < at + 4; part += arguments.z) {
                if (piece.begin <= part && part < piece.end) parts[(16 * piece.id + part) >> (arguments.z >> 1)] = word & mask;
                word >>= 8 * arguments.z;
            }
        }
    }
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool compares = target_count == kCompared;
    uint first = group_id(group) * kPieces;
    uint own_row = first / arguments.y;
    uint own_end = min((first + kPieces - 1) / arguments.y + 1, arguments.x);
    uint first_row = compares ? 0 : own_row;
    uint end = failed() ? 0 : compares ? arguments.x : own_end;
    uint row;
    [loop] for (row = first_row + thread; row < end; row += GROUP) {
        Place place = locate(row);
        bool writes = resolve_all(place);
        [branch] if (writes && target_count != 0 && !compares) writes = has_won(place.table, row);
        tables[row - first_row] = writes ? place.table : kNowhere;
        items[row - first_row] = place.item;
    }
    GroupMemoryBarrierWithGroupSync();
    if (compares) {
        [loop] for (row = own_row + thread; row < min(own_end, end); row += GROUP) {
            bool again = false;
            [loop] for (uint other = row + 1; other < end; ++other) again = again || tables[other] == tables[row];
            if (again) items[row] = kNowhere;
        }
        GroupMemoryBarrierWithGroupSync();
    }
    if (end == 0) return;
    Piece one = load_one(first + thread, first_row);
    Piece other = load_one(first + GROUP + thread, first_row);
    [loop] for (uint i = 0; i < 2; ++i) {
        uint4 value = joined(one.bytes);
        [branch] if (one.begin + 16 == one.end) {
            pieces[one.id] = value;
        } else [branch] if (one.begin < one.end) {
            store_part(one, value);
        }
        one = other;
    }
}
