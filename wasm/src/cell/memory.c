/* Memory: a small allocator made for short programs in a snapshotted heap, and what happens when there is none left.
 *
 * A page that a run touches first costs it a fault, so blocks of every size are cut one after another from the same
 * chunk, and a freed block goes to the list of its size class, to be used again at once. Blocks are never merged; what
 * is larger than a class comes from large.c. The block header is QuickJS's own eight bytes, of which this file owns
 * `block_size_idx` (the class).
 *
 * One request that could never be met (larger than the whole limit) is the program's mistake: a catchable RangeError.
 * Running out bit by bit is an ending: the cell stops at once, so that no program can catch it and go on.
 */

#define CHUNK_BYTES (64u << 10)
#define FIRST_CHUNK_BYTES (32u << 10)
#define PLAN_CHUNK_BYTES (16u << 10) /* at build time; what is larger gets a chunk of its own */
#define LARGE 0xff
#define GC_FLOOR (2u << 20)

static uint8_t first_chunk[FIRST_CHUNK_BYTES] __attribute__((aligned(4096)));

static _Noreturn void cell_out_of_memory(void)
{
    cell_end(ENDING_MEMORY_LIMIT_EXCEEDED);
    __builtin_trap();
}

/* NULL only for a request that is larger than the limit by itself. */
static void *checked(void *ptr, size_t size)
{
    if (ptr == NULL && size < cell_mailbox.memory_limit)
        cell_out_of_memory();
    return ptr;
}

static inline uint32_t class_of(uint32_t total)
{
    uint32_t power;
    if (total <= FINE_BYTES)
        return (total - 1) >> 3;
    power = 31 - (uint32_t)__builtin_clz(total - 1);
    return FINE_CLASSES + (power - 9) * 4 + (((total - 1) >> (power - 2)) & 3);
}

static inline uint32_t class_bytes(uint32_t class)
{
    uint32_t power;
    if (class < FINE_CLASSES)
        return (class + 1) * 8;
    power = 9 + (class - FINE_CLASSES) / 4;
    return (1u << power) + (((class - FINE_CLASSES) % 4 + 1) << (power - 2));
}

static inline JSMallocBlockHeader **next_free(JSMallocBlockHeader *b)
{
    return (JSMallocBlockHeader **)b->user_data;
}

static inline void put_free(JSMallocBlockHeader *b, uint32_t class)
{
    *next_free(b) = cell.heap.free[class];
    cell.heap.free[class] = b;
}

/* The rest of a chunk that is too small for the block asked for still serves smaller ones. */
static void keep_rest(void)
{
    uint32_t rest = (uint32_t)(cell.heap.end - cell.heap.next);
    while (rest >= 16) {
        uint32_t class = class_of(rest);
        uint32_t size = class_bytes(class);
        if (size > rest)
            size = class_bytes(--class);
        put_free((JSMallocBlockHeader *)cell.heap.next, class);
        cell.heap.next += size;
        rest -= size;
    }
}

/* When memory has nothing left: any free block of a larger class will do. */
static JSMallocBlockHeader *borrow(uint32_t class)
{
    for (uint32_t c = class + 1; c < CLASSES; c++) {
        JSMallocBlockHeader *b = cell.heap.free[c];
        if (!b)
            continue;
        cell.heap.free[c] = *next_free(b);
        b->block_size_idx = (uint8_t)c;
        return b;
    }
    cell_out_of_memory();
}

__attribute__((import_module("toolcell"), import_name("take"))) extern void host_take(void *dst, uint32_t len);

#define PLAN_ASK 0
#define PLAN_TELL 1

/* Build time: blocks that runs write to are cut from chunks of their own. Whether the next block is one is asked of
   snapshot.py, which then learns where it lies; `take` is its way in, as it is the host's in a run. */
static JSMallocBlockHeader *cut_planned(uint32_t class)
{
    static struct {
        uint8_t *next;
        uint8_t *end;
    } chunks[2], *from; /* cold, hot */
    uint8_t *at;

    host_take(&cell.heap.hot, PLAN_ASK);
    from = &chunks[cell.heap.hot != 0];
    if ((uint32_t)(from->end - from->next) < class_bytes(class)) {
        uint32_t size = class_bytes(class) > PLAN_CHUNK_BYTES ? class_bytes(class) : PLAN_CHUNK_BYTES;
        from->next = large_alloc(size);
        from->end = from->next + size;
    }
    at = from->next;
    from->next += class_bytes(class);
    host_take(at, PLAN_TELL);
    return (JSMallocBlockHeader *)at;
}

