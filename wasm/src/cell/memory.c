/* Memory: what happens when there is none left.
 *
 * One request that could never be met (larger than the whole limit) is the program's mistake: a catchable RangeError.
 * Running out bit by bit is an ending: the cell stops at once, so that no program can catch it and go on.
 */

#define GC_FLOOR (2u << 20)

static _Noreturn void cell_out_of_memory(void)
{
    cell_end(ENDING_MEMORY_LIMIT_EXCEEDED);
    __builtin_trap();
}

static void *checked(void *ptr, size_t size)
{
    if (ptr == NULL && size < cell_mailbox.memory_limit)
        cell_out_of_memory();
    return ptr;
}

static void *cell_calloc(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return checked(calloc(count, size), count * size);
}

static void *cell_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return checked(malloc(size), size);
}

static void cell_free(void *opaque, void *ptr)
{
    (void)opaque;
    free(ptr);
}

static void *cell_realloc(void *opaque, void *ptr, size_t size)
{
    (void)opaque;
    return checked(realloc(ptr, size), size);
}

static size_t cell_usable_size(const void *ptr)
{
    return malloc_usable_size((void *)ptr);
}

static const JSMallocFunctions cell_malloc_functions = {
    .js_calloc = cell_calloc,
    .js_malloc = cell_malloc,
    .js_free = cell_free,
    .js_realloc = cell_realloc,
    .js_malloc_usable_size = cell_usable_size,
};

/* The heap size at which the cycle collector runs next: half as much again, but never so far that garbage alone
   could reach the limit, and never so near that a small program pays for a collection. */
static size_t cell_gc_threshold(size_t live)
{
    size_t limit = cell_mailbox.memory_limit;
    size_t step = live / 2 > GC_FLOOR ? live / 2 : GC_FLOOR;
    size_t room = live < limit ? (limit - live) / 2 : 0;
    if (step > room)
        step = room > (64u << 10) ? room : (64u << 10);
    return live + step;
}
