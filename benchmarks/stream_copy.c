// memcpy with non-temporal stores: as fast as memory can be read and written, the benchmarks' yardstick.
// Compiled and loaded by stream_copy.py.
#include <stddef.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Copies bytes from source to target, which is aligned to 64.
void stream_copy(void *target, const void *source, size_t bytes) {
    size_t done = 0;
#if defined(__SSE2__)
    for (; done + 64 <= bytes; done += 64) {
        const __m128i *from = (const __m128i *)((const char *)source + done);
        __m128i *to = (__m128i *)((char *)target + done);
        __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
        __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    _mm_sfence();
#endif
    memcpy((char *)target + done, (const char *)source + done, bytes - done);
}
