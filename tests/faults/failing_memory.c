/* For LD_PRELOAD: allocations that fail when they are told to, and how many blocks are in use.

   While `faults_failing` is not 0, the next `faults_passing` allocations pass and then so many fail; each
   lowers its number, and `faults_failed` counts. Allocations are those of malloc and its kin (C++'s operator new
   among them, and Python's under PYTHONMALLOC=malloc) and mmap of memory without a file. With `faults_owners`,
   names between spaces, only those count that these libraries ask for, themselves or through Python and the
   languages' runtimes ("PYTHON" is what Python code asks for): NumPy and drivers stay out of it, which may
   end the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

atomic_long faults_passing, faults_failing, faults_failed, faults_blocks;
char faults_owners[256];

static _Thread_local int is_looking; /* what allocates meanwhile is this file's own */

static int contains_a_name(const char* path) {
    char names[sizeof faults_owners];
    char* rest = NULL;
    strcpy(names, faults_owners);
    for (char* name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (strstr(path, name) != NULL) return 1;
    }
    return 0;
}

static int starts_with(const char* text, const char* start) { return strncmp(text, start, strlen(start)) == 0; }

/* Who is asked on behalf of another. */
static int is_a_runtime(const char* name) {
    return starts_with(name, "libc.") || starts_with(name, "libstdc++") || starts_with(name, "libgcc") ||
           starts_with(name, "libpython") || starts_with(name, "python");
}

static int is_an_owners(void) {
    void* frames[64];
    const int count = backtrace(frames, 64);
    Dl_info self, found;
    dladdr((void*)is_an_owners, &self);
    for (int i = 0; i < count; ++i) {
        if (dladdr(frames[i], &found) == 0 || found.dli_fbase == self.dli_fbase) continue;
        const char* const slash = strrchr(found.dli_fname, '/');
        const char* const name = slash == NULL ? found.dli_fname : slash + 1;
        if (!is_a_runtime(name)) return contains_a_name(name);
    }
    return contains_a_name("PYTHON"); /* Python code, run by Python code */
}

static int fails(void) {
    if (atomic_load(&faults_failing) <= 0 || is_looking) return 0;
    if (faults_owners[0] != '\0') {
        is_looking = 1;
        const int is_counted = is_an_owners();
        is_looking = 0;
        if (!is_counted) return 0;
    }
    if (atomic_fetch_sub(&faults_passing, 1) > 0) return 0;
    if (atomic_fetch_sub(&faults_failing, 1) <= 0) return 0;
    atomic_fetch_add(&faults_failed, 1);
    errno = ENOMEM;
    return 1;
}

static void* counted(void* block) {
    if (block != NULL) atomic_fetch_add(&faults_blocks, 1);
    return block;
}

void* malloc(size_t bytes) { return fails() ? NULL : counted(__libc_malloc(bytes)); }

void* calloc(size_t count, size_t bytes) { return fails() ? NULL : counted(__libc_calloc(count, bytes)); }

void* realloc(void* block, size_t bytes) {
    if (fails()) return NULL;
    void* const moved = __libc_realloc(block, bytes);
    return block == NULL ? counted(moved) : moved;
}

void* memalign(size_t alignment, size_t bytes) {
    return fails() ? NULL : counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** block, size_t alignment, size_t bytes) {
    void* const made = memalign(alignment, bytes);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

void free(void* block) {
    if (block != NULL) atomic_fetch_sub(&faults_blocks, 1);
    __libc_free(block);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if ((flags & MAP_ANONYMOUS) != 0 && fails()) return MAP_FAILED;
    return (void*)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

__attribute__((constructor)) static void look_once(void) {
    void* frame[1];
    backtrace(frame, 1); /* which loads what it takes, once */
}
