// The trials of the kernels that move bytes whose places are known.
#include <algorithm>

#include "cpu/kernels/carry.hpp"
#include "harness.hpp"

namespace dmlindex::test {
namespace {

using cpu::Block;

std::int64_t slice_bytes_of(Case& c, int slice_class) {
    const std::int64_t fixed = cpu::kClassBytes[slice_class];
    if (fixed != 0) return fixed;
    return c.timed ? 100
                   : c.random.one_of({c.random.between(1, 40), c.random.between(1, 300),
                                      c.random.between(300, 900)});
}

// A block of random places. Slices that are written are the same or apart, those that are read
// may overlap each other: a table or items that were broadcast, or a window that slides.
struct Move {
    Twin table;  // where offsets count from
    Pieces items;
    std::vector<std::int64_t> offsets;
    std::vector<std::byte> fill;
    Block block;

    Move(Case& c, std::int64_t slice_bytes, std::int64_t element_bytes, bool scatters,
         bool may_skip, bool packed_items = false) {
        Random& random = c.random;
        const std::int64_t places = c.timed ? 256 : random.between(1, 40);
        const std::int64_t gap = scatters && !c.timed ? random.one_of({0, 0, 1, 7}) : 0;
        const std::int64_t table_bytes = places * (slice_bytes + gap);
        const std::int64_t origin = c.timed ? 0 : random.between(0, table_bytes);
        table = c.buffer(table_bytes) + origin;
        std::int64_t stride = slice_bytes;
        if (!c.timed && !packed_items) {
            const std::int64_t apart = slice_bytes + random.between(0, 9);
            stride = random.one_of({slice_bytes, apart, -slice_bytes, -apart});
            if (scatters && random.one_in(3)) stride = random.between(-5, 5);
        }
        items = c.pieces(c.count, slice_bytes, stride);
        const Twin kept = c.buffer(8 * c.count, 8);
        for (std::int64_t i = 0; i < c.count; ++i) {
            std::int64_t offset = random.between(0, places - 1) * (slice_bytes + gap);
            if (!scatters && !c.timed) offset = random.between(0, table_bytes - slice_bytes);
            offset -= origin;
            if (may_skip && random.one_in(c.timed ? 16 : 3)) offset = cpu::kSkipped;
            offsets.push_back(offset);
            std::memcpy(kept.data + 8 * i, &offset, sizeof offset);
            std::memcpy(kept.expected + 8 * i, &offset, sizeof offset);
        }
        if (random.one_in(2)) {
            fill.resize(static_cast<std::size_t>(element_bytes));
            random.fill(fill);
        }
        block = {table.data,
                 reinterpret_cast<const std::int64_t*>(kept.data),
                 c.count,
                 items.origin.data,
                 stride,
                 slice_bytes,
                 element_bytes,
                 !c.timed && random.one_in(2),
                 fill.empty() ? nullptr : fill.data(),
                 nullptr,
                 random.one_in(2),
                 random.one_in(2)};
    }
};

// The number of bytes of an element that a slice may be made of.
std::int64_t element_of(Case& c, std::int64_t slice_bytes) {
    for (const std::int64_t bytes : {c.random.between(1, 16), std::int64_t{4}, std::int64_t{2}}) {
        if (slice_bytes % bytes == 0) return bytes;
    }
    return slice_bytes;
}

template <bool kMaySkip>
void try_gather(Case& c, cpu::MoveKernel kernel) {
    const std::int64_t bytes = slice_bytes_of(c, c.at(0));
    const Move move(c, bytes, element_of(c, bytes), false, kMaySkip);
    c.call([&] { kernel(move.block); });
    for (std::int64_t i = 0; i < c.count; ++i) {
        const std::int64_t offset = move.offsets[static_cast<std::size_t>(i)];
        for (std::int64_t s = 0; s < bytes; ++s) {
            const std::byte filled =
                move.fill.empty() ? std::byte{0}
                                  : move.fill[static_cast<std::size_t>(s) % move.fill.size()];
            move.items.at(i).expected[s] =
                offset == cpu::kSkipped ? filled : move.table.expected[offset + s];
        }
    }
}

template <bool kMaySkip>
void try_scatter(Case& c, cpu::MoveKernel kernel) {
    const std::int64_t bytes = slice_bytes_of(c, c.at(0));
    const Move move(c, bytes, element_of(c, bytes), true, kMaySkip);
    c.call([&] { kernel(move.block); });
    for (std::int64_t i = 0; i < c.count; ++i) {
        const std::int64_t offset = move.offsets[static_cast<std::size_t>(i)];
        if (offset == cpu::kSkipped) continue;
        std::memcpy(move.table.expected + offset, move.items.at(i).expected,
                    static_cast<std::size_t>(bytes));
    }
}

// A result written block after block, which may or may not follow each other, through one Carry.
void try_stream(Case& c, cpu::StreamKernel kernel) {
    const std::int64_t bytes =
        c.timed ? 256 : c.random.one_of({c.random.between(64, 130), c.random.between(64, 600)});
    const Move move(c, bytes, bytes, false, false, true);
    const std::int64_t first = c.random.between(0, c.count);
    const bool backwards = c.random.one_in(3);  // the second block before the first
    c.call([&] {
        if (kernel == nullptr) {
            c.kernels.gather[cpu::kSliceClasses - 1](move.block);
            return;
        }
        cpu::Carry carry;
        for (const bool second : {backwards, !backwards}) {
            Block part = move.block;
            if (second) {
                part.offsets += first;
                part.items += first * bytes;
            }
            part.count = second ? c.count - first : first;
            kernel(part, carry);
        }
    });
    if (c.kernels.fence != nullptr) c.kernels.fence();
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::memcpy(move.items.at(i).expected,
                    move.table.expected + move.offsets[static_cast<std::size_t>(i)],
                    static_cast<std::size_t>(bytes));
    }
}

// Groups of bytes of a table that lie a stride apart, one behind the other or not, in reverse too.
void try_shuffle(Case& c, cpu::ShuffleKernel kernel) {
    Random& random = c.random;
    const std::int64_t piece = kernel == nullptr ? 1 : c.kernels.shuffle_bytes;
    const int loads = c.timed ? 1 : static_cast<int>(random.between(1, cpu::Shuffle::kMostLoads));
    const std::int64_t item_bytes = c.timed ? 512 : random.between(piece, 5 * piece);
    const std::int64_t pieces = (item_bytes + piece - 1) / piece;
    const std::int64_t group_bytes = c.timed ? 512 : random.between(piece, 4 * piece);
    const std::int64_t apart = c.timed ? 512 : random.between(-200, 200);
    const Pieces groups = c.pieces(c.count, group_bytes, apart);
    const Twin items = c.buffer(c.count * item_bytes);
    std::vector<std::int32_t> from(static_cast<std::size_t>(pieces * loads));
    std::vector<std::byte> controls(from.size() * static_cast<std::size_t>(piece),
                                    cpu::Shuffle::kNoByte);
    std::vector<std::int64_t> sources(static_cast<std::size_t>(item_bytes));
    for (std::int32_t& each : from)
        each = static_cast<std::int32_t>(random.between(0, group_bytes - piece));
    for (std::int64_t p = 0; p < pieces; ++p) {
        for (std::int64_t b = 0; b < piece; ++b) {
            const std::int64_t load = p * loads + random.between(0, loads - 1);
            const std::int64_t taken = random.between(0, piece - 1);
            controls[static_cast<std::size_t>(load * piece + b)] = static_cast<std::byte>(taken);
            const std::int64_t at = std::min(p * piece, item_bytes - piece) + b;
            sources[static_cast<std::size_t>(at)] = from[static_cast<std::size_t>(load)] + taken;
        }
    }
    c.call([&] {
        if (kernel != nullptr) {
            kernel({from.data(), controls.data(), loads, item_bytes}, c.count, groups.origin.data,
                   groups.stride, items.data);
            return;
        }
        for (std::int64_t g = 0; g < c.count; ++g) {  // as bytes
            c.kernels.gather[0]({groups.at(g).data, sources.data(), item_bytes,
                                 items.data + g * item_bytes, 1, 1, 1, false, nullptr, nullptr});
        }
    });
    for (std::int64_t g = 0; g < c.count; ++g) {
        for (std::int64_t b = 0; b < item_bytes; ++b) {
            items.expected[g * item_bytes + b] =
                groups.at(g).expected[sources[static_cast<std::size_t>(b)]];
        }
    }
}

// It has no effect that one thread could see.
void try_fence(Case& c, cpu::FenceKernel kernel) {
    c.call([&] {
        if (kernel != nullptr) kernel();
    });
}

void try_copy(Case& c, cpu::CopyKernel kernel) {
    Random& random = c.random;
    const std::int64_t bytes = slice_bytes_of(c, c.at(0));
    const std::int64_t apart = bytes + random.between(0, 9);
    const Pieces to =
        c.pieces(c.count, bytes, c.timed ? bytes : random.one_of({bytes, -bytes, apart, -apart}));
    const Pieces from = c.pieces(
        c.count, bytes,
        c.timed ? 2 * bytes : random.one_of({bytes, apart, -apart, random.between(-5, 5)}));
    c.call(
        [&] { kernel(to.origin.data, to.stride, from.origin.data, from.stride, c.count, bytes); });
    for (std::int64_t i = 0; i < c.count; ++i)
        std::memcpy(to.at(i).expected, from.at(i).expected, static_cast<std::size_t>(bytes));
}

void try_span(Case& c, cpu::SpanKernel kernel) {
    Random& random = c.random;
    const std::int64_t least = cpu::kLeastSpanBytes;
    const std::int64_t bytes =
        c.timed ? 16 * least
                : random.one_of({least, random.between(least, 2 * least),
                                 random.between(8192, 9000), random.between(least, 40 * least)});
    const Twin to = c.buffer(bytes);
    const Twin from = c.buffer(bytes);
    c.call([&] { kernel(to.data, from.data, bytes); });
    std::memcpy(to.expected, from.expected, static_cast<std::size_t>(bytes));
}

void try_compress(Case& c, cpu::CompressKernel kernel) {
    Random& random = c.random;
    const std::int64_t bytes = cpu::kClassBytes[c.at(0)];
    const std::int64_t last = c.timed ? 1000 : random.between(-50, 100);
    const std::int64_t first = c.timed ? 0 : random.between(-60, last);
    const Pieces items = c.pieces(c.count, bytes, c.timed ? bytes : random.between(-20, 20));
    const Twin offsets = c.buffer(8 * c.count, 8);
    const Twin own = c.buffer(bytes * c.count);
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < c.count; ++i) {
        std::int64_t offset = c.timed ? i % 1000 : random.between(-70, 110);
        if (!c.timed) {
            offset = random.one_of({offset, offset, first, first - 1, last, last - 1,
                                    random.one_in(4) ? cpu::kSkipped : offset});
        }
        std::memcpy(offsets.data + 8 * i, &offset, sizeof offset);
        if (offset < first || offset >= last) continue;
        std::memcpy(offsets.expected + 8 * kept, &offset, sizeof offset);
        std::memcpy(own.expected + bytes * kept, items.at(i).expected,
                    static_cast<std::size_t>(bytes));
        ++kept;
    }
    std::int64_t got = 0;
    c.call([&] {
        got = kernel({reinterpret_cast<std::int64_t*>(offsets.data), c.count, items.origin.data,
                      items.stride},
                     first, last, own.data);
    });
    c.same("kept", got, kept);
    // Behind what is kept lies anything.
    Case::accept(offsets + 8 * kept, 8 * (c.count - kept));
    Case::accept(own + bytes * kept, bytes * (c.count - kept));
}

}  // namespace

std::vector<Family> move_families() {
    using cpu::Kernels;
    const std::vector<Axis> slice = {Axis::kSlice};
    return {
        family<&Kernels::gather, try_gather<false>>("gather", slice),
        family<&Kernels::gather_or_fill, try_gather<true>>("gather_or_fill", slice),
        family<&Kernels::scatter, try_scatter<false>>("scatter", slice),
        family<&Kernels::scatter_or_drop, try_scatter<true>>("scatter_or_drop", slice),
        family<&Kernels::copy, try_copy>("copy", slice),
        family<&Kernels::copy_in_lines, try_span>("copy_in_lines"),
        family<&Kernels::stream, try_stream>("stream"),
        family<&Kernels::fence, try_fence>("fence"),
        family<&Kernels::compress, try_compress>("compress", slice),
        family<&Kernels::shuffle, try_shuffle>("shuffle"),
    };
}

}  // namespace dmlindex::test
