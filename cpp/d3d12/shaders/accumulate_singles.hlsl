// Packed items combined into the table, single integers of 32 bits, four a thread, in whatever order: the result is the
// same in all. arguments.y is the reduction, arguments.z whether numbers have a sign.

#include "four.hlsli"

Buffer<uint4> items : register(t0);
RWByteAddressBuffer table : register(u0);

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    if (failed()) return;
    Four four = locate_four(thread_id(group, thread));
    if (four.first >= arguments.x) return;
    uint4 values = items[four.first / 4];
    [unroll] for (uint i = 0; i < 4; ++i) {
        if (!(is_there(four, i) && !is_skipped(four, i))) continue;
        uint offset = 4 * four.place[i];
        if (arguments.y == kReductionAdd) {
            table.InterlockedAdd(offset, values[i]);
        } else if (arguments.z) {
            if (arguments.y == kReductionMin) {
                table.InterlockedMin(offset, asint(values[i]));
            } else {
                table.InterlockedMax(offset, asint(values[i]));
            }
        } else if (arguments.y == kReductionMin) {
            table.InterlockedMin(offset, values[i]);
        } else {
            table.InterlockedMax(offset, values[i]);
        }
    }
}
