// A stable radix sort of pairs by their first word, 8 bits a pass. A group takes a block of pairs.
// arguments: x the digit's lowest bit, y the number of pairs, z the number of blocks, w the rounds: a block has kDigits
// pairs for each.

#include "plan.hlsli"

RWByteAddressBuffer pairs : register(u0);
RWByteAddressBuffer counts : register(WRITTEN(WINNERS_REGISTER));  // [block][digit]

uint digit_of(uint key) { return key >> arguments.x & (kDigits - 1); }

// None where nothing is to be sorted. (No thread may leave before the others: they meet at barriers.)
uint pair_count() { return failed() ? 0 : arguments.y; }
