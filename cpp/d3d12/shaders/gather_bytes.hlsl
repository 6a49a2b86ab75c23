// table → packed items, slices of any number of bytes: a thread builds pieces of 16 bytes of the items of what lies anywhere
// in the table, slice by slice. What a slice is filled with repeats itself after 16 bytes at most. arguments: x the bytes
// of all items, y the pieces of a group: GROUP times up to kMostPieces, and no more than a slice has bytes. slice_units are
// bytes.
//
// WINNERS: instead the second pass of a scatter in which the last write wins, by target: items → table, where the slices
// of the table lie packed. A slice that nobody claimed is the source's.

#include "bytes.hlsli"

RWBuffer<uint4> to : register(u0);

#if WINNERS
#include "winners.hlsli"
Buffer<uint4> source : register(t2);

uint row_place(uint row) {
    uint winner = winners.Load(4 * min(row, target_count - 1));
    return winner > winners_base ? (winner - winners_base - 1) * slice_units : kNowhere;
}
#else
uint row_place(uint row) {
    Place place = locate(row);
    return resolve_all(place) ? place.table : kNowhere;
}
#endif

static const uint kRows = 16 * GROUP + 2;  // one more on each side

groupshared uint places[kRows];

// All bits of the bytes before the end-th of 16, a word each.
uint4 bytes_before(uint end) {
    uint4 bytes = (uint4)clamp((int)end - int4(0, 4, 8, 12), 0, 4);
    return bytes == 4 ? 0xffffffff : (1u << 8 * bytes) - 1;
}

// A piece of the result: a part of a slice, and whatever follows it.
struct Piece {
    uint id;
    uint count;  // bytes; none where there is no such piece
    uint row;    // of the group's
    uint done;   // bytes that are the first row's
    Bytes bytes;
};

Bytes load_row(uint place, uint within, uint id) {
    Bytes bytes;
    [branch] if (place != kNowhere) {
        bytes = load_bytes(place, (int)within);
    } else {
#if WINNERS
        bytes.offset = 0;
        bytes.low = source[id];
#else
        bytes.offset = within & 15;
        bytes.low = pattern[0];
#endif
        bytes.high = bytes.low;
    }
    return bytes;
}

Piece begin_piece(uint id, uint first_row, bool there) {
    Piece piece;
    piece.id = id;
    piece.count = there && 16 * id < arguments.x ? min(arguments.x - 16 * id, 16) : 0;
    uint row = 16 * id / slice_units;
    uint within = 16 * id - row * slice_units;
    piece.row = row - first_row;
    piece.done = min(slice_units - within, piece.count);
    piece.bytes = (Bytes)0;
    [branch] if (piece.count != 0) piece.bytes = load_row(places[piece.row], within, id);
    return piece;
}

void end_piece(Piece piece) {
    uint4 value = joined(piece.bytes);
    uint row = piece.row;
    uint done = piece.done;
    [loop] while (done < piece.count) {
        ++row;
        Bytes bytes = load_row(places[row], 0u - done, piece.id);
        uint4 before = bytes_before(done);
        value = (value & before) | (joined(bytes) & ~before);
        done += slice_units;
    }
    if (piece.count != 0) to[piece.id] = value;
}

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    bool there = !failed();
    uint first = group_id(group) * arguments.y;
    uint first_row = 16 * first / slice_units;
    uint end = min(16 * (first + arguments.y), arguments.x);  // of the group's bytes
    uint rows = there && 16 * first < end ? (end - 1) / slice_units - first_row + 1 : 0;
    [loop] for (uint row = thread; row < rows; row += GROUP) places[row] = row_place(first_row + row);
    GroupMemoryBarrierWithGroupSync();
    Piece pieces[kMostPieces];
    uint i;
    [unroll] for (i = 0; i < kMostPieces; ++i) {
        pieces[i] = begin_piece(first + i * GROUP + thread, first_row, there && i * GROUP < arguments.y);
    }
    [loop] for (i = 0; i < kMostPieces; ++i) {
        end_piece(pieces[0]);
        [unroll] for (uint j = 1; j < kMostPieces; ++j) pieces[j - 1] = pieces[j];
    }
}
