// What the host and the shaders have to agree on, for both to include: the constants of one dispatch, the numbers of
// enums, and the sizes that kernels are built with.
#ifndef DMLINDEX_D3D12_SHADERS_SHARED_H
#define DMLINDEX_D3D12_SHADERS_SHARED_H

#ifdef __cplusplus
#include <array>
#include <cstdint>
#define SHARED inline constexpr
namespace dmlindex::d3d12 {
using uint = std::uint32_t;
using uint4 = std::array<uint, 4>;
#else
#define SHARED static const
#define JOINED(letter, number) letter##number
#define REGISTER(letter, number) JOINED(letter, number)
#define WRITTEN(number) REGISTER(u, number)
#endif

// Registers that mean the same in all kernels. (Macros, as HLSL takes no constants there, nor in #if.)
#define SLOTS_REGISTER 3    // the error slots
#define WINNERS_REGISTER 4  // what a kernel knows of each target, or each group's part of it

SHARED uint kGroup = 128;  // threads of a group, where a kernel does not say otherwise

// dmlindex::Mode
SHARED uint kModeRaise = 0;
SHARED uint kModeClamp = 1;
SHARED uint kModeWrap = 2;
SHARED uint kModeSkip = 3;
SHARED uint kModeLinear = 4;  // instead, where the plan is linear

// dmlindex::Reduction
SHARED uint kReductionAdd = 1;
SHARED uint kReductionMul = 2;
SHARED uint kReductionMin = 3;
SHARED uint kReductionMax = 4;

// dmlindex::ValueType, of which the signed integers have odd numbers
SHARED uint kValueBool = 0;
SHARED uint kValueFloat16 = 9;
SHARED uint kValueBfloat16 = 10;
SHARED uint kValueFloat64 = 12;
SHARED uint kValueComplex64 = 14;

// What VALUES of a reduction's kernel says: integers of up to 32 bits and bool, integers of 64, floats of up to 32,
// bytes with a table of results, float64 and complex numbers, or integers of any size.
#define VALUES_INTEGERS 0
#define VALUES_WIDE 1
#define VALUES_FLOATS 2
#define VALUES_BYTES 3
#define VALUES_DOUBLES 4
#define VALUES_WHOLE 5

// An error slot has four words, all zeros at first: the complement of the first bad index's number (position ·
// coordinate_count + coordinate; 0: none is bad), whether an operator has failed whose result this one uses, and the
// bad index's 64 bits.
SHARED uint kSlotBytes = 16;
SHARED uint kNoSlot = 0xffffffff;

// What a kernel does with its operator's slot: it writes nothing where the slot says that the operator has failed, it
// notes bad indices there, or both: then each group reads all indices, and writes only once it has found no bad one.
SHARED uint kSlotSkips = 0;
SHARED uint kSlotNotes = 1;
SHARED uint kSlotHolds = 2;

SHARED uint kLookingGroups = 1024;  // of find_any_winners.hlsl, at most

SHARED uint kFour = 4;             // positions of a thread of the kernels for single elements
SHARED uint kStripeThreads = 32;   // threads beside each other in a stripe of theirs
SHARED uint kPiecesAThread = 2;    // of move_rows.hlsl and scatter_bytes.hlsl
SHARED uint kMostPieces = 4;       // of gather_bytes.hlsl
SHARED uint kMostCompared = kPiecesAThread * kGroup;  // positions that scatter_bytes.hlsl compares
SHARED uint kCompared = 0xffffffff;  // a target_count that says so
SHARED uint kInOrderThreads = 1 << 14;  // of scatter_in_order.hlsl: a power of two
SHARED uint kLongestList = 32;     // updates of one target, for reduce_lists.hlsl; longer ones are left to the sort's
SHARED uint kLongestRun = 64;      // the same for reduce_sorted.hlsl; of many updates kLanes
SHARED uint kLanes = 256;          // of reduce_long.hlsl
SHARED uint kCopied = 2;           // pieces of 16 bytes that a thread of copy_pieces.hlsl copies
SHARED uint kAccumulated = 256;    // threads of a group of accumulate.hlsl
SHARED uint kLeastBeside = 8;      // threads of add_slices.hlsl that have one slice, for their group to locate it once
SHARED uint kMostEach = 4;         // positions of such a thread
SHARED uint kBuckets = 512;        // of a sum by buckets at most; a group has a thread for each
SHARED uint kBucketWords = 4096;   // of the table, that such a group keeps in its memory at most
SHARED uint kSettlingGroups = 2048;  // of winners.hlsli: about as many as a large GPU has at work
SHARED uint kClaimThreads = 512;   // of a group of claim_targets.hlsl
SHARED uint kBlockTargets = 4096;  // that a group of scatter_blocks.hlsl has in its memory at most
SHARED uint kBlockThreads = 512;
SHARED uint kFewUpdates = 2048;    // that a group of reduce_blocks.hlsl keeps there
SHARED uint kFewThreads = 256;
SHARED uint kLineBytes = 16 << 10;  // of a group of reduce_lines.hlsl
SHARED uint kShortLineBytes = 4 << 10;  // the same where it only sums
SHARED uint kHeldWords = 8 << 10;  // the same of hold_lines.hlsl
SHARED uint kDigits = 256;         // of the radix sort; a group has a thread for each
SHARED uint kDigitBits = 8;
SHARED uint kTextureShift = 8;     // a row of a table's texture has 2 to the power of it texels

// gather_table.hlsl: threads of a group that holds 4, 16 or 32 KiB of the table, and fours of a thread at once.
SHARED uint kGroupOf4KiB = 256;
SHARED uint kGroupOf16KiB = 512;
SHARED uint kGroupOf32KiB = 1024;
SHARED uint kInFlight = 2;
SHARED uint kInFlightOfBytes = 4;

SHARED int kMaxDeviceDims = 8;  // dims and coordinates that a plan may have
SHARED uint kPatternTexels = 16;

struct DimConstants {
    uint size;
    uint table_stride;
    uint item_stride;
    uint index_stride;
};

struct CoordinateConstants {
    uint limit;
    uint table_stride;
    uint index_offset;
    uint unused;
};

#ifdef __cplusplus
struct Constants {
#else
cbuffer Constants : register(b0) {
#endif
    uint thread_count;      // threads past it do nothing
    uint groups_x;          // a dispatch of many groups is folded into rows of this many
    uint slot;              // byte offset of the operator's error slot, or kNoSlot
    uint mode;
    uint index_bytes;       // 1, 2, 4 or 8
    uint index_signed;
    uint rank;
    uint coordinate_count;
    uint slice_units;       // units of UNIT bytes in a slice
    uint pattern_units;     // period of the fill pattern
    uint target_bytes;      // every slice of the table begins at a multiple of this; kModeLinear: in elements
    uint target_count;
    uint4 arguments;        // what they are, the kernel says
    uint slot_use;          // kSlotSkips, kSlotNotes or kSlotHolds
    uint slice_shift;       // slice_units is 2 to the power of it; 32: it is no power of two
    uint stripe_lines;      // four.hlsli
    uint index_repeats;     // four.hlsli
    uint line_most;         // kModeLinear: what is past this address is read or written there
    uint line_present;      // kModeLinear: addresses that have memory
    uint line_shift;        // kModeLinear: an element has 2 to the power of it bytes
    uint winners_base;      // winners.hlsli
    DimConstants dims[kMaxDeviceDims];
    CoordinateConstants coordinates[kMaxDeviceDims];
    uint4 pattern[kPatternTexels];  // fill
};

#ifdef __cplusplus
}  // namespace dmlindex::d3d12
#endif
#undef SHARED

#endif
