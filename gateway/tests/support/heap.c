/* Preloaded into a gateway to count the heap bytes in use. The count is in the eight bytes of the file that HEAP_COUNT
 * names. Resident memory is no substitute: fragmentation makes it vary. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* The count before the file is mapped. */
static long early;
static long *in_use = &early;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("HEAP_COUNT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(NULL, sizeof early, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) return;
    *(long *)shared = early;
    in_use = shared;
}

static void *add(void *block) {
    __atomic_add_fetch(in_use, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
    return block;
}

static void subtract(void *block) {
    __atomic_sub_fetch(in_use, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
}

void *malloc(size_t size) { return add(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return add(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return add(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

void *realloc(void *block, size_t size) {
    long before = malloc_usable_size(block);
    void *moved = __libc_realloc(block, size);
    /* On failure the old block remains allocated; with size 0 it is freed. */
    if (moved != NULL || size == 0) {
        __atomic_sub_fetch(in_use, before, __ATOMIC_RELAXED);
        add(moved);
    }
    return moved;
}

void free(void *block) {
    subtract(block);
    __libc_free(block);
}