static no_inline JSMallocBlockHeader *cut_from_new_chunk(uint32_t class)
{
    uint8_t *chunk;
    JSMallocBlockHeader *b;

    if (cell.heap.planning) {
        b = cut_planned(class);
        b->block_size_idx = (uint8_t)class;
        return b;
    }
    chunk = large_alloc(CHUNK_BYTES);
    if (!chunk)
        return borrow(class);
    keep_rest();
    b = (JSMallocBlockHeader *)chunk;
    cell.heap.next = chunk + class_bytes(class);
    cell.heap.end = chunk + CHUNK_BYTES;
    b->block_size_idx = (uint8_t)class;
    return b;
}

static no_inline void *alloc_large(size_t total)
{
    JSMallocBlockHeader *b = checked(large_alloc((uint32_t)total), total);
    if (!b)
        return NULL;
    b->block_size_idx = LARGE;
    return b->user_data;
}

static inline void *cell_alloc(size_t size)
{
    size_t total = (size ? size : 1) + sizeof(JSMallocBlockHeader); /* a free block holds a link behind its header */
    uint32_t class;
    JSMallocBlockHeader *b;

    if (unlikely(total > COARSE_BYTES))
        return total < size ? NULL : alloc_large(total);
    class = class_of((uint32_t)total);
    b = cell.heap.free[class];
    if (b) {
        cell.heap.free[class] = *next_free(b);
        b->block_size_idx = (uint8_t)class;
        return b->user_data;
    }
    b = (JSMallocBlockHeader *)cell.heap.next;
    if (unlikely((uint32_t)(cell.heap.end - cell.heap.next) < class_bytes(class)))
        return cut_from_new_chunk(class)->user_data;
    cell.heap.next += class_bytes(class);
    b->block_size_idx = (uint8_t)class;
    return b->user_data;
}

static void *cell_calloc(size_t size)
{
    void *ptr = cell_alloc(size);
    return ptr ? memset(ptr, 0, size) : NULL;
}

static inline JSMallocBlockHeader *header_of(const void *ptr)
{
    return container_of(ptr, JSMallocBlockHeader, user_data);
}

static inline size_t cell_block_size(const void *ptr)
{
    const JSMallocBlockHeader *b;
    if (!ptr)
        return 0;
    b = header_of(ptr);
    return (b->block_size_idx == LARGE ? large_usable(b) : class_bytes(b->block_size_idx)) - sizeof *b;
}

static inline void cell_free(void *ptr)
{
    JSMallocBlockHeader *b;
    if (!ptr)
        return;
    b = header_of(ptr);
    if (unlikely(b->block_size_idx == LARGE))
        large_free(b);
    else
        put_free(b, b->block_size_idx);
}

static void *realloc_large(JSMallocBlockHeader *b, size_t total)
{
    b = checked(large_realloc(b, (uint32_t)total), total);
    return b ? b->user_data : NULL;
}

static void *cell_realloc(void *ptr, size_t size)
{
    JSMallocBlockHeader *b = header_of(ptr);
    size_t total = size + sizeof *b;
    void *moved;
    size_t old;

    if (b->block_size_idx == LARGE && total > COARSE_BYTES)
        return total < size ? NULL : realloc_large(b, total);
    old = cell_block_size(ptr);
    if (size <= old && size + old / 4 >= old)
        return ptr;
    moved = cell_alloc(size);
    if (!moved)
        return NULL;
    memcpy(header_of(moved)->user_data, ptr, size < old ? size : old);
    header_of(moved)->gc_obj_type = b->gc_obj_type;
    header_of(moved)->mark = b->mark;
    header_of(moved)->ref_count = b->ref_count;
    cell_free(ptr);
    return moved;
}

/* Room that the cell itself needs, or the end. */
static void *cell_reserve(size_t size)
{
    void *ptr = cell_alloc(size);
    if (!ptr)
        cell_out_of_memory();
    return ptr;
}

/* Build time: a run begins on an empty chunk of its own, not in the holes of the snapshot. */
static void leave_holes_behind(void)
{
    memset(cell.heap.free, 0, sizeof cell.heap.free);
    cell.heap.planning = false;
    cell.heap.next = first_chunk;
    cell.heap.end = first_chunk + sizeof first_chunk;
}

/* What QuickJS makes its runtime struct with; everything after that goes through the functions above. */
static void *runtime_calloc(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return cell_calloc(count * size);
}

static void *runtime_malloc(void *opaque, size_t size)
{
    (void)opaque;
    return cell_alloc(size);
}

static void runtime_free(void *opaque, void *ptr)
{
    (void)opaque;
    cell_free(ptr);
}

static void *runtime_realloc(void *opaque, void *ptr, size_t size)
{
    (void)opaque;
    return cell_realloc(ptr, size);
}

static const JSMallocFunctions runtime_functions = {
    .js_calloc = runtime_calloc,
    .js_malloc = runtime_malloc,
    .js_free = runtime_free,
    .js_realloc = runtime_realloc,
    .js_malloc_usable_size = cell_block_size,
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
